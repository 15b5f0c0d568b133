#pragma once
// Writes a run into its file while it is read: launches, stage texts and source maps as they come,
// all else from the Run at the end. One transaction; nothing can be read before finish().

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/observer.h"
#include "store/connection.h"
#include "store/source_map_writer.h"
#include "store/table_writer.h"

namespace ks::store {

class RunWriter : public run::Observer {
 public:
  // Creates the file; `path` must not exist. `tool_version` goes into the table meta.
  static Result<std::unique_ptr<RunWriter>> create(const std::string& path,
                                                   const WriteOptions& options,
                                                   const std::string& tool_version);

  Result<> kernel(const run::Run& run, run::Id id, std::vector<run::StageText>& texts) override;
  Result<> launch(const run::Run& run, const run::LaunchRow& row,
                  std::span<const uint64_t> pointers, size_t index) override;

  // Writes the rest and closes the file.
  Result<> finish(const run::Run& run);

 private:
  struct Streams {
    TableWriter launches, artifacts, texts, schedules;
    SourceMapWriter maps;
  };

  RunWriter(Database database, Connection connection, Streams streams);

  Result<> write_text(uint32_t artifact_id, std::string_view text);
  void write_schedules(const run::Run& run, run::Id kernel);

  std::optional<Database> database_;
  std::optional<Connection> connection_;  // closed before the database
  std::optional<Streams> streams_;        // closed before the connection
  uint32_t artifacts_ = 0;
  bool huge_texts_ = false;
  size_t text_bytes_ = 0;  // in the row group at hand
};

}  // namespace ks::store
