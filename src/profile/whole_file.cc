#include "profile/whole_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace ks::profile {

Result<WholeFile> read_whole(std::unique_ptr<io::Source> source, std::string_view name) {
  Diagnostics diagnostics;
  const auto decoded = io::decoded(std::move(source), io::Limits{}, std::string(name), diagnostics);
  WholeFile file;
  size_t used = 0;
  while (true) {
    if (used == file.bytes.size()) file.bytes.resize(std::max<size_t>(64U << 10, 2 * used));
    const Result<size_t> n = decoded->read(std::span(file.bytes).subspan(used));
    if (!n) return with_context(n.error(), name);
    if (*n == 0) break;
    used += *n;
    if (used > kMaxLogBytes) {
      return fail(ErrorKind::limit, fmt::format("{}: larger than 1 GiB", name));
    }
  }
  file.bytes.resize(used);
  file.damaged = !diagnostics.lossless();
  return file;
}

bool is_compressed(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b") || bytes.starts_with("\x28\xb5\x2f\xfd");
}

}  // namespace ks::profile
