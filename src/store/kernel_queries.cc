#include "store/kernel_queries.h"

#include <cstdlib>
#include <map>

#include "store/statement.h"

namespace ks::store {
namespace {

// Joins from_/to_ lists to ranges.
Ranges ranges(const Rows& rows, size_t row, size_t column) {
  const std::vector<int64_t> starts = rows.numbers(row, column);
  const std::vector<int64_t> ends = rows.numbers(row, column + 1);
  Ranges found;
  for (size_t i = 0; i < std::min(starts.size(), ends.size()); ++i) {
    found.emplace_back(starts[i], ends[i]);
  }
  return found;
}

constexpr const char* kKernels = R"(
SELECT k.kernel_id, k.name, k.variant, k.hash, k.user_launches, k.launches_winner,
  k.launches_benchmark, k.launches_warm_up, k.launches_graph_capture, k.status,
  k.compilation_seen, k.backend, k.arch, k.triton_version, k.num_warps, k.num_stages, k.num_ctas,
  k.shared_bytes, k.maxnreg, k.registers, k.spilled_registers, k.spill_bytes, k.stack_bytes,
  k.scalar_registers, k.source_file, k.source_start_line, c.cold, c.cached, c.cold_us, c.cached_us,
  g.configurations, a.attribution, d.dots, k.load_bytes, k.store_bytes, k.flops,
  k.cost_is_lower_bound, count(*) OVER (PARTITION BY k.name)
FROM kernels k
LEFT JOIN (SELECT kernel_id, count(*) FILTER (cache_hit IS NOT TRUE) AS cold,
    count(*) FILTER (cache_hit) AS cached,
    median(total_us) FILTER (cache_hit IS NOT TRUE)::BIGINT AS cold_us,
    median(total_us) FILTER (cache_hit)::BIGINT AS cached_us
  FROM compilations GROUP BY kernel_id) c USING (kernel_id)
LEFT JOIN (SELECT kernel_id, count(*) AS configurations FROM _configurations GROUP BY kernel_id) g
  USING (kernel_id)
LEFT JOIN (SELECT kernel_id, string_agg(DISTINCT attribution, ', ' ORDER BY attribution)
    AS attribution FROM _groups GROUP BY kernel_id) a USING (kernel_id)
LEFT JOIN (SELECT kernel_id, string_agg(shape, ', ' ORDER BY line) AS dots FROM
    (SELECT kernel_id, format('{}x{}x{} {}', m, n, k, input_dtype) AS shape, min(line) AS line
     FROM dots GROUP BY ALL) GROUP BY kernel_id) d USING (kernel_id)
ORDER BY k.kernel_id)";

void read_resources(const Rows& r, size_t i, KernelRow& k) {
  k.num_warps = r.number(i, 14), k.num_stages = r.number(i, 15), k.num_ctas = r.number(i, 16);
  k.shared_bytes = r.number(i, 17), k.maxnreg = r.number(i, 18), k.registers = r.number(i, 19);
  k.spilled_registers = r.number(i, 20), k.spill_bytes = r.number(i, 21);
  k.stack_bytes = r.number(i, 22), k.scalar_registers = r.number(i, 23);
}

KernelRow read_kernel(const Rows& r, size_t i) {
  KernelRow k;
  k.id = r.count(i, 0), k.name = r.text(i, 1), k.variant = r.count(i, 2), k.hash = r.text(i, 3);
  k.user_launches = r.count(i, 4), k.winner_launches = r.count(i, 5);
  k.benchmark_launches = r.count(i, 6), k.warm_up_launches = r.count(i, 7);
  k.captured_launches = r.count(i, 8), k.status = r.text(i, 9), k.compilation_seen = r.flag(i, 10);
  k.backend = r.text(i, 11), k.arch = r.text(i, 12), k.triton_version = r.text(i, 13);
  read_resources(r, i, k);
  k.source_file = r.text(i, 24), k.source_start_line = r.number(i, 25);
  k.cold_compilations = r.count(i, 26), k.cached_compilations = r.count(i, 27);
  k.cold_us = r.number(i, 28), k.cached_us = r.number(i, 29), k.configurations = r.count(i, 30);
  k.attribution = r.text(i, 31), k.dots = r.text(i, 32), k.load_bytes = r.number(i, 33);
  k.store_bytes = r.number(i, 34), k.flops = r.number(i, 35);
  k.cost_is_lower_bound = r.flag(i, 36), k.variants = r.count(i, 37);
  return k;
}

// Runs the question and gives each row to `take`.
template <typename Take>
Result<> for_rows(Connection& connection, std::string_view sql,
                  const std::vector<Parameter>& parameters, Take take) {
  const Result<Rows> rows = select(connection, sql, parameters);
  if (!rows) return tl::make_unexpected(rows.error());
  for (size_t i = 0; i < rows->size(); ++i) take(*rows, i);
  return {};
}

Result<> read_compilations(Connection& connection, uint64_t kernel, KernelDetails& details) {
  std::map<int64_t, size_t> index;  // compilation_id to row
  const Result<> done =
      for_rows(connection, R"(
SELECT c.compilation_id, p.rank, p.pid, c.frame_id, c.frame_compile_id, c.cache_hit, c.total_us,
  s.location || coalesce(' in ' || s.function, '')
FROM compilations c LEFT JOIN processes p USING (process_id) LEFT JOIN call_sites s USING (stack_id)
WHERE c.kernel_id = ? ORDER BY c.compilation_id)",
               {kernel}, [&](const Rows& r, size_t i) {
                 index[*r.number(i, 0)] = details.compilations.size();
                 CompilationRow& row = details.compilations.emplace_back();
                 row.rank = r.number(i, 1), row.pid = r.number(i, 2), row.frame = r.number(i, 3);
                 row.frame_compile = r.number(i, 4), row.total_us = r.number(i, 6);
                 row.call_site = r.text(i, 7);
                 if (!r.is_null(i, 5)) row.cache_hit = r.flag(i, 5);
               });
  if (!done) return done;
  return for_rows(connection, R"(
SELECT compilation_id, stage, us FROM compile_stages
WHERE compilation_id IN (SELECT compilation_id FROM compilations WHERE kernel_id = ?))",
                  {kernel}, [&](const Rows& r, size_t i) {
                    details.compilations[index[*r.number(i, 0)]].stages.emplace_back(
                        r.text(i, 1), r.number(i, 2).value_or(0));
                  });
}

Result<> read_artifacts(Connection& connection, uint64_t kernel, KernelDetails& details) {
  return for_rows(
      connection, R"(
SELECT artifact_id, stage, name, bytes, lines, mapped, unmapped, unknown_location
FROM artifacts WHERE kernel_id = ? ORDER BY artifact_id)",
      {kernel}, [&](const Rows& r, size_t i) {
        details.artifacts.push_back({r.count(i, 0), r.text(i, 1), r.text(i, 2), r.count(i, 3),
                                     r.count(i, 4), r.count(i, 5), r.count(i, 6), r.count(i, 7)});
      });
}

Result<> read_facts(Connection& connection, uint64_t kernel, KernelDetails& details) {
  Result<> done = for_rows(
      connection,
      "SELECT begin_line, end_line, depth, trip_count FROM loops WHERE kernel_id = ? ORDER BY ALL",
      {kernel}, [&](const Rows& r, size_t i) {
        details.loops.push_back({r.count(i, 0), r.count(i, 1), r.count(i, 2), r.number(i, 3)});
      });
  if (!done) return done;
  done =
      for_rows(connection, R"(
SELECT line, loop_depth, format('{}x{}x{}', m, n, k), format('{} -> {}', input_dtype, output_dtype)
FROM dots WHERE kernel_id = ? ORDER BY line)",
               {kernel}, [&](const Rows& r, size_t i) {
                 details.dots.push_back({r.count(i, 0), r.count(i, 1), r.text(i, 2), r.text(i, 3)});
               });
  if (!done) return done;
  return for_rows(connection, "SELECT unnest(cost_notes) FROM kernels WHERE kernel_id = ?",
                  {kernel},
                  [&](const Rows& r, size_t i) { details.cost_notes.push_back(r.text(i, 0)); });
}

// The first number of a JSON text such as [0.012, 0.011, 0.013] or 0.012.
std::optional<double> first_number(const std::string& json) {
  const size_t at = json.find_first_of("-0123456789");
  if (at == std::string::npos) return std::nullopt;
  return std::strtod(json.c_str() + at, nullptr);
}

Result<> read_autotune(Connection& connection, uint64_t kernel, KernelDetails& details) {
  return for_rows(connection, R"(
SELECT s.session_id, s.autotuner, s.name, c.config, c.kernel_id, c.winner, c.timings_ms,
  c.benchmark_launches, c.user_launches, l.location
FROM autotune_configs c JOIN autotune_sessions s USING (session)
LEFT JOIN call_sites l USING (stack_id)
WHERE session IN (SELECT session FROM autotune_configs WHERE kernel_id = ?)
ORDER BY session, position)",
                  {kernel}, [&](const Rows& r, size_t i) {
                    AutotuneRow& row = details.autotune.emplace_back();
                    row.session = r.text(i, 0), row.autotuner = r.text(i, 1);
                    row.name = r.text(i, 2), row.config = r.text(i, 3);
                    if (!r.is_null(i, 4)) row.kernel = r.count(i, 4);
                    row.winner = r.flag(i, 5), row.best_ms = first_number(r.text(i, 6));
                    row.benchmark_launches = r.count(i, 7), row.user_launches = r.count(i, 8);
                    row.call_site = r.text(i, 9);
                  });
}

Result<> read_diff_fields(Connection& connection, uint64_t kernel, KernelDiff& diff) {
  std::map<int64_t, size_t> index;  // path to field
  const Result<> done = for_rows(
      connection, R"(
SELECT d.path, p.name, d.varies, d.distinct_values, d.present, d.aligned, p.is_pointer,
  p.is_volatile, p.is_measured
FROM _diff_fields d JOIN _paths p USING (path) WHERE d.kernel_id = ? ORDER BY d.rowid)",
      {kernel}, [&](const Rows& r, size_t i) {
        index[*r.number(i, 0)] = diff.fields.size();
        DiffField& field = diff.fields.emplace_back();
        field.name = r.text(i, 1), field.varies = r.flag(i, 2), field.distinct = r.count(i, 3);
        field.present = r.count(i, 4), field.is_pointer = r.flag(i, 6);
        field.is_volatile = r.flag(i, 7), field.is_measured = r.flag(i, 8);
        if (field.is_pointer) field.aligned = r.number(i, 5);
      });
  if (!done) return done;
  return for_rows(
      connection, R"(
SELECT d.path, v.json, d.count, d.starts, d.ends FROM _diff_values d JOIN _values v USING (value)
WHERE d.kernel_id = ? ORDER BY d.path, d.part)",
      {kernel}, [&](const Rows& r, size_t i) {
        const auto field = index.find(r.number(i, 0).value_or(-1));
        if (field == index.end()) return;
        diff.fields[field->second].values.push_back({r.text(i, 1), r.count(i, 2), ranges(r, i, 3)});
      });
}

Result<> read_lock_steps(Connection& connection, uint64_t kernel, KernelDiff& diff) {
  std::optional<int64_t> last;
  return for_rows(connection, R"(
SELECT lock_step, distinct_values, field FROM
  (SELECT lock_step, distinct_values, unnest(fields) AS field,
     generate_subscripts(fields, 1) AS i FROM _lock_steps WHERE kernel_id = ?)
ORDER BY lock_step, i)",
                  {kernel}, [&](const Rows& r, size_t i) {
                    if (last != r.number(i, 0)) diff.lock_steps.push_back({r.count(i, 1), {}});
                    last = r.number(i, 0);
                    diff.lock_steps.back().fields.push_back(r.text(i, 2));
                  });
}

Result<> read_configurations(Connection& connection, uint64_t kernel, KernelDiff& diff) {
  Result<> done =
      for_rows(connection, R"(
SELECT launches, starts, ends FROM _configurations WHERE kernel_id = ? ORDER BY configuration)",
               {kernel}, [&](const Rows& r, size_t i) {
                 diff.configurations.push_back({r.count(i, 0), ranges(r, i, 1), {}, {}});
               });
  if (!done) return done;
  done = for_rows(connection, R"(
SELECT c.configuration, p.name, v.json FROM
  (SELECT configuration, unnest(paths) AS path, unnest(value_ids) AS value,
     generate_subscripts(paths, 1) AS i FROM _configurations WHERE kernel_id = ?) c
JOIN _paths p USING (path) LEFT JOIN _values v USING (value) ORDER BY c.configuration, c.i)",
                  {kernel}, [&](const Rows& r, size_t i) {
                    const auto value = r.is_null(i, 2) ? std::nullopt : std::optional(r.text(i, 2));
                    diff.configurations.at(r.count(i, 0)).fields.emplace_back(r.text(i, 1), value);
                  });
  if (!done) return done;
  return for_rows(
      connection, R"(
SELECT configuration, coalesce(filename || ':' || line, ''), sum(launches)::UBIGINT
FROM configuration_call_sites WHERE kernel_id = ?
GROUP BY 1, 2 ORDER BY 1, 3 DESC, 2)",
      {kernel}, [&](const Rows& r, size_t i) {
        diff.configurations.at(r.count(i, 0)).call_sites.emplace_back(r.text(i, 1), r.count(i, 2));
      });
}

}  // namespace

Result<std::vector<KernelRow>> kernels(Connection& connection) {
  std::vector<KernelRow> found;
  const Result<> done = for_rows(connection, kKernels, {}, [&](const Rows& r, size_t i) {
    found.push_back(read_kernel(r, i));
  });
  if (!done) return tl::make_unexpected(done.error());
  return found;
}

Result<KernelDetails> kernel_details(Connection& connection, uint64_t kernel) {
  KernelDetails details;
  for (auto* read : {read_compilations, read_artifacts, read_facts, read_autotune}) {
    if (Result<> done = read(connection, kernel, details); !done) {
      return tl::make_unexpected(done.error());
    }
  }
  return details;
}

Result<KernelDiff> kernel_diff(Connection& connection, uint64_t kernel) {
  KernelDiff diff;
  for (auto* read : {read_diff_fields, read_lock_steps, read_configurations}) {
    if (Result<> done = read(connection, kernel, diff); !done) {
      return tl::make_unexpected(done.error());
    }
  }
  return diff;
}

}  // namespace ks::store
