#include "ndjson/json_tree.h"

#include "base/json_writer.h"
#include "trace/json_reader.h"

namespace ks::ndjson {

JsonTree::Node* JsonTree::find(std::string_view name) {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &nodes_[found->second];
}

JsonTree::Node& JsonTree::add(std::string_view name) {
  index_.emplace(name, nodes_.size());
  Node& node = nodes_.emplace_back();
  node.name = name;
  return node;
}

void JsonTree::set(std::string_view key, std::string json) {
  // Iterative: the number of dots is the input's.
  JsonTree* tree = this;
  for (;;) {
    const size_t dot = key.find('.');
    const std::string_view head = key.substr(0, dot);
    Node* node = tree->find(head);
    if (dot != std::string_view::npos && node && !node->tree && node->json.starts_with('{'))
      open(*node);
    if (dot == std::string_view::npos || (node && !node->tree)) {
      return tree->set_member(key, std::move(json));
    }
    if (!node) {
      node = &tree->add(head);
      node->tree = std::make_unique<JsonTree>();
    }
    tree = node->tree.get();
    key.remove_prefix(dot + 1);
  }
}

void JsonTree::set(const std::vector<std::string>& parts, size_t first, std::string json) {
  JsonTree* tree = this;
  for (size_t i = first;; ++i) {
    Node* node = tree->find(parts[i]);
    if (i + 1 == parts.size()) {
      if (node && node->tree) return tree->set_beside(*node, std::move(json));
      return tree->set_member(parts[i], std::move(json));
    }
    if (node && !node->tree) {
      std::string rest = parts[i];
      for (size_t k = i + 1; k < parts.size(); ++k) rest += "." + parts[k];
      return tree->set_member(rest, std::move(json));
    }
    if (!node) {
      node = &tree->add(parts[i]);
      node->tree = std::make_unique<JsonTree>();
    }
    tree = node->tree.get();
  }
}

// An object's text to a map.
void JsonTree::open(Node& node) {
  const auto value = trace::JsonReader().read_copy(node.json);
  if (!value) return;
  node.tree = std::make_unique<JsonTree>();
  for (const auto& [name, member] : value->members) {
    node.tree->set_member(name, trace::to_json(member));
  }
  node.json.clear();
}

// Puts a text in the place of a map, whose texts get dotted names beside it.
void JsonTree::set_beside(Node& node, std::string json) {
  struct Open {
    std::string prefix;
    std::unique_ptr<JsonTree> tree;
    size_t next = 0;
  };
  std::vector<Open> open;  // no recursion: the depth is the input's
  open.push_back({node.name, std::move(node.tree)});
  node.json = std::move(json);
  while (!open.empty()) {
    Open& top = open.back();
    if (top.next == top.tree->nodes_.size()) {
      open.pop_back();
      continue;
    }
    Node& member = top.tree->nodes_[top.next++];
    const std::string name = top.prefix + "." + member.name;
    if (member.erased) continue;
    if (member.tree) {
      open.push_back({name, std::move(member.tree)});
    } else {
      set_member(name, std::move(member.json));
    }
  }
}

void JsonTree::set_member(std::string_view name, std::string json) {
  Node* node = find(name);
  if (!node) node = &add(name);
  node->tree.reset();
  node->json = std::move(json);
}

JsonTree* JsonTree::child(std::string_view name) {
  Node* node = find(name);
  return node ? node->tree.get() : nullptr;
}

const std::string* JsonTree::text(std::string_view name) const {
  const auto found = index_.find(name);
  if (found == index_.end() || nodes_[found->second].tree) return nullptr;
  return &nodes_[found->second].json;
}

void JsonTree::erase(std::string_view name) {
  const auto found = index_.find(name);
  if (found == index_.end()) return;
  nodes_[found->second].erased = true;
  index_.erase(found);
}

std::vector<std::string> JsonTree::names() const {
  std::vector<std::string> names;
  for (const Node& node : nodes_) {
    if (!node.erased) names.push_back(node.name);
  }
  return names;
}

void JsonTree::write(std::string& out) const {
  out += '{';
  bool first = true;
  for (const Node& node : nodes_) {
    if (node.erased) continue;
    if (!first) out += ',';
    first = false;
    append_json_string(out, node.name);
    out += ':';
    if (node.tree) {
      node.tree->write(out);
    } else {
      out += node.json;
    }
  }
  out += '}';
}

}  // namespace ks::ndjson
