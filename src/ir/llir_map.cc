// LLVM IR: instructions carry "!dbg !N" after their operands; the metadata follows the functions.

#include "ir/llir_metadata.h"
#include "ir/scan.h"

namespace ks::ir {
namespace {

class LlirMapper {
 public:
  explicit LlirMapper(std::string_view text)
      : builder_(Stage::llir, text.size()), metadata_(builder_, text.size()), text_(text) {
    uses_.reserve(text.size() / 128);
  }

  SourceMap run();

 private:
  static constexpr uint32_t kNone = DebugMetadata::kNone;

  struct Use {
    uint32_t line;
    uint32_t location;
  };

  void read_line(std::string_view line, uint32_t number);
  void read_body(std::string_view line, uint32_t number);
  void add(uint32_t number, std::string_view line);

  MapBuilder builder_;
  DebugMetadata metadata_;
  std::string_view text_;
  std::vector<Use> uses_;
  size_t continued_ = 0;  // so many last uses belong to an instruction that goes on: switch, invoke
  bool in_body_ = false;
};

// Attachments are printed last and !dbg first of them, so it is mostly the end of the line.
uint32_t debug_location(std::string_view line) {
  constexpr std::string_view kMark = "!dbg !";
  size_t begin = line.size();
  while (begin > 0 && is_digit(line[begin - 1])) --begin;
  if (!line.substr(0, begin).ends_with(kMark)) {
    size_t at = line.rfind(kMark);
    if (at == std::string_view::npos) return DebugMetadata::kNone;
    begin = at + kMark.size();
  }
  std::string_view digits = line.substr(begin);
  uint32_t id = DebugMetadata::kNone;
  take_number(digits, id);
  return id;
}

bool is_label(std::string_view line) {
  take(line, "\"");
  size_t i = 0;
  while (i < line.size() && is_identifier(line[i])) ++i;
  line.remove_prefix(i);
  take(line, "\"");
  return line.starts_with(':');
}

bool is_debug_record(std::string_view line) {
  if (line.starts_with("#dbg_")) return true;
  take(line, "tail ");
  return line.starts_with("call void @llvm.dbg.");
}

void LlirMapper::add(uint32_t number, std::string_view line) {
  uint32_t location = debug_location(line);
  uses_.push_back({number, location});
  if (location == kNone) return;
  for (size_t i = 0; i < continued_; ++i) uses_[uses_.size() - 2 - i].location = location;
  continued_ = 0;
}

void LlirMapper::read_body(std::string_view line, uint32_t number) {
  if (line == "}") {
    in_body_ = false;
    return;
  }
  bool indented = is_blank(line.front());
  skip_blanks(line);
  if (line.starts_with(';') || (!indented && is_label(line)) || is_debug_record(line)) return;
  add(number, line);
  if (uses_.back().location != kNone) return;
  bool goes_on = line.ends_with('[') || line.starts_with("invoke ") ||
                 line.find("= invoke ") != std::string_view::npos;
  bool ends = line.ends_with(']') || line.starts_with("to label ");
  continued_ = goes_on || (continued_ > 0 && !ends) ? continued_ + 1 : 0;
}

void LlirMapper::read_line(std::string_view line, uint32_t number) {
  line = trim_end(line);
  if (line.empty()) return;
  if (in_body_) return read_body(line, number);
  if (line.front() == '!') return metadata_.read_line(line);
  if (!line.starts_with("define ")) return;
  continued_ = 0;
  in_body_ = line.ends_with('{');
  add(number, line);
}

SourceMap LlirMapper::run() {
  LineReader lines(text_);
  for (std::string_view line; lines.next(line);) read_line(line, lines.number());
  for (const Use& use : uses_) {
    auto [chain, unknown] = metadata_.resolve(use.location);
    builder_.code_line(use.line, {&chain, 1},
                       unknown ? Missing::unknown_location : Missing::unmapped);
  }
  return builder_.take();
}

}  // namespace

SourceMap map_llir(std::string_view text) { return LlirMapper(text).run(); }

}  // namespace ks::ir
