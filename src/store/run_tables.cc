#include "store/run_tables.h"

#include <unordered_map>
#include <utility>

#include "run/launch_diff.h"
#include "store/table_writer.h"

namespace ks::store {
namespace {

using C = ColumnType;
using run::Id;
using run::Run;

// One table: `fill` writes its rows.
template <typename Fill>
Result<> write_table(Connection& connection, std::string_view table, std::vector<C> columns,
                     const Fill& fill) {
  Result<TableWriter> writer = TableWriter::open(connection, table, std::move(columns));
  if (!writer) return tl::make_unexpected(writer.error());
  fill(*writer);
  return writer->close();
}

TableWriter& id_or_null(TableWriter& w, Id id) { return id == run::kNone ? w.null() : w.u32(id); }

TableWriter& time_or_null(TableWriter& w, int64_t seconds) {
  return seconds == 0 ? w.null() : w.timestamp(seconds * 1'000'000);
}

struct Ranges {
  explicit Ranges(const std::vector<run::Range>& ranges) {
    for (const run::Range& range : ranges) {
      starts.push_back(range.start);
      ends.push_back(range.end);
    }
  }
  std::vector<uint32_t> starts, ends;
};

Result<> write_inputs(Connection& c, const Run& run) {
  const auto processes = [&run](TableWriter& w) {
    uint32_t id = 0;
    for (const run::Process& p : run.processes) {
      w.u32(id++).opt(p.rank, &TableWriter::i32).opt(p.pid, &TableWriter::i64);
      w.text_or_null(p.host).u64(p.compilations).u64(p.launches).end_row();
    }
  };
  const auto files = [&run](TableWriter& w) {
    uint32_t id = 0;
    for (const run::File& f : run.files) {
      id_or_null(w.u32(id++), f.process).text(f.name).u64(f.bytes).u64(f.lines).end_row();
    }
  };
  const auto diagnostics = [&run](TableWriter& w) {
    for (size_t i = 0; i < kDiagCount; ++i) {
      const Diag diag = static_cast<Diag>(i);
      const Diagnostics::Entry& entry = run.diagnostics[diag];
      if (entry.count == 0) continue;
      const DiagInfo& about = info(diag);
      w.text(about.name).text(to_string(about.severity)).u64(entry.count).text(about.text);
      w.text_list(std::span<const std::string>(entry.samples)).end_row();
    }
  };
  if (auto r =
          write_table(c, "processes", {C::u32, C::i32, C::i64, C::text, C::u64, C::u64}, processes);
      !r)
    return r;
  if (auto r = write_table(c, "files", {C::u32, C::u32, C::text, C::u64, C::u64}, files); !r) {
    return r;
  }
  return write_table(c, "diagnostics", {C::text, C::text, C::u64, C::text, C::text_list},
                     diagnostics);
}

Result<> write_stacks(Connection& c, const Run& run) {
  const auto frames = [&run](TableWriter& w) {
    uint32_t id = 0;
    for (const run::StackFrame& f : run.frames) {
      w.u32(id++).text(f.filename).i64(f.line).text(f.function).text_or_null(f.code).end_row();
    }
  };
  const auto stacks = [&run](TableWriter& w) {
    uint32_t id = 0;
    for (const run::Stack& s : run.stacks) {
      w.u32(id++).u32_list(s.frames).boolean(s.benchmark).boolean(s.inductor);
      id_or_null(id_or_null(w, s.session), s.call_site).end_row();
    }
  };
  if (auto r = write_table(c, "_frames", {C::u32, C::text, C::i64, C::text, C::text}, frames); !r) {
    return r;
  }
  return write_table(c, "_stacks", {C::u32, C::u32_list, C::boolean, C::boolean, C::u32, C::u32},
                     stacks);
}

void write_kernel_facts(TableWriter& w, const run::KernelFacts& facts) {
  const ir::Resources& r = facts.resources;
  w.opt(r.registers, &TableWriter::u32).opt(r.scalar_registers, &TableWriter::u32);
  w.opt(r.accumulator_registers, &TableWriter::u32).opt(r.spilled_registers, &TableWriter::u32);
  w.opt(r.spill_bytes, &TableWriter::u32).opt(r.stack_bytes, &TableWriter::u32);
  w.opt(r.shared_bytes, &TableWriter::u32).text_or_null(r.source);
  w.opt(facts.num_warps_base, &TableWriter::u32);
  const ir::StaticCost& cost = facts.ttir.cost;
  w.opt(cost.load_bytes, &TableWriter::u64).opt(cost.store_bytes, &TableWriter::u64);
  w.opt(cost.flops, &TableWriter::u64).boolean(cost.lower_bound);
  w.text_list(std::span<const std::string>(cost.notes));
}

void write_kernel(TableWriter& w, const run::Kernel& k, Id id, uint32_t variant) {
  w.u32(id).text_or_null(k.hash).text(k.name).u32(variant);
  w.u32(static_cast<uint32_t>(k.compilations.size())).boolean(k.compilation_seen);
  for (const uint64_t launches : k.launches) w.u64(launches);
  const run::KernelMetadata& m = k.metadata;
  w.text_or_null(m.backend).text_or_null(m.arch).text_or_null(m.triton_version);
  for (const auto* number :
       {&m.num_warps, &m.num_stages, &m.num_ctas, &m.shared, &m.maxnreg, &m.warp_size}) {
    w.opt(*number, &TableWriter::i64);
  }
  write_kernel_facts(w, k.facts);
  if (k.python) {
    w.text_or_null(k.python->file_path).i64(k.python->start_line).i64(k.python->end_line);
  } else {
    w.null().null().null();
  }
  id_or_null(w, k.source).u32_list(k.candidates).text_or_null(m.json).end_row();
}

Result<> write_kernels(Connection& c, const Run& run) {
  const auto kernels = [&run](TableWriter& w) {
    std::unordered_map<std::string_view, uint32_t> variants;
    for (Id id = 0; id < run.kernels.size(); ++id) {
      write_kernel(w, run.kernels[id], id, ++variants[run.kernels[id].name]);
    }
  };
  const auto sources = [&run](TableWriter& w) {
    uint32_t id = 0;
    for (const std::string& text : run.sources) w.u32(id++).text(text).end_row();
  };
  std::vector<C> columns = {C::u32, C::text, C::text, C::u32, C::u32, C::boolean};
  columns.insert(columns.end(), run::kLaunchKinds, C::u64);
  columns.insert(columns.end(), 3, C::text);
  columns.insert(columns.end(), 6, C::i64);
  columns.insert(columns.end(), 7, C::u32);
  for (const C type : {C::text, C::u32, C::u64, C::u64, C::u64, C::boolean, C::text_list, C::text,
                       C::i64, C::i64, C::u32, C::u32_list, C::text}) {
    columns.push_back(type);
  }
  if (auto r = write_table(c, "_kernels", std::move(columns), kernels); !r) return r;
  return write_table(c, "_python_sources", {C::u32, C::text}, sources);
}

Result<> write_ttir_facts(Connection& c, const Run& run) {
  const auto dots = [&run](TableWriter& w) {
    for (Id id = 0; id < run.kernels.size(); ++id) {
      for (const ir::DotShape& d : run.kernels[id].facts.ttir.dots) {
        w.u32(id).u32(d.line).u32(d.loop_depth).u64(d.m).u64(d.n).u64(d.k);
        w.text(d.input_dtype).text(d.output_dtype).end_row();
      }
    }
  };
  const auto loops = [&run](TableWriter& w) {
    for (Id id = 0; id < run.kernels.size(); ++id) {
      for (const ir::Loop& l : run.kernels[id].facts.ttir.loops) {
        w.u32(id).u32(l.begin_line).u32(l.end_line).u32(l.depth);
        w.opt(l.trip_count, &TableWriter::u64).end_row();
      }
    }
  };
  const auto buffer_ops = [&run](TableWriter& w) {
    for (Id id = 0; id < run.kernels.size(); ++id) {
      if (!run.kernels[id].facts.buffer_ops) continue;
      const ir::BufferOps& o = *run.kernels[id].facts.buffer_ops;
      w.u32(id).u32(o.tt_load).u32(o.tt_store).u32(o.amdgpu_buffer_load);
      w.u32(o.amdgpu_buffer_store).u32(o.global_load).u32(o.global_store);
      w.u32(o.buffer_load).u32(o.buffer_store).end_row();
    }
  };
  if (auto r = write_table(
          c, "dots", {C::u32, C::u32, C::u32, C::u64, C::u64, C::u64, C::text, C::text}, dots);
      !r)
    return r;
  if (auto r = write_table(c, "loops", {C::u32, C::u32, C::u32, C::u32, C::u64}, loops); !r) {
    return r;
  }
  return write_table(c, "amd_buffer_ops", std::vector<C>(9, C::u32), buffer_ops);
}

void write_compilation(TableWriter& w, const run::Compilation& k, Id id) {
  w.u32(id);
  id_or_null(id_or_null(id_or_null(w, k.kernel), k.process), k.stack);
  if (k.frame) {
    w.opt(k.frame->frame_id, &TableWriter::i64).opt(k.frame->frame_compile_id, &TableWriter::i64);
    w.i64(k.frame->attempt).opt(k.frame->compiled_autograd_id, &TableWriter::i64);
    w.boolean(k.frame_from_torch_trace);
  } else {
    w.null().null().null().null().null();
  }
  w.opt(k.cache_hit, &TableWriter::boolean);
  time_or_null(w, k.time).opt(k.times.total(), &TableWriter::i64);
  w.opt(k.times.ir_initialization, &TableWriter::i64);
  w.opt(k.times.store_results, &TableWriter::i64).end_row();
}

Result<> write_compilations(Connection& c, const Run& run) {
  const auto compilations = [&run](TableWriter& w) {
    for (Id id = 0; id < run.compilations.size(); ++id) {
      write_compilation(w, run.compilations[id], id);
    }
  };
  const auto stages = [&run](TableWriter& w) {
    for (Id id = 0; id < run.compilations.size(); ++id) {
      for (const auto& [stage, us] : run.compilations[id].times.stages) {
        w.u32(id).text(stage).i64(us).end_row();
      }
    }
  };
  if (auto r = write_table(c, "compilations",
                           {C::u32, C::u32, C::u32, C::u32, C::i64, C::i64, C::i64, C::i64,
                            C::boolean, C::boolean, C::timestamp, C::i64, C::i64, C::i64},
                           compilations);
      !r)
    return r;
  return write_table(c, "compile_stages", {C::u32, C::text, C::i64}, stages);
}

Result<> write_interned(Connection& c, const Run& run) {
  const auto paths = [&run](TableWriter& w) {
    uint32_t id = 0;
    for (const run::Path& p : run.paths) {
      w.u32(id++).text(p.dotted()).text_list(std::span<const std::string>(p.parts));
      w.boolean(p.is_pointer).boolean(p.is_volatile).boolean(p.is_measured).end_row();
    }
  };
  const auto values = [&run](TableWriter& w) {
    uint32_t id = 0;
    for (const std::string& json : run.values) w.u32(id++).text(json).end_row();
  };
  // Pointers stand in _launches.
  const auto contents = [&run](TableWriter& w) {
    std::vector<uint32_t> leaf_paths, leaf_values;
    uint32_t id = 0;
    for (const run::Content& content : run.contents) {
      leaf_paths.clear();
      leaf_values.clear();
      for (const run::Leaf& leaf : content.leaves) {
        if (leaf.value == run::kPointerValue) continue;
        leaf_paths.push_back(leaf.path);
        leaf_values.push_back(leaf.value);
      }
      w.u32(id++).u32_list(leaf_paths).u32_list(leaf_values).text_or_null(content.json).end_row();
    }
  };
  if (auto r = write_table(
          c, "_paths", {C::u32, C::text, C::text_list, C::boolean, C::boolean, C::boolean}, paths);
      !r)
    return r;
  if (auto r = write_table(c, "_values", {C::u32, C::text}, values); !r) return r;
  return write_table(c, "_contents", {C::u32, C::u32_list, C::u32_list, C::text}, contents);
}

Result<> write_classes(Connection& c, const Run& run) {
  const auto groups = [&run](TableWriter& w) {
    uint32_t id = 0;
    for (const run::LaunchGroup& g : run.groups) {
      id_or_null(w.u32(id++), g.kernel).text(to_string(g.attribution)).u32(g.position_offset);
      w.text_or_null(g.function).end_row();
    }
  };
  const auto classes = [&run](TableWriter& w) {
    std::vector<uint32_t> contents, pointer_paths;
    uint32_t id = 0;
    for (const run::LaunchClass& l : run.classes) {
      contents.clear();
      pointer_paths.clear();
      for (const run::Part& part : l.parts) {
        if (part.content == run::kNone) continue;
        contents.push_back(part.content);
        const std::vector<Id>& pointers = run.contents[part.content].pointer_paths;
        pointer_paths.insert(pointer_paths.end(), pointers.begin(), pointers.end());
      }
      id_or_null(id_or_null(id_or_null(w.u32(id++), l.group), l.process), l.stack);
      w.text(to_string(l.kind)).boolean(l.captured).u64(l.count).i64_list(l.grid);
      w.u32_list(contents).u32_list(pointer_paths).end_row();
    }
  };
  if (auto r = write_table(c, "_groups", {C::u32, C::u32, C::text, C::u32, C::text}, groups); !r) {
    return r;
  }
  return write_table(c, "_classes",
                     {C::u32, C::u32, C::u32, C::u32, C::text, C::boolean, C::u64, C::i64_list,
                      C::u32_list, C::u32_list},
                     classes);
}

// The four tables about what differs between the launches of a kernel.
class DiffWriter {
 public:
  static Result<> write(Connection& c, const Run& run) {
    auto fields = TableWriter::open(
        c, "_diff_fields",
        {C::u32, C::u32, C::u64, C::u64, C::u64, C::boolean, C::u32, C::u32_list});
    if (!fields) return tl::make_unexpected(fields.error());
    auto splits = TableWriter::open(c, "_diff_splits",
                                    {C::u32, C::u32, C::u32, C::u64, C::u32_list, C::u32_list});
    if (!splits) return tl::make_unexpected(splits.error());
    auto configurations = TableWriter::open(c, "_configurations",
                                            {C::u32, C::u32, C::u64, C::u32_list, C::u32_list,
                                             C::u32_list, C::u32_list, C::u32_list, C::u64_list});
    if (!configurations) return tl::make_unexpected(configurations.error());
    auto lock_steps = TableWriter::open(c, "_lock_steps", {C::u32, C::u32, C::u32, C::text_list});
    if (!lock_steps) return tl::make_unexpected(lock_steps.error());
    for (Id kernel = 0; kernel < run.kernels.size(); ++kernel) {
      if (run.kernels[kernel].user_launches() == 0) continue;
      const run::LaunchDiff diff = run::launch_diff(run, kernel);
      add_fields(*fields, *splits, kernel, diff);
      add_configurations(*configurations, kernel, diff);
      add_lock_steps(*lock_steps, run, kernel, diff);
    }
    for (TableWriter* writer : {&*fields, &*splits, &*configurations, &*lock_steps}) {
      if (Result<> closed = writer->close(); !closed) return closed;
    }
    return {};
  }

 private:
  static void add_fields(TableWriter& fields, TableWriter& splits, Id kernel,
                         const run::LaunchDiff& diff) {
    std::vector<Id> values;
    for (const run::FieldDiff& f : diff.fields) {
      // One value for each part; a part of pointers has none, which no value's id is.
      values.assign(f.split == run::kNone ? 0 : diff.splits[f.split].size(), run::kNone);
      for (const run::FieldValue& v : f.values) values[v.part] = v.value;
      fields.u32(kernel).u32(f.path).u64(f.present).u64(f.distinct).u64(f.aligned);
      id_or_null(fields.boolean(f.varies), f.split);
      fields.u32_list(values).end_row();
    }
    for (Id split = 0; split < diff.splits.size(); ++split) {
      uint32_t part = 0;
      for (const run::SplitPart& p : diff.splits[split]) {
        const Ranges ranges(p.launches);
        splits.u32(kernel).u32(split).u32(part++).u64(p.count);
        splits.u32_list(ranges.starts).u32_list(ranges.ends).end_row();
      }
    }
  }

  static void add_configurations(TableWriter& w, Id kernel, const run::LaunchDiff& diff) {
    uint32_t number = 0;
    for (const run::Configuration& configuration : diff.configurations) {
      const Ranges ranges(configuration.launches);
      std::vector<uint32_t> stacks;
      std::vector<uint64_t> counts;
      for (const run::CallSite& site : configuration.call_sites) {
        stacks.push_back(site.stack);
        counts.push_back(site.count);
      }
      w.u32(kernel).u32(number++).u64(configuration.count);
      w.u32_list(ranges.starts).u32_list(ranges.ends);
      w.u32_list(diff.varying).u32_list(configuration.values);
      w.u32_list(stacks).u64_list(counts).end_row();
    }
  }

  static void add_lock_steps(TableWriter& w, const Run& run, Id kernel,
                             const run::LaunchDiff& diff) {
    uint32_t number = 0;
    for (const run::LockStep& step : diff.lock_steps) {
      std::vector<std::string> names;
      for (const Id path : step.paths) names.push_back(run.paths[path].dotted());
      w.u32(kernel).u32(number++).u32(step.distinct);
      w.text_list(std::span<const std::string>(names)).end_row();
    }
  }
};

Result<> write_autotune(Connection& c, const Run& run) {
  const auto sessions = [&run](TableWriter& w) {
    uint32_t id = 0;
    for (const run::AutotuneSession& s : run.sessions) {
      const Id session = id++;
      if (!s.tuned) continue;
      w.u32(session).text_or_null(s.session_id).text_or_null(s.name);
      id_or_null(w.text(s.inductor ? "inductor" : "triton"), s.stack);
      w.opt(s.cache_hit, &TableWriter::boolean).opt(s.duration_s, &TableWriter::f64);
      w.text_or_null(s.best_config).text_or_null(s.key).end_row();
    }
  };
  const auto configs = [&run](TableWriter& w) {
    for (Id id = 0; id < run.sessions.size(); ++id) {
      if (!run.sessions[id].tuned) continue;
      uint32_t position = 0;
      for (const run::AutotuneConfig& a : run.sessions[id].configs) {
        id_or_null(w.u32(id).u32(position++), a.kernel).boolean(a.winner);
        w.text_or_null(a.config).text_or_null(a.timings).u64(a.compilations);
        w.u64(a.benchmark_launches).u64(a.user_launches).end_row();
      }
    }
  };
  if (auto r = write_table(
          c, "autotune_sessions",
          {C::u32, C::text, C::text, C::text, C::u32, C::boolean, C::f64, C::text, C::text},
          sessions);
      !r)
    return r;
  return write_table(c, "autotune_configs",
                     {C::u32, C::u32, C::u32, C::boolean, C::text, C::text, C::u64, C::u64, C::u64},
                     configs);
}

}  // namespace

Result<> write_run_tables(Connection& connection, const Run& run) {
  for (const auto write :
       {write_inputs, write_stacks, write_kernels, write_ttir_facts, write_compilations,
        write_interned, write_classes, &DiffWriter::write, write_autotune}) {
    if (Result<> written = write(connection, run); !written) return written;
  }
  return {};
}

}  // namespace ks::store
