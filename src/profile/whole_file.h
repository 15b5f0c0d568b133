#pragma once
// Small files read whole, whatever compression they come in.

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/source.h"

namespace ks::profile {

inline constexpr uint64_t kMaxLogBytes = 1ULL << 30;  // decoded

struct WholeFile {
  std::string bytes;
  bool damaged = false;  // a part could not be decoded
};

// gzip and zstd are told by content and undone. More than kMaxLogBytes is an error.
Result<WholeFile> read_whole(std::unique_ptr<io::Source> source, std::string_view name);

bool is_compressed(std::string_view bytes);

}  // namespace ks::profile
