#pragma once
// The steps of `kernelscope profile`, from inputs to measurements.

#include "cli/command.h"
#include "cli/profile_options.h"
#include "profile/lookup.h"
#include "profile/result_table.h"

namespace ks::cli {

struct ProfileInput {
  inductor::MetadataTable table;
  std::vector<profile::RowKernel> rows;
};
Result<ProfileInput> read_profile_input(const ProfileOptions& options, Terminal& terminal);

struct Measured {
  std::vector<profile::Measurement> kernels;  // by index of the plan
  bool interrupted = false;
  size_t cached = 0;  // of them, how many were known already
};

// Fills in what can be had, in this order: logs, the cache, the GPUs. `run.source` says with what.
Result<Measured> measure(const ProfileOptions& options, const profile::Plan& plan,
                         const profile::RunKey& run, const profile::GpuList& gpus,
                         Context& context);

}  // namespace ks::cli
