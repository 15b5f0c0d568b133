#pragma once
// Writes a run into its file while it is read. DuckDB works on a thread of its own, so that reading
// does not wait for it (nor for loading its library and making the tables).

#include <memory>
#include <string>
#include <thread>
#include <variant>

#include "base/bounded_queue.h"
#include "store/run_stream.h"

namespace ks::store {

class RunWriter : public run::Observer {
 public:
  // The file is created in the background; `path` must not exist. An error there comes with the
  // next call of one of the functions below. `tool_version` goes into the table meta.
  static Result<std::unique_ptr<RunWriter>> create(std::string path, WriteOptions options,
                                                   std::string tool_version);
  ~RunWriter() override;
  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;

  Result<> kernel(const run::Run& run, run::Id id, std::vector<run::StageText>& texts) override;
  Result<> launch(const run::Run& run, const run::LaunchRow& row,
                  std::span<const uint64_t> pointers, size_t index) override;

  // Writes the rest and closes the file.
  Result<> finish(const run::Run& run);

 private:
  RunWriter(std::string path, WriteOptions options, std::string tool_version);

  using Job = std::variant<KernelTexts, LaunchBatch>;

  void work(const std::string& path, const WriteOptions& options, const std::string& tool_version);
  Result<> status();
  Result<> send_batch();

  LaunchBatch batch_;
  BoundedQueue<Job> queue_;
  std::mutex mutex_;
  Result<> status_;                  // guarded by mutex_
  std::optional<RunStream> stream_;  // the thread's until it has ended
  std::jthread thread_;              // last: it uses all of the above
};

}  // namespace ks::store
