#include "ir/llir_metadata.h"

#include "ir/scan.h"

namespace ks::ir {
namespace {

// One "key: value" of a specialised metadata node.
struct Field {
  std::string_view key;
  std::string_view value;  // strings: with their quotes
};

bool take_field(std::string_view& fields, Field& field) {
  while (!fields.empty() && (is_blank(fields.front()) || fields.front() == ',')) {
    fields.remove_prefix(1);
  }
  field.key = take_identifier(fields);
  if (field.key.empty() || !take(fields, ":")) return false;
  skip_blanks(fields);
  std::string_view begin = fields;
  if (fields.starts_with('"')) {
    std::string_view inside;
    if (!take_quoted(fields, inside)) return false;
  } else {
    size_t end = 0;
    while (end < fields.size() && fields[end] != ',' && fields[end] != ')') ++end;
    fields.remove_prefix(end);
  }
  field.value = begin.substr(0, begin.size() - fields.size());
  return true;
}

uint32_t number_of(std::string_view value) {
  uint32_t number = 0;
  take_number(value, number);
  return number;
}

uint32_t id_of(std::string_view value) {
  uint32_t id = DebugMetadata::kNone;
  if (take(value, "!")) take_number(value, id);
  return id;
}

std::string_view text_of(std::string_view value) {
  return value.size() >= 2 ? value.substr(1, value.size() - 2) : std::string_view();
}

bool is_absolute(std::string_view path) {
  return path.starts_with('/') || path.starts_with('\\') || (path.size() > 1 && path[1] == ':');
}

}  // namespace

const DebugMetadata::Node* DebugMetadata::find(uint32_t id) const {
  return id < nodes_.size() && nodes_[id].kind != Kind::none ? &nodes_[id] : nullptr;
}

void DebugMetadata::read_location(Node& node, std::string_view fields) {
  node.kind = Kind::location;
  for (Field f; take_field(fields, f);) {
    if (f.key == "line") {
      node.line = number_of(f.value);
    } else if (f.key == "column") {
      node.column = number_of(f.value);
    } else if (f.key == "scope") {
      node.scope = id_of(f.value);
    } else if (f.key == "inlinedAt") {
      node.other = id_of(f.value);
    }
  }
}

void DebugMetadata::read_scope(Node& node, std::string_view fields) {
  bool has_name = false;
  for (Field f; take_field(fields, f);) {
    if (f.key == "name" && (has_name = f.value.size() > 2)) {
      node.name = builder_.string(text_of(f.value));
    }
    if (f.key == "linkageName" && !has_name) node.name = builder_.string(text_of(f.value));
    if (f.key == "scope") node.scope = id_of(f.value);
    if (f.key == "file") node.other = id_of(f.value);
    if (f.key == "line") node.line = number_of(f.value);
  }
}

void DebugMetadata::read_file(Node& node, std::string_view fields) {
  node.kind = Kind::file;
  std::string_view name, directory;
  for (Field f; take_field(fields, f);) {
    if (f.key == "filename") name = text_of(f.value);
    if (f.key == "directory") directory = text_of(f.value);
  }
  if (is_absolute(name) || directory.empty()) {
    node.name = builder_.string(name);
    return;
  }
  scratch_.assign(directory);
  if (!directory.ends_with('/')) scratch_ += '/';
  scratch_ += name;
  node.name = builder_.string(scratch_);
}

void DebugMetadata::read_line(std::string_view line) {
  uint32_t id = 0;
  if (!take(line, "!") || !take_number(line, id) || id > max_id_ || !take(line, " = ")) return;
  take(line, "distinct ");
  if (!take(line, "!DI")) return;
  if (id >= nodes_.size()) nodes_.resize(id + size_t{1});
  Node& node = nodes_[id];
  node = Node();
  if (take(line, "Location(")) {
    read_location(node, line);
  } else if (take(line, "Subprogram(")) {
    node.kind = Kind::subprogram;
    read_scope(node, line);
  } else if (take(line, "LexicalBlockFile(")) {
    node.kind = Kind::block_file;
    read_scope(node, line);
  } else if (take(line, "LexicalBlock(")) {
    node.kind = Kind::block;
    read_scope(node, line);
  } else if (take(line, "File(")) {
    read_file(node, line);
  }
}

// `parent` is the resolved scope around, or kNone.
void DebugMetadata::settle(uint32_t id, uint32_t parent) {
  Node& node = nodes_[id];
  node.resolved = true;
  const Node* file = find(node.other);
  if (file && file->kind == Kind::file) {
    node.path = file->name;
  } else if (parent != kNone) {
    node.path = nodes_[parent].path;
  }
  node.subprogram = node.kind == Kind::subprogram ? id
                    : parent != kNone             ? nodes_[parent].subprogram
                                                  : kNone;
}

// Walks out to a subprogram or to what is settled already, then settles the way back.
const DebugMetadata::Node* DebugMetadata::resolve_scope(uint32_t id) {
  path_.clear();
  uint32_t parent = kNone;
  for (uint32_t at = id;;) {
    const Node* node = find(at);
    if (!node || node->kind == Kind::location || node->kind == Kind::file) break;
    if (node->resolved) {
      parent = at;
      break;
    }
    path_.push_back(at);
    nodes_[at].resolved = true;  // ends a cycle
    if (node->kind == Kind::subprogram) break;
    at = node->scope;
  }
  for (size_t i = path_.size(); i-- > 0;) {
    settle(path_[i], parent);
    parent = path_[i];
  }
  const Node* scope = find(id);
  return scope && scope->resolved && scope->kind != Kind::location ? scope : nullptr;
}

// Frames of the chain, at most one more than allowed. False: inlinedAt runs in a circle.
bool DebugMetadata::collect_frames(uint32_t id) {
  frames_.clear();
  subprograms_.clear();
  uint32_t mark = id, next_mark = 2;  // Brent's cycle detection
  for (const Node* node = find(id); node && node->kind == Kind::location; node = find(id)) {
    const Node* scope = resolve_scope(node->scope);
    uint32_t subprogram = scope ? scope->subprogram : kNone;
    frames_.push_back({scope ? scope->path : 0, node->line, node->column,
                       subprogram == kNone ? 0 : nodes_[subprogram].name});
    subprograms_.push_back(subprogram);
    if (frames_.size() > kMaxFramesPerChain) break;
    id = node->other;
    if (id == mark) return false;
    if (frames_.size() == next_mark) {
      mark = id;
      next_mark *= 2;
    }
  }
  return true;
}

DebugMetadata::Resolved DebugMetadata::resolve_location(uint32_t id) {
  if (!collect_frames(id)) {
    builder_.not_understood();
    return {};
  }
  // Triton puts inlined code into a block of the kernel's own subprogram, so that the name of an
  // inlined function is not known. No kernel inlines itself.
  for (size_t i = 0; i + 1 < frames_.size(); ++i) {
    if (subprograms_[i] == subprograms_[i + 1]) frames_[i].function = 0;
  }
  if (frames_.front().line == 0) return {MapBuilder::kNoChain, true};
  return {builder_.chain(frames_), false};
}

DebugMetadata::Resolved DebugMetadata::resolve(uint32_t id) {
  const Node* node = find(id);
  if (!node) return {};
  if (node->kind == Kind::subprogram) {
    const Node* scope = resolve_scope(id);
    Frame frame{scope->path, node->line, 0, node->name};
    return {builder_.chain({&frame, 1}), node->line == 0};
  }
  if (node->kind != Kind::location) return {};
  if (!node->resolved) {
    Resolved result = resolve_location(id);
    nodes_[id].result = result;
    nodes_[id].resolved = true;
  }
  return nodes_[id].result;
}

}  // namespace ks::ir
