#pragma once
// Source maps into the tables _maps, _map_chains, _map_frames and _map_strings. The same frames and
// chains come back in every stage of a kernel, so they are interned within a kernel; file and
// function names over the whole run.

#include <tsl/robin_map.h>

#include <string>
#include <vector>

#include "base/hash.h"
#include "ir/source_map.h"
#include "store/table_writer.h"

namespace ks::store {

class SourceMapWriter {
 public:
  static Result<SourceMapWriter> open(Connection& connection);

  void begin_kernel();  // what follows is of another kernel
  void add(uint32_t artifact_id, const ir::SourceMap& map);
  Result<> close();

 private:
  SourceMapWriter(TableWriter maps, TableWriter chains, TableWriter frames, TableWriter strings);

  uint32_t intern_string(const std::string& text);
  uint32_t intern_frame(const ir::Frame& frame);  // with file and function already of the run
  uint32_t intern_chain(const ir::SourceMap& map, const ir::Chain& chain);

  TableWriter maps_, chains_, frames_, strings_;
  // What was stored, and how many numbers were given out.
  template <typename Key>
  struct Known {
    tsl::robin_map<Key, uint32_t, std::hash<Key>> ids;
    uint32_t next = 0;
    std::pair<uint32_t, bool> intern(const Key& key);  // the number, and whether it is new
  };

  Known<std::string> known_strings_;
  Known<Hash128> known_frames_, known_chains_;
  std::vector<uint32_t> local_strings_, local_frames_, local_chains_;  // of the map at hand
  std::vector<uint32_t> lines_, line_chains_, chain_frames_;
};

}  // namespace ks::store
