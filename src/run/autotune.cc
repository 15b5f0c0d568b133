// Autotune sessions of both autotuners: who was tried, who won (docs/trace-format.md, autotune
// sessions; Inductor's by our rule in
// stack_traits.cc).

#include <algorithm>

#include "run/finish.h"

namespace ks::run {

namespace {

AutotuneConfig& config_of(AutotuneSession& session, Id kernel) {
  for (AutotuneConfig& config : session.configs) {
    if (config.kernel == kernel) return config;
  }
  session.configs.emplace_back().kernel = kernel;
  return session.configs.back();
}

void add_compilations(Run& run) {
  for (const Compilation& c : run.compilations) {
    const Id session = run.stacks[c.stack].session;
    if (session != kNone) ++config_of(run.sessions[session], c.kernel).compilations;
  }
}

// The winner is what the program launched after the session's benchmarks: the kernel of its last
// user launch, as the reference has it.
void add_launches(Run& run, std::vector<Id>& winners) {
  for (Id g = 0; g < run.groups.size(); ++g) {
    const LaunchGroup& group = run.groups[g];
    for (Id id : group.classes) {
      const LaunchClass& c = run.classes[id];
      const Id session_id = c.stack == kNone ? kNone : run.stacks[c.stack].session;
      if (session_id == kNone) continue;
      AutotuneSession& session = run.sessions[session_id];
      AutotuneConfig& config = config_of(session, group.kernel);
      if (c.kind == LaunchKind::benchmark) {
        config.benchmark_launches += c.count;
      } else {
        config.user_launches += c.count;
        if (winners[session_id] == kNone ||
            c.last_launch > run.classes[winners[session_id]].last_launch) {
          winners[session_id] = id;
        }
      }
      if (session.name.empty()) session.name = group.name;
    }
  }
}

bool has_tuned(const AutotuneSession& session) {
  uint64_t benchmarks = 0;
  for (const AutotuneConfig& config : session.configs) benchmarks += config.benchmark_launches;
  if (benchmarks > 0 || !session.best_config.empty()) return true;
  // Inductor compiles many kernels from one place; that alone is no tuning.
  return !session.inductor && session.configs.size() > 1;
}

void mark_winner_launches(Run& run) {
  for (LaunchClass& c : run.classes) {
    if (!c.valid || c.kind != LaunchKind::user || c.stack == kNone) continue;
    const Id session = run.stacks[c.stack].session;
    if (session == kNone) continue;
    for (const AutotuneConfig& config : run.sessions[session].configs) {
      const bool chosen = config.winner && config.kernel == run.groups[c.group].kernel;
      if (chosen) c.kind = LaunchKind::winner;
    }
  }
}

}  // namespace

void note_autotune(AutotuneSession& session, const trace::Autotune& event) {
  session.name = event.kernel_name;
  session.best_config = event.best_config.value_or("");
  session.key = event.key;
  session.cache_hit = event.cache_hit;
  session.duration_s = event.duration_s;
  for (const auto& [config, timings] : event.timings.members) {
    AutotuneConfig c;
    c.config = config;
    c.timings = trace::to_json(timings);
    c.winner = config == event.best_config;
    session.configs.push_back(std::move(c));
  }
}

void settle_autotune(Run& run) {
  std::vector<Id> winners(run.sessions.size(), kNone);  // launch class of the last user launch
  add_compilations(run);
  add_launches(run, winners);
  for (size_t s = 0; s < run.sessions.size(); ++s) {
    AutotuneSession& session = run.sessions[s];
    const bool benchmarked = std::any_of(session.configs.begin(), session.configs.end(),
                                         [](auto& c) { return c.benchmark_launches > 0; });
    if (winners[s] == kNone || !benchmarked) continue;
    config_of(session, run.groups[run.classes[winners[s]].group].kernel).winner = true;
  }
  for (AutotuneSession& session : run.sessions) session.tuned = has_tuned(session);
  mark_winner_launches(run);
}

}  // namespace ks::run
