#pragma once
// Where bytes come from: files, standard input, memory, and a layer that undoes compression.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/diagnostics.h"
#include "base/result.h"

namespace ks::io {

// One pass over some bytes. Used by one thread at a time.
class Source {
 public:
  virtual ~Source() = default;
  // Writes 1 to out.size() bytes and returns how many, or 0 at the end, also when asked again.
  // `out` must not be empty. A call may return fewer bytes than there are.
  virtual Result<size_t> read(std::span<char> out) = 0;
};

// Traces are untrusted; these bound the memory and time that one file can cost.
struct Limits {
  uint64_t max_line = 256U << 20;  // bytes of one line, without its end
  // Decoded bytes of one gzip member or zstd frame. A file that was compressed as a whole is one.
  uint64_t max_member = 1U << 30;
  uint64_t max_expansion = 1000;  // decoded bytes for each byte of the file
  unsigned max_depth = 1000;      // nesting of JSON; for the decoder of lines
};

// Regular files and FIFOs; anything else (folders, devices, sockets) is refused.
Result<std::unique_ptr<Source>> open_file(const std::filesystem::path& path);
std::unique_ptr<Source> open_stdin();
std::unique_ptr<Source> from_memory(std::string bytes);

// Undoes gzip (one stream or many members) and zstd (one stream or many frames, also skippable
// ones), recognised by content; other bytes pass as they are. Done twice, so that a downloaded
// .gz of a file of members works.
//
// Damage never fails: all that was decoded before it comes out, the loss is counted in
// `diagnostics` as "name: byte N" (N in the compressed bytes), and reading goes on at the next
// member that decodes whole, after an inserted '\n', or ends. Only errors of `source` itself are
// returned. `diagnostics` must outlive the result.
std::unique_ptr<Source> decoded(std::unique_ptr<Source> source, const Limits& limits,
                                std::string name, Diagnostics& diagnostics);

}  // namespace ks::io
