// SASS in three dialects.
//
//   nvdisasm -g, -gi     //## File "F", line 7 [inlined at "G", line 9]   before instructions;
//                        consecutive ones are an inline stack, innermost first
//   cuobjdump -sass      /*0010*/ S2R R0, SR_TID.X ;  /* 0x0000000000007919 */   no lines
//   control codes        --:-:1:-:7 S2R R0, SR_TID.X; (CuAssembler, maxas)       no lines
//
// nvdisasm also names lines of the PTX text, as a file of its own: see PtxLine.

#include "ir/map_builder.h"
#include "ir/scan.h"

namespace ks::ir {
namespace {

constexpr std::string_view kPtxText = ".nv_debug_ptx_txt";

class SassMapper {
 public:
  explicit SassMapper(std::string_view text) : builder_(Stage::sass, text.size()), text_(text) {}

  SourceMap run();

 private:
  void read_line(std::string_view line, uint32_t number);
  void read_place(std::string_view line);
  void instruction(uint32_t number);
  void forget();

  MapBuilder builder_;
  std::string_view text_;
  std::vector<Frame> frames_;  // of the last block of comments
  Frame caller_;               // "inlined at" of the last comment, line 0 without
  bool in_block_ = false;      // the last line that matters was a comment
  bool changed_ = false;       // frames_ is not chain_ yet
  uint32_t chain_ = MapBuilder::kNoChain;
  uint32_t ptx_line_ = 0;
};

bool take_file_line(std::string_view& text, std::string_view& file, uint32_t& line) {
  return text.starts_with('"') && take_quoted(text, file) && take(text, ", line ") &&
         take_number(text, line);
}

// "--:-:1:-:7 " or "B------:R-:W-:-:S01 ": fields of a few characters, joined by colons.
bool has_control_code(std::string_view line) {
  size_t colons = 0, i = 0;
  for (; i < line.size() && i < 24 && !is_blank(line[i]); ++i) {
    if (line[i] == ':') {
      ++colons;
    } else if (line[i] != '-' && !is_identifier(line[i])) {
      return false;
    }
  }
  return colons == 4 && i + 1 < line.size() && is_blank(line[i]);
}

bool is_instruction(std::string_view line) {
  if (!take(line, "/*")) return has_control_code(line);
  size_t digits = 0;
  while (digits < line.size() &&
         (is_digit(line[digits]) || (line[digits] >= 'a' && line[digits] <= 'f') ||
          (line[digits] >= 'A' && line[digits] <= 'F'))) {
    ++digits;
  }
  line.remove_prefix(digits);
  if (digits == 0 || !take(line, "*/")) return false;
  skip_blanks(line);
  return !line.empty() && line.front() != '.' && !line.starts_with("/*");  // .byte: data
}

void SassMapper::read_place(std::string_view line) {
  std::string_view file, caller;
  uint32_t number = 0, caller_line = 0;
  if (!take_file_line(line, file, number)) return builder_.not_understood();
  if (file == kPtxText) {
    ptx_line_ = number;
    return;
  }
  if (!in_block_) frames_.clear();
  in_block_ = changed_ = true;
  if (frames_.size() <= kMaxFramesPerChain) {
    frames_.push_back({builder_.string(file), number, 0, 0});
  }
  caller_ = {};
  if (take(line, " inlined at ") && take_file_line(line, caller, caller_line)) {
    caller_ = {builder_.string(caller), caller_line, 0, 0};
  }
}

void SassMapper::instruction(uint32_t number) {
  in_block_ = false;
  if (changed_) {
    changed_ = false;
    if (caller_.line != 0) frames_.push_back(caller_);  // its own comment is missing
    chain_ = frames_.front().line == 0 ? MapBuilder::kNoChain : builder_.chain(frames_);
  }
  bool unknown = !frames_.empty() && frames_.front().line == 0;
  builder_.code_line(number, {&chain_, 1}, unknown ? Missing::unknown_location : Missing::unmapped);
  if (ptx_line_ != 0) builder_.ptx_line(number, ptx_line_);
}

void SassMapper::forget() {
  frames_.clear();
  in_block_ = changed_ = false;
  chain_ = MapBuilder::kNoChain;
  ptx_line_ = 0;
}

void SassMapper::read_line(std::string_view line, uint32_t number) {
  skip_blanks(line);
  if (take(line, "//## File ")) {
    read_place(line);
  } else if (is_instruction(line)) {
    instruction(number);
  } else if (line.starts_with("//---") || line.starts_with(".section") ||
             line.starts_with("Function")) {
    forget();
  }
}

SourceMap SassMapper::run() {
  LineReader lines(text_);
  for (std::string_view line; lines.next(line);) read_line(line, lines.number());
  return builder_.take();
}

}  // namespace

SourceMap map_sass(std::string_view text) { return SassMapper(text).run(); }

}  // namespace ks::ir
