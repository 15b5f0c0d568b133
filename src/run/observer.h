#pragma once
// Whoever wants to see each record as it is read, without the Run keeping it: the store, the
// NDJSON writer.

#include <memory>
#include <span>

#include "io/inputs.h"
#include "run/run.h"
#include "trace/decode.h"

namespace ks::run {

struct LaunchRow {
  uint64_t id = 0;  // number in the run, from 0
  Id group = kNone;
  Id launch_class = kNone;
  uint32_t position = 0;  // among the user launches of its group; kNone for other kinds
  int64_t time = 0;       // seconds since 1970 as written, 0 unknown
};

// One stage text with its map. Texts end here: they are not kept in the Run.
struct StageText {
  std::string name;
  std::string text;
  ir::SourceMap map;
};

// A compilation with what a worker made of its texts.
struct DigestedCompilation {
  size_t index = 0;  // of its record in the block
  trace::Compilation event;
  std::vector<StageText> texts;  // empty where the kernel's texts come earlier in the input
  std::vector<ArtifactInfo> artifacts;
  KernelFacts facts;
  Diagnostics diagnostics;
};

// Work done for a block on a worker thread.
struct Prepared {
  virtual ~Prepared() = default;
};

class Observer {
 public:
  virtual ~Observer() = default;

  // On worker threads, at the same time for several blocks: whatever can be done without knowing
  // what came before. May return null.
  // `compilations` are those of the block, in order; their records in the block are empty.
  virtual std::unique_ptr<Prepared> prepare(const trace::DecodedBlock&,
                                            std::span<const DigestedCompilation> compilations) {
    (void)compilations;
    return nullptr;
  }

  // All else on one thread, in input order. `run` is as far as it has been read.
  virtual Result<> begin_rank(const Run&, const io::RankGroup&) { return {}; }
  // `process` is that of the block's file.
  virtual Result<> begin_block(const Run&, Id process, const trace::DecodedBlock&, Prepared*) {
    (void)process;
    return {};
  }
  // The first compilation of a kernel; `texts` may be taken. `index` is the record's in the block.
  virtual Result<> kernel(const Run&, Id, std::vector<StageText>& texts) {
    (void)texts;
    return {};
  }
  // Every compilation, also repeated ones, after kernel().
  virtual Result<> compilation(const Run&, Id, const trace::Compilation&, size_t index) {
    (void)index;
    return {};
  }
  virtual Result<> launch(const Run&, const LaunchRow&, std::span<const uint64_t> pointers,
                          size_t index) {
    (void)pointers, (void)index;
    return {};
  }
  virtual Result<> autotune(const Run&, Id stack, const trace::Autotune&, size_t index) {
    (void)stack, (void)index;
    return {};
  }
  virtual Result<> end_block(const Run&) { return {}; }
  virtual Result<> end_rank(const Run&) { return {}; }
};

}  // namespace ks::run
