#include "cli/parse_job.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>

#include "base/version.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "ndjson/writer.h"
#include "store/run_file.h"
#include "store/run_writer.h"

namespace ks::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string rank_name(std::optional<int> rank) { return rank ? fmt::format("{}", *rank) : "none"; }

// Keeps the files of one rank.
Result<> select_rank(std::vector<io::RankGroup>& groups, const std::string& wanted) {
  if (wanted.empty()) return {};
  std::string there;
  for (const io::RankGroup& group : groups) {
    there += (there.empty() ? "" : ", ") + rank_name(group.rank);
  }
  std::erase_if(groups,
                [&](const io::RankGroup& group) { return rank_name(group.rank) != wanted; });
  if (!groups.empty()) return {};
  return fail(ErrorKind::input,
              fmt::format("no trace of rank {}; the input has: {}", wanted, there));
}

Result<std::vector<io::RankGroup>> find_groups(const ParseJob& job, Diagnostics& diagnostics) {
  Result<std::vector<io::InputFile>> files = io::find_inputs(job.inputs, diagnostics);
  if (!files) return tl::make_unexpected(files.error());
  // Whoever asks for the files without a rank wants those that a rank would have been guessed for.
  const bool guess = job.pre_init_attribution && job.rank != "none";
  auto groups = io::group_by_rank(std::move(*files), guess, diagnostics);
  if (Result<> chosen = select_rank(groups, job.rank); !chosen) {
    return tl::make_unexpected(chosen.error());
  }
  return groups;
}

uint64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

// A file that is no trace at all gives an error, not an empty run.
Result<> check_content(const run::Run& run) {
  if (!run.kernels.empty() || run.launches > 0 || run.diagnostics.lossless()) return {};
  return fail(ErrorKind::input,
              "nothing in the input is a record of a Triton trace; expected are the NDJSON files "
              "that TRITON_TRACE or tritonparse leave, compressed or not\n" +
                  report::diagnostics_text(run.diagnostics, {}));
}

}  // namespace

unsigned default_threads() { return std::clamp(std::thread::hardware_concurrency(), 1U, 16U); }

Result<ParseDone> run_parse(const ParseJob& job, Terminal& terminal) {
  const Clock::time_point start = Clock::now();
  Diagnostics diagnostics;
  const auto groups = find_groups(job, diagnostics);
  if (!groups) return tl::make_unexpected(groups.error());

  const Interrupts interrupts;
  Result<store::RunFile> file = store::RunFile::create(job.folder, job.overwrite);
  if (!file) return tl::make_unexpected(file.error());
  store::WriteOptions write_options;
  write_options.temp_directory = file->temp_directory();
  auto writer = store::RunWriter::create(file->path(), write_options, std::string(kVersion));
  if (!writer) return tl::make_unexpected(writer.error());

  Progress progress(terminal);
  std::vector<run::Observer*> observers = {writer->get(), &progress};
  std::unique_ptr<ndjson::Writer> ndjson;
  if (job.ndjson) {
    auto made = ndjson::Writer::create(job.folder, {job.compat, true, job.rank});
    if (!made) return tl::make_unexpected(made.error());
    ndjson = std::move(*made);
    observers.push_back(ndjson.get());
  }

  run::ReadOptions options = job.read;
  options.exact = job.compat;
  options.all_texts = job.ndjson;
  options.interrupted = interrupts.flag();
  ParseDone done;
  Result<run::Run> run = run::read(*groups, options, observers, &done.timing.read);
  terminal.end_progress();
  if (!run) return tl::make_unexpected(run.error());
  diagnostics.merge(run->diagnostics);
  run->diagnostics = std::move(diagnostics);
  if (Result<> checked = check_content(*run); !checked) return tl::make_unexpected(checked.error());

  const Clock::time_point tables = Clock::now();
  ndjson::remove_listed_files(job.folder);
  // The database and the NDJSON files do not know of each other: one core each.
  std::future<Result<std::filesystem::path>> list;
  if (ndjson) list = std::async(std::launch::async, [&] { return ndjson->finish(*run); });
  const Result<> ended = (*writer)->finish(*run);
  if (list.valid()) {
    const Result<std::filesystem::path> written = list.get();
    if (!written) return tl::make_unexpected(written.error());
    done.file_list = written->string();
  }
  if (!ended) return tl::make_unexpected(ended.error());
  if (interrupts.flag()->load()) return fail(ErrorKind::interrupted, "interrupted");
  if (Result<> put = file->commit(); !put) return tl::make_unexpected(put.error());
  done.timing.finish_s = seconds_since(tables);
  done.timing.wall_s = seconds_since(start);
  for (const run::File& read : run->files) done.timing.bytes += read.bytes;
  done.timing.peak_rss_bytes = peak_rss_bytes();
  done.timing.threads = options.threads;
  done.run = std::move(*run);
  return done;
}

}  // namespace ks::cli
