#pragma once
// Bytes to blocks of whole lines: the unit of work that is handed to threads.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "io/source.h"

namespace ks::io {

struct Line {
  size_t offset;    // in Block::data
  size_t size;      // without '\n'; a '\r' before it is kept (JSON ignores it)
  uint64_t number;  // in the file, from 1; blank lines count
};

struct Block {
  static constexpr size_t kPadding = 64;  // readable bytes behind the text, as simdjson needs

  std::string data;  // the text, then at least kPadding bytes of anything
  size_t text_size = 0;
  std::vector<Line> lines;              // without blank lines and those over the limit
  uint64_t first_line = 1;              // number of the line at the start of the text
  uint64_t first_offset = 0;            // of the text, in the decoded bytes of the file
  bool last_line_unterminated = false;  // the file ends without '\n': perhaps cut, perhaps growing
  Diagnostics diagnostics;

  const char* text() const { return data.data(); }
  size_t size() const { return text_size; }
  std::string_view view(const Line& line) const { return {data.data() + line.offset, line.size}; }
};

// Splits at '\n' only. The blocks depend on the bytes alone, not on how the source cuts them.
// Memory: one block of target_block bytes and the unfinished line behind it; a longer line grows
// the block for that line only, up to max_line.
class BlockReader {
 public:
  BlockReader(std::unique_ptr<Source> source, std::string name, const Limits& limits,
              size_t target_block = 1U << 20);

  // Fills `out`, reusing its memory; false at the end. A block may have diagnostics and no lines.
  // When the source fails, the lines before come first and the error with the next call.
  Result<bool> next(Block& out);

 private:
  void start(Block& out);
  void fill(Block& out);
  size_t complete_text(Block& out);
  void grow(Block& out) const;
  void skip_line(Block& out);
  void split(Block& out);
  void add_line(Block& out, size_t begin, size_t end);
  void refuse_line(Block& out) const;

  std::unique_ptr<Source> source_;
  std::string name_;
  uint64_t max_line_;
  size_t target_;
  std::string carry_;    // the unfinished line behind the last block
  uint64_t offset_ = 0;  // of carry_, in the decoded bytes
  uint64_t line_ = 1;    // number of the line that carry_ starts
  bool ended_ = false;
  std::optional<Error> error_;
};

}  // namespace ks::io
