#pragma once
// Which source lines a line of a compiled stage comes from, with the whole inline chain.
//
// One SourceMap belongs to one stage text. Lines are numbered from 1 and end at '\n'. A line may
// have several chains (fused locations, SASS candidates), and several lines may share one, so
// chains are stored once and lines refer to them. Arrays of plain numbers: a map of 400 lines is a
// few kB, and the store writes the arrays as they are.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ks::ir {

// The stages with text whose locations we understand. Others are kept as text only.
enum class Stage : uint8_t { ttir, ttgir, llir, ptx, amdgcn, sass, ttadapter, bcmlir, other };

Stage stage_from_extension(std::string_view extension);  // "ttir", "ttgir"...; unknown: other
std::string_view to_string(Stage stage);

// One place in a source file. `file` and `function` index SourceMap::strings; 0 is "not known".
struct Frame {
  uint32_t file = 0;
  uint32_t line = 0;    // 0: code made by the compiler
  uint32_t column = 0;  // 0: not known
  uint32_t function = 0;
  friend bool operator==(const Frame&, const Frame&) = default;
};

// An inline chain: frames[first, first + count), innermost (where the operation was written) first,
// outermost (the kernel's own body) last. `name` indexes strings: the value's name from
// loc("x"(...)), or 0.
struct Chain {
  uint32_t first = 0;
  uint32_t count = 0;
  uint32_t name = 0;
  bool inferred = false;  // not in the text itself: taken from another stage's line
  friend bool operator==(const Chain&, const Chain&) = default;
};

struct LineRef {
  uint32_t line = 0;   // line of the stage text
  uint32_t chain = 0;  // index into SourceMap::chains
  friend bool operator==(const LineRef&, const LineRef&) = default;
};

// What became of the lines of the text. mapped + unmapped + unknown_location = code lines; the
// other lines (blank, comments, directives, location definitions) are no code.
struct Coverage {
  uint32_t mapped = 0;            // code line with at least one chain
  uint32_t unmapped = 0;          // code line without a location, or with one we do not understand
  uint32_t unknown_location = 0;  // code line whose location says "unknown", or line 0
  friend bool operator==(const Coverage&, const Coverage&) = default;
};

// SASS made by nvdisasm may name the line of the PTX text (section .nv_debug_ptx_txt) that an
// instruction was made from: exact, unlike the source line.
struct PtxLine {
  uint32_t line = 0;      // line of the SASS text
  uint32_t ptx_line = 0;  // line of the kernel's PTX text
  friend bool operator==(const PtxLine&, const PtxLine&) = default;
};

struct SourceMap {
  Stage stage = Stage::other;
  std::vector<std::string> strings = {""};  // [0] is "not known"
  std::vector<Frame> frames;
  std::vector<Chain> chains;       // distinct, in order of first use
  std::vector<LineRef> lines;      // sorted by line, then in the order found
  std::vector<PtxLine> ptx_lines;  // SASS only, sorted by line
  Coverage coverage;
  uint32_t not_understood = 0;  // locations in a form that we do not know (counted, see Diag)

  bool empty() const { return lines.empty(); }
};

// Limits of one map, so that hostile text costs time and memory linear in its size. What exceeds
// one is counted in not_understood. A chain that is too long keeps its innermost frames.
inline constexpr uint32_t kMaxFramesPerChain = 64;
inline constexpr uint32_t kMaxChainsPerLine = 64;

// The map of a text. Never fails: what it cannot read is counted in coverage and not_understood.
// Linear in the size of the text, whatever is in it. Pure; any thread.
SourceMap map_mlir(std::string_view text);  // ttir, ttgir, ttadapter, bcmlir
SourceMap map_llir(std::string_view text);  // !dbg chains with inlinedAt; function = DISubprogram
SourceMap map_ptx(std::string_view text);   // .file/.loc, "@[ ... ]" comments, inlined_at
SourceMap map_amdgcn(std::string_view text);
SourceMap map_sass(std::string_view text);  // nvdisasm, cuobjdump and control-code dialects
SourceMap map_stage(Stage stage, std::string_view text);  // one of the above; other: empty

// SASS knows only the innermost file and line. Replaces each chain of `sass` by the chains that
// `donor` (the kernel's PTX, else its LLIR) has for the same innermost file and line: all
// candidates are kept, marked inferred. Where the SASS names its PTX line and the donor is that
// PTX, only the chains of that line count, if they agree. A chain that has its callers (nvdisasm
// -gi) only takes candidates with the same callers. Chains without a candidate stay as they are.
// File names match whole, else by base name.
void infer_chains(SourceMap& sass, const SourceMap& donor);

}  // namespace ks::ir
