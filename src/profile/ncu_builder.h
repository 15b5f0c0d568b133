#pragma once
// What the readers of all forms share: values go in by name, cell and unit; limits are kept here.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/ncu_console.h"
#include "profile/ncu_log.h"

namespace ks::profile {

class LogBuilder {
 public:
  // A log is untrusted, and each of these costs more memory than it takes bytes in a file.
  static constexpr size_t kMaxKernels = 200'000;
  static constexpr size_t kMaxValues = 4'000'000;  // 2,000 launches of the full set
  static constexpr size_t kMaxName = 512;          // bytes of a metric's or kernel's name
  static constexpr size_t kNone = static_cast<size_t>(-1);

  Console& console() { return console_; }
  void note(std::string text) { log_.notes.push_back(std::move(text)); }

  // The new kernel's number, or kNone at the limit: values of kNone go nowhere.
  size_t add_kernel(NcuKernel kernel);
  NcuKernel* kernel(size_t index) { return index == kNone ? nullptr : &log_.kernels[index]; }

  // A printed value. "n/a" is counted, text is left out but for the device's name.
  void cell(size_t kernel, std::string_view metric, std::string_view cell, std::string_view unit);
  void number(size_t kernel, std::string_view metric, double value);
  void text(size_t kernel, std::string_view metric, std::string_view value);

  NcuLog finish(std::string form);

 private:
  // Of the device, kept aside: they are circumstances and no measurement.
  struct Attributes {
    std::optional<double> major, minor, memory_khz, bus_bits;
  };

  void attribute(size_t kernel, std::string_view name, double value);
  void note_missing(std::string_view metric);
  void finish_kernel(NcuKernel& kernel, const Attributes& attributes) const;
  void finish_passes();

  NcuLog log_;
  Console console_;
  std::vector<Attributes> attributes_;
  std::vector<std::string> missing_;  // the first few
  size_t missing_count_ = 0, values_ = 0;
  bool full_ = false;
};

// 90 for "9.0"; 0: not a capability.
int capability_number(std::string_view capability);

// Three numbers anywhere in the text: "(256, 1, 1)".
std::optional<std::array<int64_t, 3>> read_dim(std::string_view text);

}  // namespace ks::profile
