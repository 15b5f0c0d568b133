#include "profile/ncu_labels.h"

#include <algorithm>

namespace ks::profile {
namespace {

struct Label {
  std::string_view section, label, metric;
  int from = 0, to = 9999;  // capabilities, both included
};

constexpr std::string_view kSpeedOfLight = "GPU Speed Of Light Throughput";
constexpr std::string_view kDistribution = "GPU and Memory Workload Distribution";

// clang-format off
constexpr Label kLabels[] = {
    {kSpeedOfLight, "Compute (SM) Throughput", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {kSpeedOfLight, "Duration", "gpu__time_duration.sum"},
    {kSpeedOfLight, "Memory Throughput",
     "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {kSpeedOfLight, "Elapsed Cycles", "gpc__cycles_elapsed.max"},
    {kSpeedOfLight, "L1/TEX Cache Throughput",
     "l1tex__throughput.avg.pct_of_peak_sustained_active"},
    {kSpeedOfLight, "SM Active Cycles", "sm__cycles_active.avg"},
    {kSpeedOfLight, "L2 Cache Throughput", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    {kSpeedOfLight, "SM Frequency", "gpc__cycles_elapsed.avg.per_second"},
    {kSpeedOfLight, "DRAM Throughput", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {kSpeedOfLight, "DRAM Frequency", "dram__cycles_elapsed.avg.per_second"},
    {kSpeedOfLight, "Memory [%]",
     "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {kSpeedOfLight, "SOL Memory",
     "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {kSpeedOfLight, "SM [%]", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {kSpeedOfLight, "Compute (SM) [%]", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {kSpeedOfLight, "SOL SM", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {kSpeedOfLight, "SOL DRAM", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {kSpeedOfLight, "SOL FB", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {kSpeedOfLight, "SOL L1/TEX Cache", "l1tex__throughput.avg.pct_of_peak_sustained_active"},
    {kSpeedOfLight, "SOL L2 Cache", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    {kSpeedOfLight, "Memory Frequency", "dram__cycles_elapsed.avg.per_second"},
    {"Compute Workload Analysis", "Executed Ipc Elapsed",
     "sm__inst_executed.avg.per_cycle_elapsed"},
    {"Compute Workload Analysis", "SM Busy",
     "sm__instruction_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Compute Workload Analysis", "Executed Ipc Active", "sm__inst_executed.avg.per_cycle_active"},
    {"Compute Workload Analysis", "Issue Slots Busy",
     "sm__inst_issued.avg.pct_of_peak_sustained_elapsed"},
    {"Compute Workload Analysis", "Issued Ipc Active", "sm__inst_issued.avg.per_cycle_active"},
    {"Memory Workload Analysis", "Memory Throughput", "dram__bytes.sum.per_second"},
    {"Memory Workload Analysis", "Mem Busy",
     "gpu__compute_memory_access_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Memory Workload Analysis", "Max Bandwidth",
     "gpu__compute_memory_request_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Memory Workload Analysis", "Mem Pipes Busy",
     "sm__memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Memory Workload Analysis", "L1/TEX Hit Rate", "l1tex__t_sector_hit_rate.pct"},
    {"Memory Workload Analysis", "L1 Hit Rate", "l1tex__t_sector_hit_rate.pct"},
    {"Memory Workload Analysis", "L2 Hit Rate", "lts__t_sector_hit_rate.pct"},
    {"Memory Workload Analysis", "L2 Persisting Size", "launch__persisting_l2_cache_size"},
    {"Memory Workload Analysis", "Local Memory Spilling Requests",
     "derived__local_spilling_requests"},
    {"Memory Workload Analysis", "Local Memory Spilling Request Overhead",
     "derived__local_spilling_requests_pct"},
    {"Memory Workload Analysis", "L2 Compression Input Sectors",
     "lrc__ilc_input_sectors.sum", 90, 103},
    {"Memory Workload Analysis", "L2 Compression Ratio",
     "lrc__average_ilc_output_sector_compression_achieved_rate.pct", 90, 103},
    {"Memory Workload Analysis", "L2 Compression Success Rate",
     "lrc__average_ilc_input_sector_success_rate.pct", 90, 103},
    {"Memory Workload Analysis", "L2 Compression Input Sectors", "lts__gcomp_input_sectors.sum"},
    {"Memory Workload Analysis", "L2 Compression Ratio",
     "lts__average_gcomp_output_sector_compression_achieved_rate.ratio"},
    {"Memory Workload Analysis", "L2 Compression Success Rate",
     "lts__average_gcomp_input_sector_success_rate.pct"},
    {"PM Sampling", "Maximum Sampling Interval", "profiler__pmsampler_interval_cycles", 75, 80},
    {"PM Sampling", "Maximum Sampling Interval", "profiler__pmsampler_interval_time", 86, 999},
    {"PM Sampling", "# Pass Groups", "profiler__pmsampler_pass_groups"},
    {"PM Sampling", "Maximum Buffer Size", "profiler__pmsampler_buffer_size_bytes"},
    {"Scheduler Statistics", "One or More Eligible",
     "smsp__issue_active.avg.pct_of_peak_sustained_active"},
    {"Scheduler Statistics", "Issued Warp Per Scheduler",
     "smsp__issue_active.avg.per_cycle_active"},
    {"Scheduler Statistics", "No Eligible", "smsp__issue_inst0.avg.pct_of_peak_sustained_active"},
    {"Scheduler Statistics", "Active Warps Per Scheduler",
     "smsp__warps_active.avg.per_cycle_active"},
    {"Scheduler Statistics", "Eligible Warps Per Scheduler",
     "smsp__warps_eligible.avg.per_cycle_active"},
    {"Warp State Statistics", "Warp Cycles Per Issued Instruction",
     "smsp__average_warp_latency_per_inst_issued.ratio"},
    {"Warp State Statistics", "Warp Cycles Per Executed Instruction",
     "smsp__average_warps_active_per_inst_executed.ratio"},
    {"Warp State Statistics", "Avg. Active Threads Per Warp",
     "smsp__thread_inst_executed_per_inst_executed.ratio"},
    {"Warp State Statistics", "Avg. Not Predicated Off Threads Per Warp",
     "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"},
    {"Instruction Statistics", "Executed Instructions", "smsp__inst_executed.sum"},
    {"Instruction Statistics", "Avg. Executed Instructions Per Scheduler",
     "smsp__inst_executed.avg"},
    {"Instruction Statistics", "Issued Instructions", "smsp__inst_issued.sum"},
    {"Instruction Statistics", "Avg. Issued Instructions Per Scheduler", "smsp__inst_issued.avg"},
    {"Launch Statistics", "Grid Size", "launch__grid_size"},
    {"Launch Statistics", "Block Size", "launch__block_size"},
    {"Launch Statistics", "Cluster Size", "launch__cluster_size"},
    {"Launch Statistics", "Preferred Cluster Size", "launch__preferred_cluster_size"},
    {"Launch Statistics", "Registers Per Thread", "launch__registers_per_thread"},
    {"Launch Statistics", "Static Shared Memory Per Block", "launch__shared_mem_per_block_static"},
    {"Launch Statistics", "Dynamic Shared Memory Per Block",
     "launch__shared_mem_per_block_dynamic"},
    {"Launch Statistics", "Driver Shared Memory Per Block", "launch__shared_mem_per_block_driver"},
    {"Launch Statistics", "Shared Memory Configuration Size", "launch__shared_mem_config_size"},
    {"Launch Statistics", "Threads", "launch__thread_count"},
    {"Launch Statistics", "Waves Per SM", "launch__waves_per_multiprocessor"},
    {"Launch Statistics", "Uses Green Context", "launch__uses_green_context"},
    {"Launch Statistics", "Stack Size", "launch__stack_size"},
    {"Launch Statistics", "# SMs", "launch__sm_count"},
    {"Launch Statistics", "# TPCs", "launch__tpc_count"},
    {"Occupancy", "Theoretical Occupancy", "sm__maximum_warps_per_active_cycle_pct"},
    {"Occupancy", "Theoretical Active Warps per SM", "sm__maximum_warps_avg_per_active_cycle"},
    {"Occupancy", "Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"Occupancy", "Achieved Active Warps Per SM", "sm__warps_active.avg.per_cycle_active"},
    {"Occupancy", "Block Limit SM", "launch__occupancy_limit_blocks"},
    {"Occupancy", "Block Limit Registers", "launch__occupancy_limit_registers"},
    {"Occupancy", "Block Limit Shared Mem", "launch__occupancy_limit_shared_mem"},
    {"Occupancy", "Block Limit Warps", "launch__occupancy_limit_warps"},
    {"Occupancy", "Block Limit Barriers", "launch__occupancy_limit_barriers"},
    {"Occupancy", "Cluster Occupancy", "launch__occupancy_cluster_pct"},
    {"Occupancy", "Overall GPU Occupancy", "launch__occupancy_cluster_gpu_pct"},
    {"Occupancy", "Max Active Clusters", "launch__cluster_max_active"},
    {"Occupancy", "Max Cluster Size", "launch__cluster_max_potential_size"},
    {kDistribution, "Average SM Active Cycles", "sm__cycles_active.avg"},
    {kDistribution, "Average L1 Active Cycles", "l1tex__cycles_active.avg"},
    {kDistribution, "Average L2 Active Cycles", "lts__cycles_active.avg"},
    {kDistribution, "Average SMSP Active Cycles", "smsp__cycles_active.avg"},
    {kDistribution, "Average DRAM Active Cycles", "dram__cycles_active.avg"},
    {kDistribution, "Average MC Channel Active Cycles", "mcc__cycles_active.avg"},
    {kDistribution, "Total SM Elapsed Cycles", "sm__cycles_elapsed.sum"},
    {kDistribution, "Total L1 Elapsed Cycles", "l1tex__cycles_elapsed.sum"},
    {kDistribution, "Total L2 Elapsed Cycles", "lts__cycles_elapsed.sum"},
    {kDistribution, "Total SMSP Elapsed Cycles", "smsp__cycles_elapsed.sum"},
    {kDistribution, "Total DRAM Elapsed Cycles", "dram__cycles_elapsed.sum"},
    {kDistribution, "Total MC Channel Elapsed Cycles", "mcc__cycles_elapsed.sum"},
    {"Source Counters", "Branch Instructions Ratio", "derived__smsp__inst_executed_op_branch_pct"},
    {"Source Counters", "Branch Instructions", "smsp__inst_executed_op_branch.sum"},
    {"Source Counters", "Branch Efficiency",
     "smsp__sass_average_branch_targets_threads_uniform.pct"},
    {"Source Counters", "Avg. Divergent Branches",
     "smsp__sass_branch_targets_threads_divergent.avg"},
};
// clang-format on

// Sections were renamed, their rows were not.
std::string_view current_section(std::string_view section) {
  if (section == "GPU Speed Of Light") return kSpeedOfLight;
  if (section == "Workload Distribution") return kDistribution;
  return section;
}

// Metrics have "__" after their unit, as in gpu__time_duration.sum; no label has.
bool is_metric_name(std::string_view text) {
  return text.find("__") != std::string_view::npos && text.find(' ') == std::string_view::npos;
}

std::string_view name_in_brackets(std::string_view label) {
  const size_t open = label.rfind('(');
  if (open == std::string_view::npos || !label.ends_with(')')) return {};
  return label.substr(open + 1, label.size() - open - 2);
}

}  // namespace

std::string_view metric_of_label(std::string_view section, std::string_view label, int capability) {
  if (is_metric_name(label)) return label;
  if (const auto name = name_in_brackets(label); is_metric_name(name)) return name;
  const std::string_view current = current_section(section);
  const auto* found = std::ranges::find_if(kLabels, [&](const Label& known) {
    return known.label == label && known.section == current && known.from <= capability &&
           capability <= known.to;
  });
  return found == std::end(kLabels) ? std::string_view{} : found->metric;
}

}  // namespace ks::profile
