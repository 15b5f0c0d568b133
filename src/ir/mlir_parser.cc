// Reading: text to nodes. See mlir_locations.h for the grammar.

#include "ir/mlir_locations.h"
#include "ir/scan.h"

namespace ks::ir {
namespace {

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// fused<metadata>[...]: skips the attribute, which may hold strings and arrows.
void skip_angles(std::string_view& text) {
  size_t depth = 0;
  while (!text.empty()) {
    char c = text.front();
    if (c == '"') {
      std::string_view ignored;
      take_quoted(text, ignored);
      continue;
    }
    if (take(text, "->")) continue;
    text.remove_prefix(1);
    if (c == '<') ++depth;
    if (c == '>' && --depth == 0) return;
  }
}

// "F":1:2 to 3:4, "F":1:2 to :4: only the beginning of a range is kept.
void skip_range_end(std::string_view& text) {
  std::string_view rest = text;
  uint32_t ignored = 0;
  skip_blanks(rest);
  if (!take(rest, "to ")) return;
  skip_blanks(rest);
  bool line = take_number(rest, ignored);
  if (take(rest, ":")) line = take_number(rest, ignored);
  if (line) text = rest;
}

}  // namespace

uint32_t LocationTable::add(Node node) {
  nodes_.push_back(node);
  return static_cast<uint32_t>(nodes_.size() - 1);
}

uint32_t LocationTable::alias(std::string_view name) {
  // The printer numbers aliases densely; a number that the text cannot hold is a name like others.
  auto fresh = [this] {
    alias_nodes_.push_back(kNone);
    return static_cast<uint32_t>(alias_nodes_.size() - 1);
  };
  std::string_view digits = name;
  uint32_t number = 0;
  if (take(digits, "loc") && digits.size() < 9 && !digits.starts_with('0') &&
      (digits.empty() || (take_number(digits, number) && digits.empty())) &&
      number <= steps_left_ / 8) {
    size_t slot = name.size() == 3 ? 0 : number + size_t{1};
    if (slot >= numbered_.size()) numbered_.resize(slot + 1, kNone);
    if (numbered_[slot] == kNone) numbered_[slot] = fresh();
    return numbered_[slot];
  }
  auto [entry, is_new] = named_.try_emplace(name, 0);
  if (is_new) entry->second = fresh();
  return entry->second;
}

uint32_t LocationTable::reference(std::string_view name) {
  return add({.kind = Kind::reference, .a = alias(name)});
}

uint32_t LocationTable::fuse(std::span<const uint32_t> locations) {
  if (locations.empty()) return kNone;
  for (size_t i = 0; i + 1 < locations.size(); ++i) nodes_[locations[i]].next = locations[i + 1];
  return add({.kind = Kind::fused, .a = locations.front()});
}

void LocationTable::define(std::string_view name, uint32_t location) {
  alias_nodes_[alias(name)] = location;
}

// LLVM's printEscapedString: \\, \" and \HH; a backslash before anything else stays.
std::string_view LocationTable::unescape(std::string_view inside) {
  if (inside.find('\\') == std::string_view::npos) return inside;
  scratch_.clear();
  for (size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\' || i + 1 == inside.size()) {
      scratch_ += inside[i];
    } else if (inside[i + 1] == '\\' || inside[i + 1] == '"') {
      scratch_ += inside[++i];
    } else if (i + 2 < inside.size() && hex_digit(inside[i + 1]) >= 0 &&
               hex_digit(inside[i + 2]) >= 0) {
      scratch_ += static_cast<char>(hex_digit(inside[i + 1]) * 16 + hex_digit(inside[i + 2]));
      i += 2;
    } else {
      scratch_ += '\\';
    }
  }
  return scratch_;
}

uint32_t LocationTable::open(Open::Wants wants, uint32_t node) {
  open_.push_back({wants, node});
  return kNone;
}

uint32_t LocationTable::parse_string(std::string_view& text) {
  std::string_view inside;
  if (!take_quoted(text, inside)) {
    failed_ = true;
    return kNone;
  }
  uint32_t string = builder_.string(unescape(inside));
  if (take(text, "(")) return open(Open::Wants::name_end, add({.kind = Kind::name, .a = string}));
  if (!take(text, ":")) return add({.kind = Kind::name, .a = string});
  Node file{.kind = Kind::file, .a = string, .b = 0, .c = 0};
  if (!take_number(text, file.b)) failed_ = true;
  if (take(text, ":") && !take_number(text, file.c)) failed_ = true;
  skip_range_end(text);
  return add(file);
}

uint32_t LocationTable::parse_value(std::string_view& text) {
  skip_blanks(text);
  if (text.starts_with('"')) return parse_string(text);
  if (take(text, "#")) return reference(take_identifier(text));
  if (take(text, "unknown")) return add({.kind = Kind::unknown});
  if (take(text, "loc(")) return open(Open::Wants::loc_end, kNone);
  if (take(text, "callsite(")) return open(Open::Wants::callee, add({.kind = Kind::callsite}));
  if (take(text, "fused")) {
    if (text.starts_with('<')) skip_angles(text);
    if (take(text, "[]")) return add({.kind = Kind::unknown});
    if (take(text, "[")) return open(Open::Wants::fused_item, add({.kind = Kind::fused}));
  }
  failed_ = true;
  return kNone;
}

// True: value is finished (perhaps a bigger one now). False: a further value must be read, or
// failed_ is set.
bool LocationTable::close(std::string_view& text, uint32_t& value) {
  Open& top = open_.back();
  skip_blanks(text);
  if (top.wants == Open::Wants::callee) {
    nodes_[top.node].a = value;
    top.wants = Open::Wants::caller;
    failed_ = !take(text, "at");
    return false;
  }
  if (top.wants == Open::Wants::fused_item) {
    (top.last == kNone ? nodes_[top.node].a : nodes_[top.last].next) = value;
    top.last = value;
    if (take(text, ",")) return false;
    failed_ = !take(text, "]");
  } else {
    failed_ = !take(text, ")");
    if (top.wants == Open::Wants::name_end || top.wants == Open::Wants::caller) {
      nodes_[top.node].b = value;
    }
  }
  if (failed_) return false;
  if (top.node != kNone) value = top.node;
  open_.pop_back();
  return true;
}

uint32_t LocationTable::parse(std::string_view& text) {
  size_t nodes_before = nodes_.size();
  open_.assign(1, {Open::Wants::loc_end, kNone});
  failed_ = false;
  while (!failed_) {
    uint32_t value = parse_value(text);
    if (value == kNone) continue;
    while (!open_.empty() && close(text, value)) {
    }
    if (open_.empty()) return value;
  }
  nodes_.resize(nodes_before);
  return kNone;
}

}  // namespace ks::ir
