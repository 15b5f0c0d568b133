#include "profile/result_columns.h"

#include <fmt/format.h>

#include <charconv>

#include "profile/script_columns.h"

namespace ks::profile {
namespace {

Cell real(const std::optional<double>& value, double factor = 1) {
  return value ? Cell(*value * factor) : Cell();
}

// A division, not a product with 1e-9: its digits are those of the script.
Cell divided(const std::optional<double>& value, double by) {
  return value ? Cell(*value / by) : Cell();
}

Cell integer(const std::optional<int64_t>& value) { return value ? Cell(*value) : Cell(); }

Cell text(const std::string& value) { return value.empty() ? Cell() : Cell(value); }

Cell dims(const std::optional<std::array<int64_t, 3>>& dim) {
  return dim ? Cell(fmt::format("{}x{}x{}", (*dim)[0], (*dim)[1], (*dim)[2])) : Cell();
}

// As the script would print it, to the digit.
template <size_t Index>
Cell script_cell(const RowResult& r) {
  const std::string text = script_columns(*r.measurement)[Index];
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return text.empty() || error != std::errc() ? Cell() : Cell(value);
}

Cell reason(const RowResult& r) {
  if (!r.measurement->reason.empty()) return r.measurement->reason;
  if (r.measurement->status == Status::ok) return {};
  return std::string(status_text(r.measurement->status));
}

Cell passes(const RowResult& r) {
  return r.measurement->passes > 0 ? Cell(r.measurement->passes) : Cell();
}

Cell notes(const RowResult& r) {
  return text(fmt::format("{}", fmt::join(r.measurement->notes, "; ")));
}

Cell tflops(const RowResult& r) {
  if (!r.derived.flop || !r.derived.duration_us) return {};
  return *r.derived.flop / *r.derived.duration_us / 1e6;
}

constexpr CellType kText = CellType::text, kInteger = CellType::integer, kReal = CellType::real;

#define DERIVED(member, ...) \
  [](const RowResult& r) -> Cell { return real(r.derived.member __VA_OPT__(, ) __VA_ARGS__); }
#define LAUNCH_INTEGER(member) \
  [](const RowResult& r) -> Cell { return integer(r.measurement->launch.member); }
#define CIRCUMSTANCE(member) \
  [](const RowResult& r) -> Cell { return text(r.measurement->circumstances.member); }

const std::vector<ResultColumnSpec> kColumns = {
    // The script's four, by its names.
    {kScriptColumns[0], kReal, script_cell<0>},
    {kScriptColumns[1], kReal, script_cell<1>},
    {kScriptColumns[2], kReal, script_cell<2>},
    {kScriptColumns[3], kReal, script_cell<3>},
    // Ours.
    {"status", kText,
     [](const RowResult& r) -> Cell { return std::string(status_name(r.measurement->status)); }},
    {"reason", kText, reason},
    {"duration_us", kReal, DERIVED(duration_us)},
    {"dram_read_bytes", kReal, DERIVED(dram_read)},
    {"dram_write_bytes", kReal, DERIVED(dram_write)},
    {"dram_bytes", kReal, DERIVED(dram_bytes)},
    {"l2_bytes", kReal, DERIVED(l2_bytes)},
    {"bandwidth_gbps", kReal,
     [](const RowResult& r) -> Cell { return divided(r.derived.bandwidth, 1e9); }},
    {"bandwidth_pct_of_peak", kReal, DERIVED(bandwidth_share, 100)},
    {"needed_bytes", kReal, DERIVED(needed_bytes)},
    {"traffic_ratio", kReal, DERIVED(traffic_ratio)},
    {"recoverable_us", kReal, DERIVED(recoverable_us)},
    {"bound", kText, [](const RowResult& r) -> Cell { return text(r.derived.bound); }},
    {"flop", kReal, DERIVED(flop)},
    {"flop_source", kText, [](const RowResult& r) -> Cell { return text(r.derived.flop_source); }},
    {"tflops", kReal, tflops},
    {"flop_per_byte", kReal, DERIVED(intensity)},
    {"roofline_pct", kReal, DERIVED(roofline_share, 100)},
    {"registers", kInteger, LAUNCH_INTEGER(registers)},
    {"spills", kInteger, LAUNCH_INTEGER(spills)},
    {"local_bytes_per_thread", kInteger, LAUNCH_INTEGER(local_bytes)},
    {"static_shared_bytes", kInteger, LAUNCH_INTEGER(static_shared)},
    {"dynamic_shared_bytes", kInteger, LAUNCH_INTEGER(dynamic_shared)},
    {"grid", kText, [](const RowResult& r) -> Cell { return dims(r.measurement->launch.grid); }},
    {"block", kText, [](const RowResult& r) -> Cell { return dims(r.measurement->launch.block); }},
    {"occupancy_theoretical_pct", kReal, DERIVED(occupancy_theoretical, 100)},
    {"occupancy_achieved_pct", kReal, DERIVED(occupancy_achieved, 100)},
    {"waves", kReal, DERIVED(waves)},
    {"tensor_pct", kReal, DERIVED(tensor_share, 100)},
    {"ipc", kReal, DERIVED(ipc)},
    {"l2_hit_pct", kReal, DERIVED(l2_hit_rate, 100)},
    {"sm_clock_mhz", kReal,
     [](const RowResult& r) -> Cell { return divided(r.derived.sm_clock_hz, 1e6); }},
    {"latency_source", kText,
     [](const RowResult& r) -> Cell { return text(r.measurement->latency_source); }},
    {"source", kText, CIRCUMSTANCE(source)},
    {"config", kText, [](const RowResult& r) -> Cell { return text(r.measurement->config); }},
    {"passes", kInteger, passes},
    {"device", kText, CIRCUMSTANCE(device)},
    {"driver", kText, CIRCUMSTANCE(driver)},
    {"cuda", kText, CIRCUMSTANCE(cuda)},
    {"torch", kText, CIRCUMSTANCE(torch)},
    {"triton", kText, CIRCUMSTANCE(triton)},
    {"tool", kText, CIRCUMSTANCE(tool)},
    {"cache_control", kText, CIRCUMSTANCE(cache_control)},
    {"clock_control", kText, CIRCUMSTANCE(clock_control)},
    {"source_hash", kText, [](const RowResult& r) -> Cell { return text(r.kernel->source_hash); }},
    {"notes", kText, notes},
};

#undef DERIVED
#undef LAUNCH_INTEGER
#undef CIRCUMSTANCE

}  // namespace

const std::vector<ResultColumnSpec>& result_columns() { return kColumns; }

}  // namespace ks::profile
