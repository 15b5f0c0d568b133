#pragma once
// Flat dotted keys back to nested maps.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ks::ndjson {

// A map whose members are JSON texts or maps, in order of insertion.
class JsonTree {
 public:
  // Splits `key` at every dot. Where a prefix holds a text already the rest of the key goes into it
  // if it is an object (a field's diff, say), as in the reference; else it stays dotted, beside it
  // (the reference dies there). Where the whole key holds a map the text takes its place.
  void set(std::string_view key, std::string json);

  // The same with the key already split: names keep their dots. Nothing is lost where a text meets
  // a map, whichever comes first: the map's members stay dotted beside the text.
  void set(const std::vector<std::string>& parts, size_t first, std::string json);

  JsonTree* child(std::string_view name);  // null if there is none or it is a text
  const std::string* text(std::string_view name) const;
  void set_member(std::string_view name, std::string json);  // not split
  void erase(std::string_view name);
  std::vector<std::string> names() const;
  bool empty() const { return index_.empty(); }
  void write(std::string& out) const;

 private:
  struct Node {
    std::string name;
    std::string json;                // of a text
    std::unique_ptr<JsonTree> tree;  // of a map
    bool erased = false;
  };
  Node* find(std::string_view name);
  static void open(Node& node);
  void set_beside(Node& node, std::string json);
  Node& add(std::string_view name);

  std::vector<Node> nodes_;
  std::map<std::string, size_t, std::less<>> index_;
};

}  // namespace ks::ndjson
