#include "profile/metric_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"

namespace ks::profile {
namespace {

using Names = std::span<const std::string_view>;

// One pass together on GA100, AD102, GH100, GB100 and GB202 (two on TU102).
constexpr std::string_view kBasic[] = {
    "gpu__time_duration.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "dram__bytes.sum.peak_sustained",
    "dram__cycles_elapsed.avg.per_second",
    "sm__cycles_elapsed.max",
    "sm__cycles_active.avg",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "sm__inst_executed.avg.per_cycle_active",
    "smsp__inst_executed.sum",
    "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "lts__t_bytes.sum",
    "lts__t_sectors.sum",
    "lts__t_sectors_op_read.sum",
    "lts__t_sectors_op_write.sum",
    "l1tex__t_sector_hit_rate.pct",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
    "gpc__cycles_elapsed.max",
};

constexpr std::string_view kFlops[] = {
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_hadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum",
};

// From Ampere on: what the tensor cores did, already in operations.
constexpr std::string_view kTensorOps[] = {
    "sm__ops_path_tensor_src_bf16_dst_fp32.sum",
    "sm__ops_path_tensor_src_tf32_dst_fp32.sum",
};
constexpr std::string_view kTensorHalf[] = {
    "sm__ops_path_tensor_src_fp16_dst_fp16.sum",
    "sm__ops_path_tensor_src_fp16_dst_fp32.sum",
};
constexpr std::string_view kTensorHalfHopper[] = {"sm__ops_path_tensor_src_fp16.sum"};

constexpr std::string_view kSol[] = {
    "lts__t_sector_hit_rate.pct",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
};

bool one_of(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// Blackwell workstation chips count DRAM bytes by operation.
bool renamed_dram(std::string_view chip) { return chip.starts_with("GB20") && chip != "GB20B"; }

// Orin, Thor, Spark: memory of the host, no DRAM counters.
bool without_dram(std::string_view chip) { return one_of(chip, {"GA10B", "GB10B", "GB20B"}); }

// GH100 is also what an unknown chip is taken for.
bool is_hopper(std::string_view chip) { return chip.empty() || chip.starts_with("GH"); }

bool has_tensor_ops(std::string_view chip) {
  return !chip.starts_with("GV") && !chip.starts_with("TU");
}

void add(MetricSet& set, std::string_view name, std::string_view chip) {
  if (without_dram(chip) && name.starts_with("dram__")) return;
  if (renamed_dram(chip) && name == "dram__bytes_read.sum") name = "dram__bytes_op_read.sum";
  if (renamed_dram(chip) && name == "dram__bytes_write.sum") name = "dram__bytes_op_write.sum";
  if (std::find(set.metrics.begin(), set.metrics.end(), name) == set.metrics.end()) {
    set.metrics.emplace_back(name);
  }
}

void add_all(MetricSet& set, Names names, std::string_view chip) {
  for (const std::string_view name : names) add(set, name, chip);
}

// Names go to a worker and, with ncu, into its command line.
bool is_metric_name(std::string_view name) {
  return name.size() <= 200 && name.find("__") != name.npos &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '.';
         });
}

Result<MetricSet> custom_set(std::string_view text) {
  constexpr size_t kMost = 1000;
  MetricSet set{"custom", {}};
  for (const std::string_view part : split(text, ',')) {
    const std::string_view name = trim(part);
    if (name.empty()) continue;
    if (!is_metric_name(name)) {
      return fail(ErrorKind::input,
                  fmt::format("--metrics: {} is neither basic, flops or sol nor a name of a metric "
                              "such as dram__bytes.sum",
                              name));
    }
    add(set, name, {});
  }
  if (set.metrics.empty()) return fail(ErrorKind::input, "--metrics: the list is empty");
  if (set.metrics.size() > kMost) {
    return fail(ErrorKind::limit, fmt::format("--metrics: over {} names", kMost));
  }
  return set;
}

}  // namespace

Result<MetricSet> metric_set(std::string_view text, std::string_view chip) {
  if (!one_of(text, {"basic", "flops", "sol"})) return custom_set(text);
  MetricSet set{std::string(text), {}};
  add_all(set, kBasic, chip);
  if (text == "flops") {
    add_all(set, kFlops, chip);
    if (has_tensor_ops(chip)) {
      add_all(set, kTensorOps, chip);
      add_all(set, is_hopper(chip) ? Names(kTensorHalfHopper) : Names(kTensorHalf), chip);
    }
  }
  if (text == "sol") add_all(set, kSol, chip);
  return set;
}

std::string metric_set_key(const MetricSet& set) {
  std::vector<std::string> names = set.metrics;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace ks::profile
