#include "profile/ncu_names.h"

#include <string>

#include "base/text.h"

namespace ks::profile {
namespace {

// Argument numbers in order from 0, at least two, each with letters behind it: d divisible by 16, e
// by 8, c constant.
bool is_signature(std::string_view text) {
  int next = 0;
  while (!text.empty()) {
    const std::string number = std::to_string(next);
    if (!text.starts_with(number)) return false;
    text.remove_prefix(number.size());
    while (!text.empty() && (text[0] == 'd' || text[0] == 'c' || text[0] == 'e')) {
      text.remove_prefix(1);
    }
    ++next;
  }
  return next > 1;
}

}  // namespace

std::string_view bare_kernel_name(std::string_view reported) {
  reported = trim(reported);
  const size_t end = reported.find_first_of("<([", 1);
  if (end != std::string_view::npos) reported = trim(reported.substr(0, end));
  const size_t begin = reported.find_last_of(" :*&");
  return begin == std::string_view::npos ? reported : reported.substr(begin + 1);
}

std::string_view without_signature(std::string_view name) {
  const size_t at = name.rfind("_0");
  return at != std::string_view::npos && is_signature(name.substr(at + 1)) ? name.substr(0, at)
                                                                           : name;
}

bool same_kernel(std::string_view wanted, std::string_view reported) {
  if (wanted.empty() || reported.empty()) return false;
  if (wanted == reported) return true;
  if (reported.ends_with("...")) {
    const std::string_view start = reported.substr(0, reported.size() - 3);
    return !start.empty() && wanted.starts_with(start);
  }
  const std::string_view bare = bare_kernel_name(reported);
  return wanted == bare || wanted == without_signature(bare);
}

}  // namespace ks::profile
