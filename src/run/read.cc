#include "run/read.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "base/ordered_pipeline.h"
#include "run/builder.h"
#include "run/digest.h"
#include "trace/torch_trace.h"

namespace ks::run {

namespace {

// Small enough to keep several blocks in flight within few MB.
constexpr size_t kBlockSize = 512U << 10;

class Clock {  // adds the time until its end to a sum, which threads share
 public:
  explicit Clock(std::atomic<int64_t>& sum) : sum_(sum) {}
  ~Clock() { sum_ += std::chrono::nanoseconds(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::atomic<int64_t>& sum_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Sums {
  std::atomic<int64_t> read{0}, decode{0}, analyse{0}, prepare{0}, build{0};
};

struct PlannedFile {
  io::InputFile input;
  size_t group = 0;
  Id file = kNone;
  Id process = kNone;
};

struct RawBlock {
  io::Block block;
  const PlannedFile* file = nullptr;
  uint64_t number = 0;  // in the run
};

struct DigestedBlock {
  const PlannedFile* file = nullptr;
  trace::DecodedBlock decoded;
  std::vector<DigestedCompilation> compilations;  // in the order of the records
  std::vector<std::unique_ptr<Prepared>> prepared;
};

// The producer: one file after the other, cut into blocks. Used by one thread at a time.
class Feed {
 public:
  Feed(const std::vector<PlannedFile>& files, const ReadOptions& options)
      : files_(files), limits_(options.limits) {}

  std::optional<RawBlock> next() {
    RawBlock block;
    block.number = blocks_++;
    for (; next_ < files_.size() || reader_; reader_.reset()) {
      if (!reader_) open();
      block.file = &files_[next_ - 1];
      if (!reader_) {
        std::swap(block.block.diagnostics, stream_);
        return block;
      }
      auto more = reader_->next(block.block);
      if (more && *more) return block;
      if (!more) stream_.add(Diag::unreadable_file, more.error().message);
      block.block = io::Block();
      std::swap(block.block.diagnostics, stream_);  // what decompression had to say
      reader_.reset();
      return block;
    }
    return std::nullopt;
  }

 private:
  void open() {
    const io::InputFile& input = files_[next_++].input;
    Result<std::unique_ptr<io::Source>> source =
        input.path == "-" ? io::open_stdin() : io::open_file(input.path);
    if (!source) {
      stream_.add(Diag::unreadable_file, source.error().message);
      return;
    }
    reader_.emplace(io::decoded(std::move(*source), limits_, input.name, stream_), input.name,
                    limits_, kBlockSize);
  }

  const std::vector<PlannedFile>& files_;
  const io::Limits& limits_;
  size_t next_ = 0;
  uint64_t blocks_ = 0;
  Diagnostics stream_;  // of the current file; declared before its user
  std::optional<io::BlockReader> reader_;
};

// What is done on worker threads.
class Worker {
 public:
  Worker(const ReadOptions& options, std::span<Observer* const> observers, Sums& sums)
      : options_(options), observers_(observers), sums_(sums) {}

  DigestedBlock operator()(RawBlock raw) {
    DigestedBlock out;
    out.file = raw.file;
    {
      Clock clock(sums_.decode);
      out.decoded =
          decoder().decode(std::move(raw.block), raw.file->input.name, raw.file->process + 1);
    }
    {
      Clock clock(sums_.analyse);
      for (size_t i = 0; i < out.decoded.records.size(); ++i) {
        auto* event = std::get_if<trace::Compilation>(&out.decoded.records[i].event);
        if (!event) continue;
        out.compilations.push_back(digest_record(*event, raw, out.decoded, i));
        out.compilations.back().index = i;
      }
    }
    Clock clock(sums_.prepare);
    for (Observer* o : observers_)
      out.prepared.push_back(o->prepare(out.decoded, out.compilations));
    return out;
  }

 private:
  // One per thread: it keeps its buffers.
  trace::Decoder& decoder() {
    std::lock_guard lock(mutex_);
    return decoders_.try_emplace(std::this_thread::get_id(), options_.limits.max_depth)
        .first->second;
  }

  DigestedCompilation digest_record(trace::Compilation& event, const RawBlock& raw,
                                    const trace::DecodedBlock& block, size_t index) {
    const uint64_t order = raw.number << 32 | index;
    if (!first_.claim(event.hash, order) && !options_.all_texts) {
      DigestedCompilation repeated;
      event.artifacts.clear();
      repeated.event = std::move(event);
      return repeated;
    }
    const io::Line& line = block.block.lines[block.records[index].line];
    return digest(std::move(event), options_.analyse,
                  raw.file->input.name + ":" + std::to_string(line.number));
  }

  const ReadOptions& options_;
  std::span<Observer* const> observers_;
  Sums& sums_;
  FirstCompilations first_;
  std::mutex mutex_;
  std::map<std::thread::id, trace::Decoder> decoders_;  // the map is guarded by mutex_
};

// What is done in input order, on one thread.
class Assembler {
 public:
  Assembler(const std::vector<io::RankGroup>& groups, Builder& builder,
            std::span<Observer* const> observers)
      : groups_(groups), builder_(builder), observers_(observers) {}

  Result<> add(DigestedBlock& block) {
    if (auto r = enter(block.file->group + 1); !r) return r;
    Run& run = builder_.run();
    File& file = run.files[block.file->file];
    file.bytes += block.decoded.block.size();
    if (!block.decoded.block.lines.empty()) file.lines = block.decoded.block.lines.back().number;
    run.diagnostics.merge(block.decoded.diagnostics);
    for (size_t i = 0; i < observers_.size(); ++i) {
      auto r = observers_[i]->begin_block(run, block.file->process, block.decoded,
                                          block.prepared[i].get());
      if (!r) return r;
    }
    if (auto r = add_records(block); !r) return r;
    for (Observer* o : observers_) {
      if (auto r = o->end_block(run); !r) return r;
    }
    return {};
  }

  // Ends the ranks before number `count` and begins it; ranks without any block have their turn.
  Result<> enter(size_t count) {
    while (entered_ < count) {
      if (auto r = leave(); !r) return r;
      for (Observer* o : observers_) {
        if (auto r = o->begin_rank(builder_.run(), groups_[entered_]); !r) return r;
      }
      ++entered_;
    }
    return {};
  }

  Result<> leave() {
    if (entered_ == 0) return {};
    for (Observer* o : observers_) {
      if (auto r = o->end_rank(builder_.run()); !r) return r;
    }
    return {};
  }

 private:
  Result<> add_records(DigestedBlock& block) {
    next_compilation_ = 0;
    for (size_t i = 0; i < block.decoded.records.size(); ++i) {
      if (auto r = add_record(block, i); !r) return r;
    }
    return {};
  }

  Result<> add_record(DigestedBlock& block, size_t i) {
    const Id process = block.file->process;
    const trace::Record& record = block.decoded.records[i];
    if (std::holds_alternative<trace::Launch>(record.event)) {
      return builder_.launch(process, block.decoded, record, i, block.file->input.name);
    }
    if (const auto* autotune = std::get_if<trace::Autotune>(&record.event)) {
      return builder_.autotune(process, *autotune, i);
    }
    return builder_.compilation(process, std::move(block.compilations[next_compilation_++]));
  }

  const std::vector<io::RankGroup>& groups_;
  Builder& builder_;
  std::span<Observer* const> observers_;
  size_t entered_ = 0;
  size_t next_compilation_ = 0;  // of the current block
};

std::vector<PlannedFile> plan(const std::vector<io::RankGroup>& groups, Builder& builder) {
  std::vector<PlannedFile> files;
  for (size_t g = 0; g < groups.size(); ++g) {
    for (const io::InputFile& input : groups[g].files) {
      const Id process = builder.add_process(input, groups[g].rank);
      files.push_back({input, g, builder.add_file(input.name, process), process});
    }
  }
  return files;
}

// Logs beside the traces count too; the reference loses those (its BUG 8).
Result<trace::KernelFrames> torch_frames(const std::vector<io::RankGroup>& groups,
                                         const ReadOptions& options, Diagnostics& diagnostics) {
  std::vector<std::string> beside;
  for (const io::RankGroup& group : groups) {
    for (const io::InputFile& file : group.files) {
      if (file.path == "-" || options.exact) continue;
      std::string folder = std::filesystem::path(file.path).parent_path().string();
      if (folder.empty()) folder = ".";
      if (std::find(beside.begin(), beside.end(), folder) == beside.end()) beside.push_back(folder);
    }
  }
  auto logs = io::find_torch_traces(options.torch_traces);
  if (!logs) return tl::make_unexpected(logs.error());
  // Nobody asked for those beside the traces, so a folder that cannot be listed is no error.
  if (auto found = io::find_torch_traces(beside)) {
    logs->insert(logs->end(), found->begin(), found->end());
  }
  trace::KernelFrames frames;
  for (const io::InputFile& log : *logs) {
    auto source = io::open_file(log.path);
    if (!source) {
      diagnostics.add(Diag::unreadable_file, source.error().message);
      continue;
    }
    auto decoded = io::decoded(std::move(*source), options.limits, log.name, diagnostics);
    auto r =
        trace::read_torch_trace(std::move(decoded), log.name, options.limits, frames, diagnostics);
    if (!r) diagnostics.add(Diag::unreadable_file, r.error().message);
  }
  return frames;
}

double in_seconds(const std::atomic<int64_t>& nanoseconds) {
  return static_cast<double>(nanoseconds) * 1e-9;
}

}  // namespace

Result<Run> read(const std::vector<io::RankGroup>& groups, const ReadOptions& options,
                 std::span<Observer* const> observers, ReadTimings* timings) {
  Sums sums;
  Diagnostics diagnostics;
  auto frames = torch_frames(groups, options, diagnostics);
  if (!frames) return tl::make_unexpected(frames.error());
  Builder builder({{options.exact}, options.limits.max_depth, std::move(*frames)}, observers);
  builder.run().diagnostics.merge(diagnostics);
  const std::vector<PlannedFile> files = plan(groups, builder);

  Feed feed(files, options);
  Worker worker(options, observers, sums);
  Assembler assembler(groups, builder, observers);
  Result<> status;
  ordered_pipeline(
      options.threads, options.threads + 2,
      [&] {
        Clock clock(sums.read);
        return feed.next();
      },
      [&](RawBlock block) { return worker(std::move(block)); },
      [&](DigestedBlock block) {
        Clock clock(sums.build);
        if (options.interrupted && *options.interrupted) {
          status = fail(ErrorKind::interrupted, "interrupted");
          return false;
        }
        status = assembler.add(block);
        return status.has_value();
      });
  if (status) status = assembler.enter(groups.size());
  if (status) status = assembler.leave();
  if (!status) return tl::make_unexpected(status.error());
  if (timings) {
    *timings = {in_seconds(sums.read), in_seconds(sums.decode), in_seconds(sums.analyse),
                in_seconds(sums.prepare), in_seconds(sums.build)};
  }
  return builder.finish();
}

}  // namespace ks::run
