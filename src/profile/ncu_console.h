#pragma once
// The lines around a report: the tool's messages and progress, and what the application printed,
// often on one line.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/ncu_log.h"

namespace ks::profile {

// Milliseconds of each harness line in `line`: "0.027ms    0.004GB    147.69GB/s", also in the
// form of a compiled module's -k ("0.027ms    \t0.004 GB \t  147.69GB/s   16 regs"), wherever it
// stands. inf and nan are read.
std::vector<double> harness_times(std::string_view line);

std::string without_colours(std::string_view line);  // without ANSI escape sequences

class Console {
 public:
  struct Profiled {
    std::string name;    // perhaps cut, then it ends in "..."
    int64_t passes = 0;  // 0: not said
  };

  void add(std::string_view line);
  bool unmodified_clocks() const { return unmodified_clocks_; }
  bool spoke() const { return spoke_; }  // a line of ncu's was among them
  const std::vector<Profiled>& profiled() const { return profiled_; }
  void move_into(NcuLog& log);  // failure, harness_ms, notes

 private:
  void add_clean(std::string_view line);
  void add_profiled(std::string_view line);
  void add_failure(std::string_view line);

  std::vector<Profiled> profiled_;
  std::vector<double> harness_ms_;
  std::vector<std::string> notes_;
  std::string failure_text_, exception_;
  std::optional<Status> failure_;
  int weight_ = 0;
  bool unmodified_clocks_ = false;
  bool saved_memory_ = false;
  bool spoke_ = false;
};

}  // namespace ks::profile
