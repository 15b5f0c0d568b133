#include "cli/progress.h"

#include <fmt/format.h>

#include "base/text.h"

namespace ks::cli {

Result<> Progress::begin_block(const run::Run& run, run::Id, const trace::DecodedBlock& block,
                               run::Prepared*) {
  bytes_ += block.block.size();
  const Clock::time_point now = Clock::now();
  if (now - shown_ < std::chrono::milliseconds(100)) return {};
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const auto rate = static_cast<uint64_t>(static_cast<double>(bytes_) / seconds);
  terminal_.say_progress(fmt::format("{} read, {}/s, {} kernels, {} launches", human_bytes(bytes_),
                                     human_bytes(rate), human_count(run.kernels.size()),
                                     human_count(run.launches)));
  return {};
}

}  // namespace ks::cli
