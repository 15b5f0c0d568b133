#include "store/run_writer.h"

#include <utility>

namespace ks::store {
namespace {

constexpr size_t kBatchRows = 2048;
// Texts wait in memory: enough to bridge the pauses of either side, no more.
constexpr size_t kQueueBytes = 3u << 20;

}  // namespace

Result<std::unique_ptr<RunWriter>> RunWriter::create(std::string path, WriteOptions options,
                                                     std::string tool_version) {
  return std::unique_ptr<RunWriter>(
      new RunWriter(std::move(path), std::move(options), std::move(tool_version)));
}

RunWriter::RunWriter(std::string path, WriteOptions options, std::string tool_version)
    : queue_(kQueueBytes),
      thread_([this, path = std::move(path), options = std::move(options),
               version = std::move(tool_version)] { work(path, options, version); }) {}

RunWriter::~RunWriter() { queue_.close(); }

void RunWriter::work(const std::string& path, const WriteOptions& options,
                     const std::string& tool_version) {
  const auto keep = [this](Result<> result) {
    std::lock_guard lock(mutex_);
    if (status_) status_ = std::move(result);
    return status_.has_value();
  };
  Result<RunStream> stream = RunStream::create(path, options, tool_version);
  bool good = stream.has_value();
  if (good) {
    stream_.emplace(std::move(*stream));
  } else {
    keep(tl::make_unexpected(stream.error()));
  }
  // After an error the jobs are still taken, so that nobody waits for room in the queue.
  while (std::optional<Job> job = queue_.pop()) {
    if (good) good = keep(std::visit([this](auto& j) { return stream_->add(j); }, *job));
  }
}

Result<> RunWriter::status() {
  std::lock_guard lock(mutex_);
  return status_;
}

Result<> RunWriter::kernel(const run::Run& run, run::Id id, std::vector<run::StageText>& texts) {
  const run::Kernel& kernel = run.kernels[id];
  KernelTexts job{id, std::move(texts), kernel.artifacts, kernel.facts.schedules};
  const size_t bytes = job.bytes();
  queue_.push(std::move(job), bytes);
  return status();
}

Result<> RunWriter::launch(const run::Run&, const run::LaunchRow& row,
                           std::span<const uint64_t> pointers, size_t) {
  batch_.rows.push_back(row);
  batch_.pointers.insert(batch_.pointers.end(), pointers.begin(), pointers.end());
  batch_.pointer_counts.push_back(static_cast<uint32_t>(pointers.size()));
  return batch_.rows.size() < kBatchRows ? Result<>() : send_batch();
}

Result<> RunWriter::send_batch() {
  const size_t bytes = batch_.bytes();
  queue_.push(std::exchange(batch_, {}), bytes);
  return status();
}

Result<> RunWriter::finish(const run::Run& run) {
  if (Result<> sent = send_batch(); !sent) return sent;
  queue_.close();
  thread_.join();
  if (Result<> done = status(); !done) return done;
  return stream_->finish(run);
}

}  // namespace ks::store
