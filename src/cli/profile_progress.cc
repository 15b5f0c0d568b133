#include "cli/profile_progress.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"

namespace ks::cli {
namespace {

constexpr size_t kBar = 20;

std::string bar(size_t done, size_t total) {
  const size_t full = total ? done * kBar / total : kBar;
  return "[" + std::string(full, '#') + std::string(kBar - full, '.') + "]";
}

}  // namespace

std::string human_duration(double seconds) {
  const auto whole = static_cast<int64_t>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string ProfileProgress::line(double seconds) const {
  const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
  const double left = rate > 0 ? static_cast<double>(total_ - done_) / rate : 0;
  return fmt::format("{} of {} kernels, {:.1f}/s, {} cached, {} failed, {} left",
                     human_count(done_), human_count(total_), rate, human_count(cached_),
                     human_count(failed_), human_duration(left));
}

void ProfileProgress::done(const profile::Measurement& measurement) {
  ++done_;
  failed_ += measurement.status != profile::Status::ok;
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - start_).count();
  if (terminal_.err_is_terminal()) {
    if (now - shown_ < std::chrono::milliseconds(100) && done_ < total_) return;
    shown_ = now;
    terminal_.say_progress(bar(done_, total_) + ' ' + line(seconds));
  } else if (const size_t tenths = done_ * 10 / total_; tenths > tenths_) {
    tenths_ = tenths;
    terminal_.say(line(seconds) + '\n');
  }
}

}  // namespace ks::cli
