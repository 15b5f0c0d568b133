#pragma once
// What is kept of one rank until its files are written (see writer.h).

#include <tsl/robin_set.h>

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ndjson/block_text.h"
#include "ndjson/diff_input.h"
#include "ndjson/reference_autotune.h"
#include "ndjson/spool.h"

namespace ks::ndjson {

// Lines of one kernel or of one group of launches, compressed as they grow.
class LineBuffer {
 public:
  Result<> append(Spool& spool, std::string_view line, std::string_view suffix);
  Result<> append_chunk(Spool& spool, const io::CompressedChunk& chunk);
  Result<> append_spooled(Spool& spool, const std::vector<SpooledChunk>& chunks);
  Result<> flush(Spool& spool);
  const std::vector<SpooledChunk>& chunks() const { return chunks_; }

 private:
  // There is one buffer for each kernel of a run. Longer pieces would compress better, as
  // each begins without a dictionary; a piece is about half a dozen launches.
  static constexpr size_t kFlushSize = 32 << 10;
  std::string text_;
  std::vector<SpooledChunk> chunks_;
};

// The launches of one run::LaunchGroup in one rank.
struct GroupOutput {
  struct Launch {
    uint64_t index;  // among all launches of the rank
    uint64_t occurrence_id;
    run::Id launch_class;
  };
  struct Pointers {
    PointerValues values;
    tsl::robin_set<uint64_t> seen;
  };

  LineBuffer lines;
  std::vector<Launch> launches;
  std::vector<run::ClassUse> uses;
  std::unordered_map<run::Id, size_t> use_of;  // by class
  std::map<run::Id, Pointers> pointers;        // by path
  tsl::robin_set<uint64_t> timestamps;         // hashes
  std::string first_timestamp;
  std::string last_timestamp;

  void add(const run::Run& run, const Launch& launch, std::span<const uint64_t> launch_pointers,
           std::string_view timestamp);
};

// A kernel of the rank: one hash.
struct KernelOutput {
  std::string hash;
  run::Id kernel = run::kNone;
  bool compiled = false;
  struct Head {  // its compilation in one file
    std::string file;
    LineBuffer line;
  };
  std::vector<Head> heads;  // the first is the reference's
  std::string ir_analysis;
  std::optional<CtaCost> cost;
  std::vector<run::Id> groups;  // by number in the run, in order of first launch
};

struct RankOutput {
  std::optional<int> rank;
  std::string base;                   // name of the first file without its extension
  std::vector<KernelOutput> kernels;  // in order of first sight
  std::unordered_map<std::string, size_t> kernel_of;  // by hash
  std::map<run::Id, GroupOutput> groups;
  ReferenceAutotune autotune;
  uint64_t next_occurrence = 0;
  uint64_t next_launch = 0;

  KernelOutput& kernel(const std::string& hash, run::Id id);
};

// The file of a frame. Without frame ids, or when files are not split: BASE_mapped.ndjson.
std::string output_file_name(const RankOutput& rank, const std::optional<trace::FrameIds>& frame);

// Everything that launch_diff wants of these groups, one after the other.
DiffInput diff_input(const RankOutput& rank, const std::vector<run::Id>& groups);

}  // namespace ks::ndjson
