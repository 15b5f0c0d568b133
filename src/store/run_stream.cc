#include "store/run_stream.h"

#include <fmt/format.h>

#include <utility>

#include "store/run_tables.h"
#include "store/schema.h"

namespace ks::store {
namespace {

using C = ColumnType;

// Texts in one row group. A reader decompresses up to 2048 rows for one of them: 16 MB take about
// 20 ms. The writer holds a row group in memory until it is full.
constexpr size_t kTextBytesPerRowGroup = 16u << 20;

// A text is one block of DuckDB's memory, several times while it is written. One this large does
// not fit into the limit that is right for all others.
constexpr size_t kHugeText = 8u << 20;
constexpr std::string_view kMemoryForHugeTexts = "SET memory_limit = '2GB'";

Result<Connection> start(Database& database, const std::string& tool_version) {
  Result<Connection> connection = database.connect();
  if (!connection) return connection;
  const std::string setup =
      fmt::format("BEGIN;\n{}\nINSERT INTO meta VALUES ('kernelscope run', {}, {});", schema_sql(),
                  kSchemaVersion, quote_sql_text(tool_version));
  if (Result<> done = connection->execute(setup); !done) return tl::make_unexpected(done.error());
  return connection;
}

}  // namespace

RunStream::RunStream(Database database, Connection connection, Tables tables)
    : database_(std::move(database)),
      connection_(std::move(connection)),
      tables_(std::move(tables)) {}

Result<RunStream> RunStream::create(const std::string& path, const WriteOptions& options,
                                    const std::string& tool_version) {
  Result<Database> database = Database::create(path, options);
  if (!database) return tl::make_unexpected(database.error());
  Result<Connection> connection = start(*database, tool_version);
  if (!connection) return tl::make_unexpected(connection.error());
  auto launches = TableWriter::open(*connection, "_launches",
                                    {C::u64, C::u32, C::u32, C::timestamp, C::u64_list});
  if (!launches) return tl::make_unexpected(launches.error());
  auto artifacts =
      TableWriter::open(*connection, "artifacts",
                        {C::u32, C::u32, C::text, C::text, C::u64, C::u32, C::u32, C::u32, C::u32});
  if (!artifacts) return tl::make_unexpected(artifacts.error());
  auto texts = TableWriter::open(*connection, "_texts", {C::u32, C::text});
  if (!texts) return tl::make_unexpected(texts.error());
  auto schedules = TableWriter::open(
      *connection, "loop_schedules",
      {C::u32, C::u32, C::u32, C::u32, C::text, C::u32, C::text, C::u32, C::text, C::u32});
  if (!schedules) return tl::make_unexpected(schedules.error());
  auto maps = SourceMapWriter::open(*connection);
  if (!maps) return tl::make_unexpected(maps.error());
  return RunStream(std::move(*database), std::move(*connection),
                   Tables{std::move(*launches), std::move(*artifacts), std::move(*texts),
                          std::move(*schedules), std::move(*maps)});
}

Result<> RunStream::add_text(uint32_t artifact_id, std::string_view text) {
  if (text.size() > kHugeText && !huge_texts_) {
    if (Result<> set = connection_->execute(kMemoryForHugeTexts); !set) return set;
    huge_texts_ = true;
  }
  TableWriter& texts = tables_->texts;
  if (text_bytes_ > 0 && text_bytes_ + text.size() > kTextBytesPerRowGroup) {
    texts.pad_row_group(kRowGroupSize);
    text_bytes_ = 0;
  }
  texts.u32(artifact_id).text(text).end_row();
  text_bytes_ += text.size();
  return {};
}

void RunStream::add_schedules(run::Id kernel, const std::vector<ir::LoopSchedule>& schedules) {
  TableWriter& w = tables_->schedules;
  uint32_t loop = 0;
  for (const ir::LoopSchedule& schedule : schedules) {
    const std::pair<std::string_view, const std::vector<ir::ScheduledOp>*> phases[] = {
        {"prologue", &schedule.prologue},
        {"body", &schedule.body},
        {"epilogue", &schedule.epilogue}};
    for (const auto& [phase, ops] : phases) {
      uint32_t position = 0;
      for (const ir::ScheduledOp& op : *ops) {
        w.u32(kernel).u32(loop).u32(schedule.ttir_line).u32(schedule.ttgir_line).text(phase);
        w.u32(position++).text(op.op).u32(op.ttgir_line).text_or_null(op.source_file);
        w.u32(op.source_line).end_row();
      }
    }
    ++loop;
  }
}

size_t KernelTexts::bytes() const {
  size_t sum = 0;
  for (const run::StageText& text : texts) {
    sum += text.text.size() + text.map.lines.size() * sizeof(ir::LineRef) +
           text.map.frames.size() * sizeof(ir::Frame) + text.map.chains.size() * sizeof(ir::Chain);
  }
  return sum;
}

size_t LaunchBatch::bytes() const {
  return rows.size() * (sizeof(run::LaunchRow) + sizeof(uint32_t)) +
         pointers.size() * sizeof(uint64_t);
}

Result<> RunStream::add(const KernelTexts& kernel) {
  tables_->maps.begin_kernel();
  for (size_t i = 0; i < kernel.texts.size() && i < kernel.artifacts.size(); ++i) {
    const run::ArtifactInfo& info = kernel.artifacts[i];
    const uint32_t artifact = artifacts_++;
    const std::string_view stage =
        info.stage == ir::Stage::other ? std::string_view(info.extension) : to_string(info.stage);
    TableWriter& w = tables_->artifacts;
    w.u32(artifact).u32(kernel.kernel).text(stage).text(info.name).u64(info.bytes).u32(info.lines);
    w.u32(info.coverage.mapped).u32(info.coverage.unmapped).u32(info.coverage.unknown_location);
    w.end_row();
    if (Result<> written = add_text(artifact, kernel.texts[i].text); !written) return written;
    tables_->maps.add(artifact, kernel.texts[i].map);
  }
  add_schedules(kernel.kernel, kernel.schedules);
  return {};
}

Result<> RunStream::add(const LaunchBatch& batch) {
  TableWriter& w = tables_->launches;
  const uint64_t* pointers = batch.pointers.data();
  for (size_t i = 0; i < batch.rows.size(); ++i) {
    const run::LaunchRow& row = batch.rows[i];
    w.u64(row.id).u32(row.launch_class);
    row.position == run::kNone ? w.null() : w.u32(row.position);
    row.time == 0 ? w.null() : w.timestamp(row.time * 1'000'000);
    w.u64_list({pointers, batch.pointer_counts[i]}).end_row();
    pointers += batch.pointer_counts[i];
  }
  return {};
}

Result<> RunStream::finish(const run::Run& run) {
  Tables& s = *tables_;
  for (TableWriter* writer : {&s.launches, &s.artifacts, &s.texts, &s.schedules}) {
    if (Result<> closed = writer->close(); !closed) return closed;
  }
  if (Result<> closed = s.maps.close(); !closed) return closed;
  if (Result<> written = write_run_tables(*connection_, run); !written) return written;
  if (Result<> committed = connection_->execute("COMMIT"); !committed) return committed;
  tables_.reset();
  Result<> detached = connection_->execute("USE memory; DETACH run");
  connection_.reset();
  database_.reset();
  return detached;
}

}  // namespace ks::store
