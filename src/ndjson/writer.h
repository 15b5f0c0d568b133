#pragma once
// The reference's folder of parsed traces: *.ndjson.gz, rank_N/*.ndjson.gz, log_file_list.json
// (docs/trace-format.md). Sees the records as they are read, keeps the lines compressed on disk
// until the kernels' order is known, and writes the files at the end.

#include <filesystem>

#include "run/observer.h"

namespace ks::ndjson {

struct WriterOptions {
  bool exact = false;  // what tritonparse 4e5fbc4 writes, defects included; the run must be read
                       // with ReadOptions::exact. Otherwise with those defects mended.
  bool split = true;   // one file per frame of torch.compile
  std::string requested_rank;  // "3", "none" or empty for all: what the reference's list names
};

class Writer : public run::Observer {
 public:
  // `folder` must exist; files of the same names in it are replaced.
  static Result<std::unique_ptr<Writer>> create(std::filesystem::path folder,
                                                WriterOptions options);
  ~Writer() override;

  std::unique_ptr<run::Prepared> prepare(
      const trace::DecodedBlock& block,
      std::span<const run::DigestedCompilation> compilations) override;
  Result<> begin_rank(const run::Run& run, const io::RankGroup& group) override;
  Result<> begin_block(const run::Run& run, run::Id process, const trace::DecodedBlock& block,
                       run::Prepared* prepared) override;
  Result<> compilation(const run::Run& run, run::Id id, const trace::Compilation& event,
                       size_t index) override;
  Result<> launch(const run::Run& run, const run::LaunchRow& row,
                  std::span<const uint64_t> pointers, size_t index) override;
  Result<> autotune(const run::Run& run, run::Id stack, const trace::Autotune& event,
                    size_t index) override;

  // After run::read(): writes everything. Returns the path of log_file_list.json.
  Result<std::filesystem::path> finish(const run::Run& run);

 private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Removes what an earlier Writer left in the folder: the files that its log_file_list.json names,
// and that file. Names that a Writer would not give are left alone.
void remove_listed_files(const std::filesystem::path& folder);

}  // namespace ks::ndjson
