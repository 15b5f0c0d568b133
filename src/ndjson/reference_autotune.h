#pragma once
// autotune_analysis and autotune_summary as tritonparse 4e5fbc4 makes them, defects included
// (docs/trace-format.md, autotune sessions). Only Triton's own autotuner is known to it. The run
// must be read with FlattenRules::exact.

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ndjson/autotune_arguments.h"
#include "run/run.h"
#include "trace/event.h"

namespace ks::ndjson {

// Ascending numbers as runs. A number that comes twice starts a new run.
class IdRuns {
 public:
  void add(uint64_t id);
  bool empty() const { return runs_.empty(); }
  uint64_t count() const;
  std::string text() const;  // "1-3, 7"
  std::string json() const;  // [1,2,3,7]

 private:
  std::vector<std::pair<uint64_t, uint64_t>> runs_;  // inclusive
};

// One object per rank; records in reading order, before the run is finished. Memory follows
// distinct compilations and launch groups (launches that are equal but for time and process).
class ReferenceAutotune {
 public:
  ReferenceAutotune();
  ~ReferenceAutotune();
  ReferenceAutotune(ReferenceAutotune&&) noexcept;
  ReferenceAutotune& operator=(ReferenceAutotune&&) noexcept;

  // Any compilation of the rank, also a repeated one. `python_source_json` is the text of
  // payload.python_source, empty if missing.
  void compilation(const run::Run& run, run::Id stack, const trace::Compilation& event,
                   std::string_view python_source_json);
  // One that is made up for launches without; may come last. The reference sees these first.
  void stand_in(const run::Run& run, run::Id stack, const trace::Compilation& event);

  // Returns the launch's autotune_launch_type, empty if it is in no session. `pointers` in the
  // order of the record's text; `timestamp` as in trace::Launch.
  std::string_view launch(const run::Run& run, const run::LaunchClass& launch_class, run::Id id,
                          std::span<const uint64_t> pointers, std::string_view timestamp,
                          uint64_t group_hash, uint64_t occurrence_id);

  void autotune(const run::Run& run, run::Id stack, const trace::Autotune& event);

  struct Event {
    std::string kernel_hash;  // it goes into the output file of this kernel
    std::string json;         // without occurrence_id and the closing brace
  };
  // In order of first sight of the sessions, those of stand-ins first.
  std::vector<Event> analyses(const run::Run& run) const;

  // Likewise; goes behind the analyses of each file that has one. Empty: there is none.
  std::string summary(const run::Run& run) const;

  struct Session;

 private:
  void add(const run::Run& run, run::Id stack, const trace::Compilation& event,
           std::string_view python_source_json, bool stand_in);
  Session* session_of(const run::Run& run, run::Id stack);
  // `alike`: the sessions that compiled the config which won here.
  Event analysis(const run::Run& run, const Session& session,
                 const std::vector<const Session*>& alike) const;
  std::optional<ConfigParams> params_for(const Session& session, const std::string& hash) const;

  std::vector<std::unique_ptr<Session>> sessions_;  // in order of first sight
  std::map<run::Id, size_t> index_;                 // by number in Run::sessions
  std::map<std::string, ConfigParams> params_;      // of each compiled hash of the rank
  size_t stand_ins_ = 0;
};

}  // namespace ks::ndjson
