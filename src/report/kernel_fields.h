#pragma once
// The fields of a kernel under the names that --json and --csv give them.

#include "base/json_writer.h"
#include "report/kernel_names.h"
#include "store/kernel_queries.h"

namespace ks::report {

// Calls field(name, value) for each; value is a string, uint64_t, bool or optional<int64_t>.
template <typename Field>
void for_kernel_fields(const store::KernelRow& k, Field field) {
  field("kernel", kernel_label(k));
  field("name", k.name);
  field("variant", k.variant);
  field("hash", k.hash);
  field("user_launches", k.user_launches);
  field("winner_launches", k.winner_launches);
  field("benchmark_launches", k.benchmark_launches);
  field("warm_up_launches", k.warm_up_launches);
  field("graph_capture_launches", k.captured_launches);
  field("status", k.status);
  field("configurations", k.configurations);
  field("attribution", k.attribution);
  field("compilation_seen", k.compilation_seen);
  field("backend", k.backend);
  field("arch", k.arch);
  field("triton_version", k.triton_version);
  field("num_warps", k.num_warps);
  field("num_stages", k.num_stages);
  field("num_ctas", k.num_ctas);
  field("registers", k.registers);
  field("spilled_registers", k.spilled_registers);
  field("spill_bytes", k.spill_bytes);
  field("stack_bytes", k.stack_bytes);
  field("shared_bytes", k.shared_bytes);
  field("dots", k.dots);
  field("load_bytes_per_cta", k.load_bytes);
  field("store_bytes_per_cta", k.store_bytes);
  field("flops_per_cta", k.flops);
  field("cost_is_lower_bound", k.cost_is_lower_bound);
  field("cold_compilations", k.cold_compilations);
  field("cached_compilations", k.cached_compilations);
  field("cold_compile_us", k.cold_us);
  field("cached_compile_us", k.cached_us);
  field("source_file", k.source_file);
  field("source_line", k.source_start_line);
}

// Appends the kernel as an object; with `more`, the caller adds fields and closes it.
inline void append_kernel(JsonWriter& json, const store::KernelRow& kernel, bool more = false) {
  json.begin_object();
  for_kernel_fields(kernel, [&](const char* name, const auto& value) {
    json.key(name);
    if constexpr (requires { value.has_value(); }) {
      value ? json.value(*value) : json.null();
    } else {
      json.value(value);
    }
  });
  if (!more) json.end_object();
}

}  // namespace ks::report
