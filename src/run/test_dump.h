#pragma once
// For tests: a Run and its diffs as text, to compare and to write down.

#include <map>

#include "run/test_run.h"

namespace ks::run::testing {

inline std::string text_of(const std::vector<Range>& ranges) {
  std::string out;
  for (Range r : ranges) {
    if (!out.empty()) out += ',';
    out += r.start == r.end ? fmt::format("{}", r.start) : fmt::format("{}-{}", r.start, r.end);
  }
  return out;
}

// "3/4: 16 x2 @0-1; 32 x1 @3": launches that have the field, of all, and its values. Of a pointer
// "4/4: 3 pointers, 2 aligned".
inline std::string text_of(const Run& run, const LaunchDiff& diff, const FieldDiff& field) {
  std::string out = fmt::format("{}/{}:", field.present, diff.launches);
  std::string_view separator = " ";
  for (const FieldValue& v : field.values) {
    out += fmt::format("{}{} x{} @{}", separator, run.values[v.value], v.count,
                       text_of(diff.launches_of(field, v)));
    separator = "; ";
  }
  if (run.paths[field.path].is_pointer) {
    out += fmt::format("{}{} pointers, {} aligned", separator, field.distinct, field.aligned);
  }
  return out;
}

// By the field's dotted name; "absent" where there is none.
inline std::string field_text(const Run& run, const LaunchDiff& diff, std::string_view dotted) {
  for (const FieldDiff& field : diff.fields) {
    if (run.paths[field.path].dotted() == dotted) return text_of(run, diff, field);
  }
  return "absent";
}

inline std::vector<std::string> lock_steps_text(const Run& run, const LaunchDiff& diff) {
  std::vector<std::string> out;
  for (const LockStep& step : diff.lock_steps) {
    std::string text = fmt::format("{}:", step.distinct);
    for (Id path : step.paths) text += " " + run.paths[path].dotted();
    out.push_back(std::move(text));
  }
  return out;
}

inline std::string site_text(const Run& run, const CallSite& site) {
  if (site.stack == kNone || run.stacks[site.stack].call_site == kNone) {
    return fmt::format("nowhere x{}", site.count);
  }
  const StackFrame& frame = run.frames[run.stacks[site.stack].call_site];
  return fmt::format("{}:{} x{}", frame.filename, frame.line, site.count);
}

// "x2 @0,3 grid=[1] n=16 | a.py:3 x2"
inline std::vector<std::string> configurations_text(const Run& run, const LaunchDiff& diff) {
  std::vector<std::string> out;
  for (const Configuration& c : diff.configurations) {
    std::string text = fmt::format("x{} @{}", c.count, text_of(c.launches));
    for (size_t i = 0; i < c.values.size(); ++i) {
      text += fmt::format(" {}={}", run.paths[diff.varying[i]].dotted(),
                          c.values[i] == kNone ? "-" : run.values[c.values[i]]);
    }
    std::string_view separator = " | ";
    for (const CallSite& site : c.call_sites) {
      text += std::string(separator) + site_text(run, site);
      separator = ", ";
    }
    out.push_back(std::move(text));
  }
  return out;
}

inline std::string text_of(const std::array<uint64_t, kLaunchKinds>& kinds) {
  return fmt::format("user {} winner {} benchmark {} warm_up {} captured {}", kinds[0], kinds[1],
                     kinds[2], kinds[3], kinds[4]);
}

// The diff in an order that does not depend on which launch came first in the file.
inline std::string diff_text(const Run& run, Id kernel) {
  const LaunchDiff diff = launch_diff(run, kernel);
  std::map<std::string, std::string> fields;
  for (const FieldDiff& field : diff.fields) {
    fields[run.paths[field.path].dotted()] = text_of(run, diff, field);
  }
  std::string out;
  for (const auto& [path, text] : fields) out += fmt::format("    {} {}\n", path, text);
  std::set<std::string> configurations;
  for (const Configuration& c : diff.configurations) {
    configurations.insert(fmt::format("x{} @{}", c.count, text_of(c.launches)));
  }
  for (const std::string& text : configurations) out += "    configuration " + text + "\n";
  return out;
}

// What does not depend on the order of launches of different kernels: by hash, what was launched
// and how it differs. (Who won a session does: the last one launched.)
inline std::map<std::string, std::string> kernels_text(const Run& run) {
  std::map<std::string, std::string> out;
  for (Id k = 0; k < run.kernels.size(); ++k) {
    const Kernel& kernel = run.kernels[k];
    out[kernel.hash + " " + kernel.name] =
        fmt::format("{} artifacts {} user launches {} of {}\n{}",
                    kernel.compilation_seen ? "compiled" : "stand-in", kernel.artifacts.size(),
                    kernel.user_launches(), kernel.user_launches() + kernel.other_launches(),
                    diff_text(run, k));
  }
  return out;
}

inline std::string diagnostics_text(const Diagnostics& d) {
  std::string out;
  for (size_t i = 0; i < kDiagCount; ++i) {
    const auto& entry = d[static_cast<Diag>(i)];
    if (entry.count == 0) continue;
    out += fmt::format("{} {}", info(static_cast<Diag>(i)).name, entry.count);
    for (const std::string& sample : entry.samples) out += " | " + sample;
    out += '\n';
  }
  return out;
}

// Everything, ids included.
inline std::string dump(const Run& run) {
  std::string out;
  auto to = std::back_inserter(out);
  for (const File& f : run.files) {
    fmt::format_to(to, "file {} {} {} {}\n", f.name, f.process, f.bytes, f.lines);
  }
  for (const Process& p : run.processes) {
    fmt::format_to(to, "process {} {} {} {} {}\n", p.rank.value_or(-1), p.pid.value_or(-1), p.host,
                   p.compilations, p.launches);
  }
  for (const StackFrame& f : run.frames) {
    fmt::format_to(to, "frame {}:{} {} {}\n", f.filename, f.line, f.function, f.code);
  }
  for (const Stack& s : run.stacks) {
    fmt::format_to(to, "stack {} {} {} {} {}\n", fmt::join(s.frames, ","), s.benchmark, s.inductor,
                   s.session, s.call_site);
  }
  for (const Path& p : run.paths) fmt::format_to(to, "path {}\n", p.dotted());
  for (const std::string& v : run.values) fmt::format_to(to, "value {}\n", v);
  for (const std::string& s : run.sources) fmt::format_to(to, "source {}\n", s);
  for (const Content& c : run.contents) {
    for (const Leaf& l : c.leaves) fmt::format_to(to, "{}={} ", l.path, l.value);
    fmt::format_to(to, "content {} {}\n", fmt::join(c.pointer_paths, ","), c.json);
  }
  for (const LaunchClass& c : run.classes) {
    fmt::format_to(to, "class {} {} {} {} {} {} {} {} @{}", c.group, c.process, c.stack,
                   to_string(c.kind), c.valid, c.captured, c.count, c.last_launch,
                   text_of(c.positions));
    for (const Part& p : c.parts) fmt::format_to(to, " {}:{}", p.path, p.content);
    out += '\n';
  }
  for (const LaunchGroup& g : run.groups) {
    fmt::format_to(to, "group {} {} {} {} {} {} {} {} {} {}", g.hash, g.name, g.process, g.function,
                   g.kernel, to_string(g.attribution), g.position_offset, text_of(g.launches),
                   g.first_time, g.last_time);
    for (const auto& [path, p] : g.pointers) {
      fmt::format_to(to, " {}:{}/{}/{}/{}", path, p.count, p.aligned, p.distinct, p.first);
    }
    out += '\n';
  }
  for (const Compilation& c : run.compilations) {
    fmt::format_to(to, "compilation {} {} {} {} {} {}\n", c.kernel, c.process, c.stack,
                   c.frame ? c.frame->frame_id.value_or(-1) : -2, c.time,
                   c.times.total().value_or(-1));
  }
  for (Id k = 0; k < run.kernels.size(); ++k) {
    const Kernel& kernel = run.kernels[k];
    fmt::format_to(to, "kernel {} {} {} {} {} candidates {}\n", kernel.hash, kernel.name,
                   kernel.compilation_seen, text_of(kernel.launches), kernel.metadata.json,
                   fmt::join(kernel.candidates, ","));
    for (const ArtifactInfo& a : kernel.artifacts) {
      fmt::format_to(to, "  artifact {} {} {} mapped {}\n", a.name, a.bytes, a.lines,
                     a.coverage.mapped);
    }
    const LaunchDiff diff = launch_diff(run, k);
    for (const FieldDiff& f : diff.fields) {
      fmt::format_to(to, "  {} {}\n", run.paths[f.path].dotted(), text_of(run, diff, f));
    }
    for (const std::string& text : lock_steps_text(run, diff)) out += "  lock-step " + text + "\n";
    for (const std::string& text : configurations_text(run, diff)) out += "  " + text + "\n";
  }
  for (const AutotuneSession& s : run.sessions) {
    fmt::format_to(to, "session {} {} {} {} {}\n", s.session_id, s.inductor, s.name, s.stack,
                   s.best_config);
    for (const AutotuneConfig& c : s.configs) {
      fmt::format_to(to, "  config {} {} {} {} {} {}\n", c.kernel, c.config, c.compilations,
                     c.benchmark_launches, c.user_launches, c.winner);
    }
  }
  return out + diagnostics_text(run.diagnostics);
}

}  // namespace ks::run::testing
