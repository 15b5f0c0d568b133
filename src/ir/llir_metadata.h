#pragma once
// LLVM debug metadata: the !N = !DI...(...) lines of a module, and the chains of its DILocations.

#include "ir/map_builder.h"

namespace ks::ir {

class DebugMetadata {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  DebugMetadata(MapBuilder& builder, size_t text_size)
      : builder_(builder), max_id_(static_cast<uint32_t>(text_size / 4 + 64)) {}

  void read_line(std::string_view line);  // "!7 = !DILocation(line: 3, ...)"; others are ignored

  struct Resolved {
    uint32_t chain = MapBuilder::kNoChain;
    bool unknown = false;  // line 0
  };
  Resolved resolve(uint32_t id);  // of a DILocation, or of a DISubprogram (a function's own line)

 private:
  enum class Kind : uint8_t { none, location, subprogram, block, block_file, file };
  struct Node {
    Kind kind = Kind::none;
    bool resolved = false;  // scopes: file and function below are final; locations: chain is
    uint32_t line = 0, column = 0;
    uint32_t scope = kNone;  // location, blocks
    uint32_t other = kNone;  // location: inlinedAt; else: file
    uint32_t name = 0;       // subprogram: its name; file: its path; once resolved, see below
    // Resolved scopes: the file's path and the subprogram that the scope belongs to.
    uint32_t path = 0;
    uint32_t subprogram = kNone;
    Resolved result;
  };

  void read_location(Node& node, std::string_view fields);
  void read_scope(Node& node, std::string_view fields);
  void read_file(Node& node, std::string_view fields);
  const Node* find(uint32_t id) const;
  const Node* resolve_scope(uint32_t id);
  void settle(uint32_t id, uint32_t parent);
  bool collect_frames(uint32_t id);
  Resolved resolve_location(uint32_t id);

  MapBuilder& builder_;
  uint32_t max_id_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> path_;
  std::vector<Frame> frames_;
  std::vector<uint32_t> subprograms_;  // of frames_
  std::string scratch_;
};

}  // namespace ks::ir
