#pragma once
// One stage's line map before it becomes JSON, and the writing of `payload.source_mappings` from
// the maps of all stages. Shared by the exact copy of the reference and by our mended maps.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ks::ndjson {

// Distinct file names. Views: the texts must outlive the table.
class FileTable {
 public:
  uint32_t id(std::string_view file);
  std::string_view name(uint32_t id) const { return names_[id]; }
  size_t size() const { return names_.size(); }

 private:
  std::vector<std::string_view> names_;
  std::unordered_map<std::string_view, uint32_t> ids_;
};

// What an MLIR location id adds to an entry.
struct EntryDetail {
  std::string_view loc_id, alias_name, callee, caller;
  bool is_callsite = false, is_alias = false, has_name = false;
};

inline constexpr uint32_t kNoDetail = std::numeric_limits<uint32_t>::max();

struct MapEntry {
  uint64_t line = 0, column = 0;  // in the source file
  uint32_t text_line = 0;         // in the stage's text, from 1
  uint32_t file = 0;              // FileTable id
  uint32_t detail = kNoDetail;    // index into StageMap::details
  bool loc_def = false;           // the line defines a location, it is no code
};

// An entry of the python map: a source line and a line of the stage's text.
struct PythonRef {
  uint64_t line = 0;
  uint32_t text_line = 0;
};

struct StageMap {
  std::string stage;              // key in source_mappings: "ttir"
  std::string line_key;           // "ttir_line"
  bool has_columns = true;        // false for sass: joined by file and line alone
  std::vector<MapEntry> entries;  // in output order, one per text line
  std::vector<EntryDetail> details;
  std::vector<PythonRef> python;  // in output order; empty: none
};

// Lists of joined lines repeat per entry, so their text can grow with the square of the input. Past
// this many bytes per compilation the lists are left out.
inline constexpr size_t kMaxJoinedBytes = size_t{256} << 20;

// {stage: {line: entry}, ..., "python": {...}}. Stages without entries are left out.
std::string write_source_mappings(const std::vector<StageMap>& stages, const FileTable& files);

// For each entry of `from` (by position) the sorted text lines of `to` at the same place, as
// indices into one flat list: the join behind "{other}_lines".
struct JoinedLines {
  std::vector<uint32_t> lines;                       // grouped by place, sorted within a group
  std::vector<std::pair<uint32_t, uint32_t>> range;  // per entry of `from`: begin, end in lines
};
JoinedLines join_lines(const StageMap& from, const StageMap& to);

}  // namespace ks::ndjson
