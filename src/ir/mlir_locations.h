#pragma once
// MLIR locations: the expressions inside loc(...), their #aliases, and the chains they stand for.
//
// Grammar (MLIR "Builtin attributes", location printing of LLVM 15 to 21):
//   location  := '#'name | 'unknown' | string ':' line ':' column [ 'to' [line] ':' column ]
//              | string [ '(' location ')' ] | 'callsite(' location 'at' location ')'
//              | 'fused' [ '<' attribute '>' ] '[' location, ... ']' | 'loc(' location ')'
// Nesting may be of any depth: nothing here recurses.

#include <unordered_map>

#include "ir/map_builder.h"

namespace ks::ir {

class LocationTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  LocationTable(MapBuilder& builder, size_t text_size)
      : builder_(builder), steps_left_(text_size * 2 + 4096) {
    nodes_.reserve(text_size / 64 + 16);
  }

  // Parses up to and with the ')' that closes "loc(". kNone: not understood, and `text` begins
  // where the reader gave up.
  uint32_t parse(std::string_view& text);

  uint32_t reference(std::string_view name);           // name without '#'
  uint32_t fuse(std::span<const uint32_t> locations);  // fused[...] of parsed locations
  void define(std::string_view name, uint32_t location);

  void finish();  // call once after the last definition, before resolve()

  struct Resolved {
    std::span<const uint32_t> chains;  // valid until the next resolve()
    bool unknown = false;              // there is no chain, and the location says so itself
  };
  // `function`: the string that the outermost frame gets; changing it forgets earlier results.
  Resolved resolve(uint32_t location, uint32_t function);

 private:
  enum class Kind : uint8_t { file, unknown, name, callsite, fused, reference };
  enum class Visit : uint8_t { no, open, done };
  struct Node {
    Kind kind;
    Visit visit = Visit::no;
    bool broken = false;    // stands for nothing: no such alias, or a cycle
    uint32_t a = kNone;     // file, name: string; callsite: callee; fused: first; reference: alias
    uint32_t b = kNone;     // file: line; name: child or kNone; callsite: caller
    uint32_t c = kNone;     // file: column
    uint32_t next = kNone;  // next child of the same fused
  };
  struct Memo {
    uint32_t epoch = 0;
    uint32_t first = 0, count = 0;
    bool unknown = false;
  };
  struct Open {  // a construct whose end is not read yet
    enum class Wants : uint8_t { loc_end, name_end, callee, caller, fused_item } wants;
    uint32_t node;
    uint32_t last = kNone;  // last child of a fused
  };
  struct Pending {  // a way of fused locations not yet walked
    uint32_t node, rest;
    size_t frames;
    uint32_t name;
  };
  struct Level {  // of the walk in finish()
    uint32_t node, step;
  };
  struct Rest {  // what follows after a callee: a linked list, shared between ways
    uint32_t node, next;
  };

  uint32_t add(Node node);
  uint32_t alias(std::string_view name);
  uint32_t parse_value(std::string_view& text);  // a finished leaf, or kNone after opening
  uint32_t parse_string(std::string_view& text);
  uint32_t open(Open::Wants wants, uint32_t node);
  bool close(std::string_view& text, uint32_t& value);  // gives value to the innermost construct
  std::string_view unescape(std::string_view inside);

  void visit(uint32_t root);
  uint32_t child(uint32_t node, uint32_t step) const;
  void leave(uint32_t node);
  uint32_t target(const Node& reference) const;

  void expand(uint32_t root, uint32_t function);
  bool walk(Pending way, uint32_t function);
  void emit(uint32_t function, uint32_t name);

  MapBuilder& builder_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> alias_nodes_;  // definition of an alias, or kNone
  std::vector<uint32_t> numbered_;     // alias of #locN by N + 1, of #loc by 0
  std::unordered_map<std::string_view, uint32_t> named_;
  std::vector<Open> open_;
  std::vector<Level> path_;
  std::string scratch_;
  bool failed_ = false;

  uint64_t steps_left_;
  uint32_t epoch_ = 1, function_ = 0;
  std::vector<Memo> memo_;  // by alias
  std::vector<uint32_t> memo_chains_;
  std::vector<uint32_t> chains_;  // of the location that is being resolved
  bool unknown_ = false;
  std::vector<Frame> frames_;
  std::vector<Pending> ways_;
  std::vector<Rest> rests_;
};

}  // namespace ks::ir
