#include "base/diagnostics.h"

namespace ks {

namespace {
constexpr std::array<DiagInfo, kDiagCount> kInfo = {{
#define X(name, severity, text) {#name, Severity::severity, text},
    KS_DIAGNOSTICS(X)
#undef X
}};
}  // namespace

const DiagInfo& info(Diag diag) { return kInfo[static_cast<size_t>(diag)]; }

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::data_loss:
      return "data_loss";
    case Severity::error:
      break;
  }
  return "error";
}

void Diagnostics::add(Diag diag, std::string_view where, uint64_t count) {
  Entry& entry = entries_[static_cast<size_t>(diag)];
  entry.count += count;
  if (!where.empty() && entry.samples.size() < kSamples) entry.samples.emplace_back(where);
}

void Diagnostics::merge(const Diagnostics& later) {
  for (size_t i = 0; i < kDiagCount; ++i) {
    entries_[i].count += later.entries_[i].count;
    for (const std::string& sample : later.entries_[i].samples) {
      if (entries_[i].samples.size() < kSamples) entries_[i].samples.push_back(sample);
    }
  }
}

uint64_t Diagnostics::count(Severity severity) const {
  uint64_t total = 0;
  for (size_t i = 0; i < kDiagCount; ++i) {
    if (kInfo[i].severity == severity) total += entries_[i].count;
  }
  return total;
}

bool Diagnostics::lossless() const {
  return count(Severity::data_loss) == 0 && count(Severity::error) == 0;
}

}  // namespace ks
