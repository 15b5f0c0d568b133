#pragma once
// The lines of a block as they go out, but for what is only known in input order: done on worker
// threads.

#include "io/gzip_chunks.h"
#include "ndjson/reference_roofline.h"
#include "run/observer.h"

namespace ks::ndjson {

struct LaunchText {
  uint64_t group_hash = 0;
  bool valid = false;
  std::string rewritten;  // without the closing brace; empty: the line goes out as it is
};

struct CompilationText {
  io::CompressedChunk head;     // the line without its closing brace and line end
  std::string ir_analysis;      // JSON object, or empty
  std::optional<CtaCost> cost;  // the kernel has a roofline event if it has launches
  std::string python_source;    // JSON text of payload.python_source, or empty
};

struct BlockText : run::Prepared {
  std::vector<LaunchText> launches;           // by record; empty entries for others
  std::vector<CompilationText> compilations;  // in the order of the block's compilations
};

std::unique_ptr<BlockText> make_block_text(const trace::DecodedBlock& block,
                                           std::span<const run::DigestedCompilation> compilations,
                                           bool exact);

// The line without its closing brace and what is behind it.
std::string_view open_ended(std::string_view line);

}  // namespace ks::ndjson
