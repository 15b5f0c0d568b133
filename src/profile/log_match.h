#pragma once
// Which log, and which launch in it, is a row's (docs/profile.md, "Which log, which launch").

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/log_source.h"
#include "profile/ncu_log.h"

namespace ks::profile {

// The file's name up to its first dot.
std::string file_stem(std::string_view path);

// The names that Inductor gives its files: 'c' and the hash of the source.
bool is_inductor_stem(std::string_view stem);

class LogMatcher {
 public:
  explicit LogMatcher(const std::vector<LogRow>& rows);  // which outlive it
  explicit LogMatcher(std::vector<LogRow>&&) = delete;

  bool knows_stem(const std::string& stem) const { return by_stem_.contains(stem); }
  // Offers the log to every row that it may belong to; the best offer of all logs is kept.
  void offer(const std::string& stem, const NcuLog& log);
  std::vector<Measurement> finish();

 private:
  struct Offer {
    int rank = 0;  // 0: none
    Measurement measurement;
  };
  using Launches = std::vector<const NcuKernel*>;

  void offer_by_stem(size_t row, const NcuLog& log);
  void offer_by_name(const std::string& stem, const NcuLog& log);
  void offer_name(const std::vector<size_t>& rows, const Launches& launches, const NcuLog& log);
  void keep(size_t row, int rank, Measurement measurement);

  const std::vector<LogRow>& rows_;
  std::vector<std::string> stems_;
  std::map<std::string, std::vector<size_t>, std::less<>> by_stem_, by_name_;
  std::vector<Offer> best_;
};

}  // namespace ks::profile
