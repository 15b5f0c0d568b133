// PTX: every instruction of a function body belongs to the last .loc before it. Braces tell bodies
// from the rest; texts cut down to "-- Begin function" marks and instructions are read as well.

#include <algorithm>

#include "ir/asm_loc.h"
#include "ir/scan.h"

namespace ks::ir {
namespace {

class PtxMapper {
 public:
  explicit PtxMapper(std::string_view text)
      : builder_(Stage::ptx, text.size()), locations_(builder_, text.size(), "//"), text_(text) {}

  SourceMap run();

 private:
  void read_line(std::string_view line, uint32_t number);
  void read_directive(std::string_view line);
  void read_comment(std::string_view line);
  void read_braces(std::string_view line, uint32_t number);
  bool in_body() const { return depth_ > 0 || (marked_ && locations_.has_loc()); }
  void end_function();

  MapBuilder builder_;
  AsmLocations locations_;
  std::string_view text_;
  std::string_view function_;    // of the last header
  uint32_t depth_ = 0;           // of braces in a function body
  bool marked_ = false;          // after a "-- Begin function" comment
  bool section_header_ = false;  // the next line may open a .section's body
  bool in_section_ = false;
};

bool is_label(std::string_view line) {
  take_identifier(line);
  return line.starts_with(':');
}

// ".visible .entry k(", ".func  (.param .b32 r) f("; empty: not on this line.
std::string_view function_name(std::string_view header) {
  size_t at = header.find(".entry");
  if (at == std::string_view::npos) at = header.find(".func");
  if (at == std::string_view::npos) return {};
  header.remove_prefix(at + 1);
  take_identifier(header);
  skip_blanks(header);
  if (header.starts_with('(')) {
    header.remove_prefix(std::min(header.find(')'), header.size() - 1) + 1);
    skip_blanks(header);
  }
  return take_identifier(header);
}

void PtxMapper::end_function() {
  depth_ = 0;
  marked_ = false;
  locations_.end_function();
}

void PtxMapper::read_directive(std::string_view line) {
  if (take(line, ".loc") && !line.empty() && is_blank(line.front())) {
    locations_.add_loc(line);
  } else if (take(line, ".file")) {
    locations_.files().read(line);
  } else if (take(line, ".section")) {
    section_header_ = true;
    skip_blanks(line);
    const char* after = line.data() + line.size();
    if (line.starts_with(".debug_str")) {
      locations_.debug_strings(
          text_.substr(std::min(text_.size(), static_cast<size_t>(after - text_.data()) + 1)));
    }
  } else if (depth_ == 0) {
    std::string_view name = function_name(line);
    if (!name.empty()) function_ = name;
  }
}

void PtxMapper::read_comment(std::string_view line) {
  constexpr std::string_view kBegin = "-- Begin function ";
  size_t at = line.find(kBegin);
  if (at != std::string_view::npos) {
    line.remove_prefix(at + kBegin.size());
    function_ = take_identifier(line);
    end_function();
    locations_.begin_function(function_);
    marked_ = true;
  } else if (line.find("-- End function") != std::string_view::npos) {
    end_function();
  }
}

// Lines that begin with a brace: bodies, scopes of calls and of inline assembly.
void PtxMapper::read_braces(std::string_view line, uint32_t number) {
  line = line.substr(0, line.find("//"));
  bool has_code = line.find(';') != std::string_view::npos;
  for (char c : line) {
    if (c == '{' && depth_++ == 0) locations_.begin_function(function_);
    if (c == '}' && depth_ > 0 && --depth_ == 0) end_function();
  }
  if (has_code && depth_ > 0) locations_.add_code(number);
}

void PtxMapper::read_line(std::string_view line, uint32_t number) {
  skip_blanks(line);
  if (line.empty()) return;
  char first = line.front();
  if (in_section_) {
    in_section_ = first != '}';
    return;
  }
  if (section_header_) {
    section_header_ = false;
    in_section_ = first == '{';
    if (in_section_) return;
  }
  if (first == '.') {
    read_directive(line);
  } else if (first == '/') {
    read_comment(line);
  } else if (first == '{' || first == '}') {
    read_braces(line, number);
  } else if (in_body() && !is_label(line)) {
    locations_.add_code(number);
  }
}

SourceMap PtxMapper::run() {
  LineReader lines(text_);
  for (std::string_view line; lines.next(line);) read_line(line, lines.number());
  locations_.finish();
  return builder_.take();
}

}  // namespace

SourceMap map_ptx(std::string_view text) { return PtxMapper(text).run(); }

}  // namespace ks::ir
