#pragma once
// The part of a run that goes into its file while it is read. Used by one thread at a time.

#include "run/observer.h"
#include "store/connection.h"
#include "store/source_map_writer.h"
#include "store/table_writer.h"

namespace ks::store {

// A kernel's texts with what describes them.
struct KernelTexts {
  run::Id kernel = run::kNone;
  std::vector<run::StageText> texts;
  std::vector<run::ArtifactInfo> artifacts;
  std::vector<ir::LoopSchedule> schedules;
  size_t bytes() const;
};

struct LaunchBatch {
  std::vector<run::LaunchRow> rows;
  std::vector<uint64_t> pointers;        // of all rows, back to back
  std::vector<uint32_t> pointer_counts;  // per row
  size_t bytes() const;
};

class RunStream {
 public:
  // Creates the file; `path` must not exist. `tool_version` goes into the table meta.
  static Result<RunStream> create(const std::string& path, const WriteOptions& options,
                                  const std::string& tool_version);
  RunStream(RunStream&&) = default;

  Result<> add(const KernelTexts& kernel);
  Result<> add(const LaunchBatch& launches);

  // Writes the rest and closes the file. One transaction: nothing can be read before.
  Result<> finish(const run::Run& run);

 private:
  struct Tables {
    TableWriter launches, artifacts, texts, schedules;
    SourceMapWriter maps;
  };
  RunStream(Database database, Connection connection, Tables tables);

  Result<> add_text(uint32_t artifact_id, std::string_view text);
  void add_schedules(run::Id kernel, const std::vector<ir::LoopSchedule>& schedules);

  std::optional<Database> database_;
  std::optional<Connection> connection_;  // closed before the database
  std::optional<Tables> tables_;          // closed before the connection
  uint32_t artifacts_ = 0;
  bool huge_texts_ = false;
  size_t text_bytes_ = 0;  // in the row group at hand
};

}  // namespace ks::store
