// Any bytes as a log of ncu's, in whatever form they look like, and its kernels offered to a row.
// Whatever the bytes: values are finite and named, lists within their limits.

#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "profile/log_match.h"
#include "profile/ncu_builder.h"
#include "profile/ncu_log.h"
#include "profile/ncu_rep.h"
#include "profile/script_columns.h"

namespace {

using namespace ks::profile;

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const NcuLog& log) {
  require(log.kernels.size() <= LogBuilder::kMaxKernels);
  require(log.failure.has_value() == !log.failure_text.empty());
  for (const NcuKernel& kernel : log.kernels) {
    require(kernel.launch.kernel.size() <= LogBuilder::kMaxName);
    for (const auto& [name, value] : kernel.metrics) {
      require(!name.empty() && name.size() <= LogBuilder::kMaxName && std::isfinite(value));
    }
  }
  static const std::vector<LogRow> kRows = {{"triton_a", "x/a.py"}};
  LogMatcher matcher(kRows);
  matcher.offer("a", log);
  matcher.offer("b", log);
  const Measurement m = matcher.finish().at(0);
  require((m.status == Status::ok) == !m.metrics.empty());
  script_columns(m);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto log = read_ncu_log(bytes)) check(*log);
  check(read_ncu_rep(bytes));
  return 0;
}
