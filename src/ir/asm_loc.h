#pragma once
// .loc directives of assembly texts, and the chains they stand for.
//
//   .loc F L C [options] [// name:L:C @[ caller:L:C @[ ... ] ]]         LLVM, both back ends
//   .loc F L C, function_name LABEL[+N], inlined_at F L C               PTX ISA 7.2 and later
//
// The comment's names are base names or what the compiler was given; AMDGCN's begins with ';'.

#include "ir/asm_files.h"
#include "ir/ptx_strings.h"

namespace ks::ir {

class AsmLocations {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  AsmLocations(MapBuilder& builder, size_t text_size, std::string_view comment_mark)
      : builder_(builder), files_(builder, text_size), comment_mark_(comment_mark) {}

  AsmFiles& files() { return files_; }
  void debug_strings(std::string_view section) { strings_.read(section); }

  // In the order of the text. `directive` is what follows ".loc"; it must stay.
  void begin_function(std::string_view name);
  void add_loc(std::string_view directive);
  void end_function() { current_ = kNone; }
  bool has_loc() const { return current_ != kNone; }
  void add_code(uint32_t line) { uses_.push_back({line, current_}); }

  void finish();  // resolves all and writes the code lines to the builder

 private:
  struct Function {
    std::string_view name;
    uint32_t file = 0;  // of its first .loc
  };
  struct Loc {
    std::string_view text;
    uint32_t function;
    uint32_t chain = MapBuilder::kNoChain;
    bool unknown = false;
  };
  struct Use {
    uint32_t line, loc;
  };
  struct Position {
    uint32_t file = 0, line = 0, column = 0;
    friend bool operator==(const Position&, const Position&) = default;
  };
  struct PositionHash {
    size_t operator()(const Position& p) const;
  };

  static bool take_position(std::string_view& text, Position& position);
  void resolve(Loc& loc);
  bool add_callers(std::string_view comment, const Function& function);
  void add_inlined_at(std::string_view options, uint32_t before);
  uint32_t find_earlier(const Position& position, uint32_t before);

  MapBuilder& builder_;
  AsmFiles files_;
  PtxStrings strings_;
  std::string_view comment_mark_;
  std::vector<Function> functions_{Function()};
  std::vector<Loc> locs_;
  std::vector<Use> uses_;
  uint32_t current_ = kNone;
  std::vector<Frame> frames_;
  // Chain of the last .loc of a place, for inlined_at; filled up to indexed_ when one is met.
  std::unordered_map<Position, uint32_t, PositionHash> earlier_;
  uint32_t indexed_ = 0;
};

}  // namespace ks::ir
