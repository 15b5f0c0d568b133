#pragma once
// Which part of the kernels this process takes, when several machines share the work.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ks::profile {

struct Shard {
  uint64_t index = 0, count = 1;  // index < count
  std::string origin;             // "--shard", or the variables that said so
};

// Value of an environment variable; nothing where it is not set.
using Lookup = std::function<std::optional<std::string>(const std::string&)>;

// "2/8": the third of eight parts. "auto": SLURM_PROCID of SLURM_NTASKS where a step has more than
// one task, else SLURM_ARRAY_TASK_ID minus SLURM_ARRAY_TASK_MIN of SLURM_ARRAY_TASK_COUNT; an error
// where there is neither, because every machine would then do all of it.
Result<Shard> read_shard(std::string_view text, const Lookup& environment);

// By the hash alone: the same kernel belongs to the same part on every machine.
bool in_shard(const Shard& shard, std::string_view source_hash);

}  // namespace ks::profile
