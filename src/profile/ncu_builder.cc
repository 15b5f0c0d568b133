#include "profile/ncu_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "profile/ncu_names.h"
#include "profile/units.h"

namespace ks::profile {
namespace {

constexpr std::string_view kAttribute = "device__attribute_";
constexpr size_t kMissingNamed = 3;

std::optional<double> find(const NcuKernel& kernel, const char* name) {
  const auto at = kernel.metrics.find(name);
  return at == kernel.metrics.end() ? std::nullopt : std::optional(at->second);
}

// Counts come as doubles; what does not fit is no count.
std::optional<int64_t> count(const NcuKernel& kernel, const char* name) {
  const std::optional<double> value = find(kernel, name);
  if (!value || !(std::abs(*value) < 9e15)) return std::nullopt;
  return static_cast<int64_t>(*value);
}

std::optional<std::array<int64_t, 3>> dim(const NcuKernel& kernel, const std::string& prefix) {
  std::array<int64_t, 3> out{};
  for (size_t i = 0; i < 3; ++i) {
    const auto size = count(kernel, (prefix + "xyz"[i]).c_str());
    if (!size) return std::nullopt;
    out[i] = *size;
  }
  return out;
}

std::optional<int64_t> blocks_per_sm(const NcuKernel& kernel) {
  std::optional<int64_t> least;
  for (const char* limit : {"blocks", "registers", "shared_mem", "warps", "barriers"}) {
    const auto blocks = count(kernel, ("launch__occupancy_limit_" + std::string(limit)).c_str());
    if (blocks && (!least || *blocks < *least)) least = blocks;
  }
  return least;
}

// Only capabilities of one chip.
std::string_view chip_of(std::string_view capability) {
  if (capability == "7.0") return "GV100";
  if (capability == "8.0") return "GA100";
  if (capability == "9.0") return "GH100";
  if (capability == "10.0") return "GB100";
  return {};
}

void fill_launch(NcuKernel& kernel) {
  LaunchFacts& launch = kernel.launch;
  if (!launch.grid) launch.grid = dim(kernel, "launch__grid_dim_");
  if (!launch.block) launch.block = dim(kernel, "launch__block_dim_");
  launch.registers = count(kernel, "launch__registers_per_thread");
  launch.static_shared = count(kernel, "launch__shared_mem_per_block_static");
  launch.dynamic_shared = count(kernel, "launch__shared_mem_per_block_dynamic");
  launch.blocks_per_sm = blocks_per_sm(kernel);
}

}  // namespace

int capability_number(std::string_view capability) {
  const size_t dot = capability.find('.');
  int major = 0, minor = 0;
  if (dot == std::string_view::npos) return 0;
  const char* data = capability.data();
  const auto a = std::from_chars(data, data + dot, major);
  const auto b = std::from_chars(data + dot + 1, data + capability.size(), minor);
  if (a.ec != std::errc() || b.ec != std::errc()) return 0;
  return major < 0 || major > 900 || minor < 0 || minor > 9 ? 0 : major * 10 + minor;
}

std::optional<std::array<int64_t, 3>> read_dim(std::string_view text) {
  std::array<int64_t, 3> out{};
  for (int64_t& size : out) {
    const size_t digit = text.find_first_of("0123456789");
    if (digit == std::string_view::npos) return std::nullopt;
    text.remove_prefix(digit);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
  }
  return out;
}

size_t LogBuilder::add_kernel(NcuKernel kernel) {
  if (log_.kernels.size() >= kMaxKernels) {
    full_ = true;
    return kNone;
  }
  if (kernel.launch.kernel.size() > kMaxName) kernel.launch.kernel.resize(kMaxName);
  kernel.circumstances.source = "log";
  log_.kernels.push_back(std::move(kernel));
  attributes_.emplace_back();
  return log_.kernels.size() - 1;
}

void LogBuilder::cell(size_t kernel, std::string_view metric, std::string_view cell,
                      std::string_view unit) {
  if (metric.empty() || cell.empty()) return;
  if (const auto quantity = read_quantity(cell, unit))
    return number(kernel, metric, quantity->value);
  // --print-metric-instances puts the instances in brackets behind the value.
  const size_t bracket = cell.find(" (");
  if (bracket != std::string_view::npos) {
    const auto quantity = read_quantity(cell.substr(0, bracket), unit);
    if (quantity) return number(kernel, metric, quantity->value);
  }
  if (cell.find("n/a") != std::string_view::npos) return note_missing(metric);
  text(kernel, metric, cell);
}

void LogBuilder::number(size_t kernel, std::string_view metric, double value) {
  if (kernel == kNone || metric.empty() || metric.size() > kMaxName || !std::isfinite(value))
    return;
  if (metric.starts_with(kAttribute)) {
    return attribute(kernel, metric.substr(kAttribute.size()), value);
  }
  if (values_ >= kMaxValues) {
    full_ = true;
    return;
  }
  auto& metrics = log_.kernels[kernel].metrics;
  const size_t before = metrics.size();
  metrics.try_emplace(metrics.end(), std::string(metric), value);  // pages are sorted by name
  values_ += metrics.size() - before;
}

void LogBuilder::text(size_t kernel, std::string_view metric, std::string_view value) {
  if (kernel == kNone || metric != "device__attribute_display_name") return;
  log_.kernels[kernel].circumstances.device = std::string(value.substr(0, kMaxName));
}

void LogBuilder::attribute(size_t kernel, std::string_view name, double value) {
  Attributes& attributes = attributes_[kernel];
  if (name == "compute_capability_major") attributes.major = value;
  if (name == "compute_capability_minor") attributes.minor = value;
  if (name == "memory_clock_rate") attributes.memory_khz = value;
  if (name == "global_memory_bus_width") attributes.bus_bits = value;
  if (name == "multiprocessor_count" && value >= 0 && value < 1e6) {
    log_.kernels[kernel].circumstances.sm_count = static_cast<int64_t>(value);
  }
}

void LogBuilder::note_missing(std::string_view metric) {
  ++missing_count_;
  if (missing_.size() < kMissingNamed && metric.size() <= kMaxName &&
      std::ranges::find(missing_, metric) == missing_.end()) {
    missing_.emplace_back(metric);
  }
}

void LogBuilder::finish_kernel(NcuKernel& kernel, const Attributes& attributes) const {
  fill_launch(kernel);
  Circumstances& c = kernel.circumstances;
  if (!c.sm_count) c.sm_count = count(kernel, "launch__sm_count");
  if (attributes.major && attributes.minor) {
    c.capability = fmt::format("{:.0f}.{:.0f}", *attributes.major, *attributes.minor);
  }
  c.chip = chip_of(c.capability);
  const auto per_cycle = find(kernel, "dram__bytes.sum.peak_sustained");
  const auto cycles = find(kernel, "dram__cycles_elapsed.avg.per_second");
  if (per_cycle && cycles && *per_cycle * *cycles > 0) {
    c.peak_dram_bytes_per_second = *per_cycle * *cycles;
  } else if (attributes.memory_khz && attributes.bus_bits) {
    // Two transfers a cycle, as for every DDR memory.
    const double peak = *attributes.memory_khz * 1000 * 2 * *attributes.bus_bits / 8;
    if (peak > 0) c.peak_dram_bytes_per_second = peak;
  }
  if (console_.unmodified_clocks()) c.clock_control = "none";
  if (const auto passes = count(kernel, "profiler__replayer_passes")) kernel.passes = *passes;
}

// Progress lines stand in the order of the launches; names may be cut.
void LogBuilder::finish_passes() {
  const auto& lines = console_.profiled();
  size_t line = 0;
  for (NcuKernel& kernel : log_.kernels) {
    const std::string_view name = kernel.launch.kernel;
    while (line < lines.size() && !same_kernel(bare_kernel_name(name), lines[line].name)) ++line;
    if (line == lines.size()) return;
    if (kernel.passes == 0) kernel.passes = lines[line].passes;
    ++line;
  }
}

NcuLog LogBuilder::finish(std::string form) {
  log_.form = std::move(form);
  for (size_t i = 0; i < log_.kernels.size(); ++i) finish_kernel(log_.kernels[i], attributes_[i]);
  finish_passes();
  console_.move_into(log_);
  if (full_) note("the log is larger than our limits: its later values were left out");
  if (missing_count_ > 0) {
    note(fmt::format("{} values could not be collected (n/a): {}{}", missing_count_,
                     fmt::join(missing_, ", "), missing_count_ > missing_.size() ? ", ..." : ""));
  }
  return std::move(log_);
}

}  // namespace ks::profile
