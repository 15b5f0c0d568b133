#include "profile/shard.h"

#include <fmt/format.h>

#include <charconv>

#include "base/hash.h"

namespace ks::profile {
namespace {

std::optional<uint64_t> whole_number(std::string_view text) {
  uint64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return n;
}

std::optional<uint64_t> number_of(const Lookup& environment, const std::string& name) {
  const std::optional<std::string> text = environment(name);
  return text ? whole_number(*text) : std::nullopt;
}

Result<Shard> explicit_shard(std::string_view text) {
  const size_t slash = text.find('/');
  const auto index = whole_number(text.substr(0, slash));
  const auto count = slash == text.npos ? std::nullopt : whole_number(text.substr(slash + 1));
  if (!index || !count || *count == 0) {
    return fail(ErrorKind::input,
                fmt::format("--shard {}: expected I/N, such as 0/8, or auto", text));
  }
  if (*index >= *count) {
    return fail(ErrorKind::input, fmt::format("--shard {}: the parts of {} are 0/{} to {}/{}", text,
                                              *count, *count, *count - 1, *count));
  }
  return Shard{*index, *count, "--shard"};
}

std::optional<Shard> task_of_step(const Lookup& environment) {
  const auto index = number_of(environment, "SLURM_PROCID");
  const auto count = number_of(environment, "SLURM_NTASKS");
  // An array's job has a step of one task: the array then says more.
  if (!index || !count || *count < 2 || *index >= *count) return std::nullopt;
  return Shard{*index, *count, "SLURM_PROCID of SLURM_NTASKS"};
}

std::optional<Shard> task_of_array(const Lookup& environment) {
  const auto id = number_of(environment, "SLURM_ARRAY_TASK_ID");
  const auto least = number_of(environment, "SLURM_ARRAY_TASK_MIN");
  const auto count = number_of(environment, "SLURM_ARRAY_TASK_COUNT");
  if (!id || !least || !count || *id < *least || *id - *least >= *count) return std::nullopt;
  return Shard{*id - *least, *count, "SLURM_ARRAY_TASK_ID of SLURM_ARRAY_TASK_COUNT"};
}

}  // namespace

Result<Shard> read_shard(std::string_view text, const Lookup& environment) {
  if (text != "auto") return explicit_shard(text);
  if (const auto shard = task_of_step(environment)) return *shard;
  if (const auto shard = task_of_array(environment)) return *shard;
  // srun -n 1 is legal: one task does it all.
  if (number_of(environment, "SLURM_PROCID") == 0 && number_of(environment, "SLURM_NTASKS") == 1) {
    return Shard{0, 1, "SLURM_PROCID of SLURM_NTASKS"};
  }
  return fail(
      ErrorKind::input,
      "--shard auto: neither SLURM_PROCID and SLURM_NTASKS nor SLURM_ARRAY_TASK_ID, _MIN and "
      "_COUNT (without gaps) are set; start it with srun or sbatch --array, or give "
      "--shard I/N");
}

bool in_shard(const Shard& shard, std::string_view source_hash) {
  return shard.count < 2 || hash128(source_hash).low % shard.count == shard.index;
}

}  // namespace ks::profile
