// Which line has which location.
//
// An operation's location stands at its end. An operation with regions is spread over lines: its
// opening lines ("scf.for ... {", "} else {", "({") wait until the line that ends it, "} loc(#x)",
// says where it comes from. Waiting lines know their depth, so that text without locations inside
// text with them does not borrow a neighbour's.

#include "ir/mlir_locations.h"
#include "ir/scan.h"

namespace ks::ir {
namespace {

class MlirMapper {
 public:
  explicit MlirMapper(std::string_view text)
      : builder_(Stage::ttir, text.size()), locations_(builder_, text.size()), text_(text) {
    uses_.reserve(text.size() / 128);
  }

  SourceMap run();

 private:
  static constexpr uint32_t kNone = LocationTable::kNone;

  struct Use {  // a code line
    uint32_t line;
    uint32_t location;
    uint32_t function;
  };
  struct Waiting {
    uint32_t use;
    uint32_t depth;
  };
  struct Found {
    uint32_t own = kNone;        // the location at the end of the line
    uint32_t arguments = kNone;  // those of block or function arguments
  };

  void read_line(std::string_view line, uint32_t number);
  void read_definition(std::string_view line);
  void read_code(std::string_view line, uint32_t number);
  Found find_locations(std::string_view line);
  bool find_simple(std::string_view line, uint32_t& location);
  void enter_function(std::string_view line);
  void end_operation(uint32_t location);
  void drop_waiting();
  void wait(uint32_t use) { waiting_.push_back({use, depth_}); }

  MapBuilder builder_;
  LocationTable locations_;
  std::string_view text_;
  std::vector<Use> uses_;
  std::vector<Waiting> waiting_;
  std::vector<uint32_t> found_;
  uint32_t depth_ = 0;
  uint32_t function_ = 0;
  uint32_t function_depth_ = 0;
};

// "#loc7 = loc(...)". Other attribute definitions also begin with '#'.
void MlirMapper::read_definition(std::string_view line) {
  line.remove_prefix(1);
  std::string_view name = take_identifier(line);
  skip_blanks(line);
  if (!take(line, "=")) return;
  skip_blanks(line);
  if (!take(line, "loc(")) return;
  uint32_t location = locations_.parse(line);
  if (location == kNone) {
    builder_.not_understood();
  } else {
    locations_.define(name, location);
  }
}

// The form of nearly every line: it ends in loc(#locN).
bool MlirMapper::find_simple(std::string_view line, uint32_t& location) {
  if (line.back() != ')') return false;
  size_t begin = line.size() - 1;
  while (begin > 0 && is_identifier(line[begin - 1])) --begin;
  std::string_view name = line.substr(begin, line.size() - 1 - begin);
  if (name.empty() || !line.substr(0, begin).ends_with("loc(#")) return false;
  if (begin > 5 && is_identifier(line[begin - 6])) return false;
  location = locations_.reference(name);
  return true;
}

MlirMapper::Found MlirMapper::find_locations(std::string_view line) {
  Found found;
  if (find_simple(line, found.own)) return found;
  found_.clear();
  bool failed = false, at_end = false;
  char before = ' ';
  for (std::string_view rest = line; !rest.empty();) {
    if (rest.front() == '"') {
      std::string_view ignored;
      take_quoted(rest, ignored);
      before = '"';
    } else if (!is_identifier(before) && take(rest, "loc(")) {
      uint32_t location = locations_.parse(rest);
      before = ')';
      if (location == kNone) {
        failed = true;
      } else {
        found_.push_back(location);
        at_end = rest.empty();
      }
    } else {
      before = rest.front();
      rest.remove_prefix(1);
    }
  }
  if (failed) builder_.not_understood();
  if (at_end) {
    found.own = found_.back();
  } else {
    found.arguments = locations_.fuse(found_);
  }
  return found;
}

void MlirMapper::enter_function(std::string_view line) {
  size_t at = line.find('@');
  if (at == std::string_view::npos) return;
  line.remove_prefix(at + 1);
  std::string_view name;
  if (!line.starts_with('"')) {
    name = take_identifier(line);
  } else if (!take_quoted(line, name)) {
    return;
  }
  function_ = builder_.string(name);
  function_depth_ = depth_;
}

// The operation that began at the present depth ends with this location.
void MlirMapper::end_operation(uint32_t location) {
  while (!waiting_.empty() && waiting_.back().depth >= depth_) {
    if (waiting_.back().depth == depth_) uses_[waiting_.back().use].location = location;
    waiting_.pop_back();
  }
}

void MlirMapper::drop_waiting() {
  while (!waiting_.empty() && waiting_.back().depth >= depth_) waiting_.pop_back();
}

bool is_function(std::string_view line) {
  return line.starts_with("tt.func") || line.starts_with("func.func") ||
         line.starts_with("llvm.func");
}

// Regions of ttg.warp_specialize begin on lines of their own.
bool continues_operation(std::string_view line) {
  return line.starts_with("default") || line.starts_with("partition");
}

void MlirMapper::read_code(std::string_view line, uint32_t number) {
  bool closes = line.front() == '}';
  bool opens = line.back() == '{';
  Found found = find_locations(line);
  if (line.front() == '^') {
    if (found.arguments != kNone) uses_.push_back({number, found.arguments, function_});
    return;
  }
  if (closes && depth_ > 0) --depth_;
  if (!closes && !(opens && continues_operation(line))) drop_waiting();
  if (opens && is_function(line)) enter_function(line);
  uint32_t use = static_cast<uint32_t>(uses_.size());
  uses_.push_back({number, found.own != kNone ? found.own : found.arguments, function_});
  if (found.own == kNone) {
    wait(use);
  } else if (closes) {
    end_operation(found.own);
  }
  if (opens) {
    ++depth_;
  } else if (closes && depth_ <= function_depth_) {
    function_ = 0;
  }
}

void MlirMapper::read_line(std::string_view line, uint32_t number) {
  if (line.starts_with('#')) return read_definition(line);
  line = trim_end(line);
  skip_blanks(line);
  if (line.empty() || line.starts_with("//")) return;
  read_code(line, number);
}

SourceMap MlirMapper::run() {
  LineReader lines(text_);
  for (std::string_view line; lines.next(line);) read_line(line, lines.number());
  locations_.finish();
  for (const Use& use : uses_) {
    LocationTable::Resolved resolved = locations_.resolve(use.location, use.function);
    builder_.code_line(use.line, resolved.chains,
                       resolved.unknown ? Missing::unknown_location : Missing::unmapped);
  }
  return builder_.take();
}

}  // namespace

SourceMap map_mlir(std::string_view text) { return MlirMapper(text).run(); }

}  // namespace ks::ir
