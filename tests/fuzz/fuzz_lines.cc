// Any bytes through decompression and the line reader. The first byte picks the sizes of chunk and
// block. Of plain text the lines must be those of a naive split.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.h"
#include "io/lines.h"

namespace {

using namespace ks;

class ChunkSource : public io::Source {
 public:
  ChunkSource(std::string_view bytes, size_t chunk) : bytes_(bytes), chunk_(chunk) {}
  Result<size_t> read(std::span<char> out) override {
    const size_t n = bytes_.copy(out.data(), std::min(out.size(), chunk_));
    bytes_.remove_prefix(n);
    return n;
  }

 private:
  std::string_view bytes_;
  size_t chunk_;
};

constexpr io::Limits kLimits{.max_line = 1000, .max_member = 1U << 20, .max_expansion = 1000};

bool is_plain(std::string_view bytes) {
  return !bytes.starts_with("\x1f\x8b") && !bytes.starts_with("\x28\xb5\x2f\xfd") &&
         !(bytes.size() >= 4 && bytes.substr(1, 3) == "\x2a\x4d\x18");
}

std::string naive_lines(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::string joined;
  for (const std::string_view line : split(text, '\n')) {
    const bool blank = line.find_first_not_of(" \t\r") == std::string_view::npos;
    if (!blank && line.size() <= kLimits.max_line) joined.append(line).append("\n");
  }
  return joined;
}

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t chunk = data[0] % 16 + 1;
  const size_t block_size = size_t{4} << (data[0] / 16);
  Diagnostics diagnostics;
  auto source = io::decoded(std::make_unique<ChunkSource>(bytes, chunk), kLimits, "f", diagnostics);
  io::BlockReader reader(std::move(source), "f", kLimits, block_size);
  io::Block block;
  std::string joined;
  uint64_t last_number = 0;
  while (true) {
    const Result<bool> more = reader.next(block);
    require(more.has_value());
    if (!*more) break;
    require(block.data.size() >= block.size() + io::Block::kPadding);
    for (const io::Line& line : block.lines) {
      require(line.offset + line.size <= block.size());
      require(line.number > last_number);
      last_number = line.number;
      joined.append(block.view(line)).append("\n");
    }
  }
  if (is_plain(bytes)) require(joined == naive_lines(bytes));
  return 0;
}
