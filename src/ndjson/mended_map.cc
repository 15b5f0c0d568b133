#include "ndjson/mended_map.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "ndjson/stage_map.h"

namespace ks::ndjson {
namespace {

using ir::Frame;
using ir::SourceMap;

std::string_view base_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

// Which strings of a map name the user's own file: the whole path, or its base name where the text
// has no more than that (PTX comments).
class OwnFile {
 public:
  OwnFile(const SourceMap& map, std::string_view path) : own_(map.strings.size()) {
    if (path.empty()) return;
    for (size_t i = 1; i < own_.size(); ++i) {
      const std::string_view name = map.strings[i];
      own_[i] = name == path || (name == base_name(path) && !name.empty());
    }
  }
  bool holds(const Frame& frame) const {
    return frame.line != 0 && frame.file < own_.size() && own_[frame.file];
  }

 private:
  std::vector<bool> own_;
};

std::span<const Frame> frames_of(const SourceMap& map, uint32_t chain) {
  const ir::Chain& c = map.chains[chain];
  return std::span(map.frames).subspan(c.first, c.count);
}

// A click on a user's line must reach code that was inlined into it, so the outermost frame of the
// user's own file stands for the chain; a chain wholly elsewhere is shown where it was written.
std::optional<Frame> shown_frame(std::span<const Frame> frames, const OwnFile& own) {
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (own.holds(*frame)) return *frame;
  }
  for (const Frame& frame : frames)
    if (frame.file != 0) return frame;
  return std::nullopt;
}

class Builder {
 public:
  Builder(const MappedStage& stage, const PythonSource* python, FileTable& files)
      : source_(*stage.map),
        python_(python),
        files_(files),
        own_(source_, python ? python->file_path : std::string_view()) {
    map_.stage = stage.stage;
    map_.line_key = map_.stage + "_line";
    map_.has_columns = stage.stage != "sass";
  }

  StageMap build() {
    for (const ir::LineRef& ref : source_.lines) {
      const std::span<const Frame> frames = frames_of(source_, ref.chain);
      add_entry(ref.line, frames);
      if (python_) add_python(ref.line, frames);
    }
    return std::move(map_);
  }

 private:
  // One entry per line: several chains of a line (fused locations, candidates for SASS) share it,
  // and the first in the user's own file is taken, else the first.
  void add_entry(uint32_t line, std::span<const Frame> frames) {
    const std::optional<Frame> frame = shown_frame(frames, own_);
    if (!frame) return;
    const bool same_line = !map_.entries.empty() && map_.entries.back().text_line == line;
    if (same_line && (entry_is_own_ || !own_.holds(*frame))) return;
    const std::string_view file = resolved(source_.strings[frame->file], own_.holds(*frame));
    const MapEntry entry{frame->line, map_.has_columns ? frame->column : 0, line, files_.id(file)};
    entry_is_own_ = own_.holds(*frame);
    if (same_line)
      map_.entries.back() = entry;
    else
      map_.entries.push_back(entry);
  }

  std::string_view resolved(std::string_view file, bool own) const {
    return own ? python_->file_path : file;
  }

  // Every frame in the user's file: the kernel's own line and those of its helpers.
  void add_python(uint32_t line, std::span<const Frame> frames) {
    if (line != python_line_) python_begin_ = map_.python.size();
    python_line_ = line;
    for (const Frame& frame : frames) {
      if (!own_.holds(frame)) continue;
      const auto seen = std::span(map_.python).subspan(python_begin_);
      // A few frames per line; a long list is not searched, it may then name a line twice.
      const auto recent = seen.last(std::min<size_t>(seen.size(), 64));
      const bool known =
          std::ranges::any_of(recent, [&](const PythonRef& ref) { return ref.line == frame.line; });
      if (!known) map_.python.push_back({frame.line, line});
    }
  }

  const SourceMap& source_;
  const PythonSource* python_;
  FileTable& files_;
  OwnFile own_;
  StageMap map_;
  bool entry_is_own_ = false;
  uint32_t python_line_ = 0;
  size_t python_begin_ = 0;
};

}  // namespace

std::string mended_source_mappings(std::span<const MappedStage> stages,
                                   const PythonSource* python) {
  FileTable files;
  std::vector<StageMap> maps;
  for (const MappedStage& stage : stages) {
    if (stage.map) maps.push_back(Builder(stage, python, files).build());
  }
  return write_source_mappings(maps, files);
}

}  // namespace ks::ndjson
