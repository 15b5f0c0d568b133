// Bytes, FLOPs and dot shapes of one CTA, read off the TTIR. A static estimate: masks are ignored,
// both branches of a condition count, and a loop counts as often as constants in the text say.

#include <algorithm>

#include "ir/facts.h"
#include "ir/mlir_ops.h"

namespace ks::ir {
namespace {

constexpr size_t kMaxNotes = 20;

// "tensor<..> * tensor<..> -> tensor<..>" of a dot.
struct DotTypes {
  ValueType left, right, result;
};

std::optional<DotTypes> dot_types(std::string_view types) {
  const size_t star = types.find(" * ");
  const size_t arrow = types.rfind("-> ");
  if (star == types.npos || arrow == types.npos || arrow < star) return std::nullopt;
  const auto left = value_type(types.substr(0, star));
  const auto right = value_type(types.substr(star + 3, arrow - star - 3));
  const auto result = value_type(types.substr(arrow + 3));
  if (!left || !right || !result) return std::nullopt;
  if (left->shape.size() < 2 || result->shape.size() != left->shape.size()) return std::nullopt;
  return DotTypes{*left, *right, *result};
}

// `lhs = e2m1` of a tt.dot_scaled: the format of the left operand, which its storage type hides.
std::string_view scaled_format(const MlirOp& op) {
  static constexpr std::string_view kLhs = "lhs = ";
  const size_t at = op.rest.find(kLhs);
  if (op.name != "tt.dot_scaled" || at == op.rest.npos) return {};
  const std::string_view value = op.rest.substr(at + kLhs.size());
  return value.substr(0, value.find_first_of(" ,:"));
}

std::optional<DotShape> dot_shape(const MlirOp& op, uint32_t line, uint32_t loop_depth) {
  const std::optional<DotTypes> types = dot_types(types_of(op));
  if (!types) return std::nullopt;
  const std::vector<uint64_t>& out = types->result.shape;
  DotShape dot;
  dot.n = out.back();
  dot.m = out[out.size() - 2];
  // A batch is so many times more rows.
  for (size_t i = 0; i + 2 < out.size(); ++i) dot.m = saturating_multiply(dot.m, out[i]);
  dot.k = types->left.shape.back();
  dot.input_dtype = types->left.dtype;
  dot.output_dtype = types->result.dtype;
  if (const std::string_view format = scaled_format(op); !format.empty()) {
    if (format == "e2m1") dot.k = saturating_multiply(dot.k, 2);  // two values in a byte
    dot.input_dtype = format;
  }
  dot.line = line;
  dot.loop_depth = loop_depth;
  return dot;
}

// The type whose bytes move: the result of a load, the value of a store.
std::string_view moved_type(const MlirOp& op) {
  const std::string_view types = types_of(op);
  if (const size_t arrow = types.rfind("-> "); arrow != types.npos) return types.substr(arrow + 3);
  const bool descriptor_store = op.name.ends_with("store") && op.name != "tt.store";
  const bool scatter = op.name.ends_with("scatter");
  if (!descriptor_store && !scatter) return types;
  const size_t last = types.rfind(", tensor<");
  return last == types.npos ? types : types.substr(last + 2);
}

enum class Access { none, load, store, atomic };

Access access_of(std::string_view name) {
  if (name == "tt.load" || name == "tt.descriptor_load" || name == "tt.descriptor_gather" ||
      name == "tt.experimental_descriptor_load" || name == "tt.experimental_descriptor_gather") {
    return Access::load;
  }
  if (name == "tt.store" || name == "tt.descriptor_store" || name == "tt.descriptor_scatter" ||
      name == "tt.experimental_descriptor_store" || name == "tt.experimental_descriptor_scatter") {
    return Access::store;
  }
  if (name.starts_with("tt.atomic") || name == "tt.descriptor_reduce") return Access::atomic;
  return Access::none;
}

class Reader {
 public:
  explicit Reader(std::string_view ttir) : text_(ttir) {
    facts_.loops = find_loops(ttir, TripCounts::yes);
  }

  TtirFacts run() {
    each_line(text_, [&](uint32_t number, std::string_view line) {
      enter_and_leave_loops(number);
      const std::string_view name = op_name(line);
      if (name.starts_with("tt.") || name == "scf.while") read(split_op(line), line, number);
    });
    if (any_function_) {
      facts_.cost.load_bytes = load_;
      facts_.cost.store_bytes = store_;
    }
    if (any_flops_) facts_.cost.flops = flops_;
    return std::move(facts_);
  }

 private:
  struct Nest {
    size_t loop;
    uint64_t times;  // of the body, all loops around it included
    bool known;
  };

  void enter_and_leave_loops(uint32_t line) {
    while (!nest_.empty() && facts_.loops[nest_.back().loop].end_line < line) nest_.pop_back();
    for (; next_loop_ < facts_.loops.size() && facts_.loops[next_loop_].begin_line < line;
         ++next_loop_) {
      const Loop& loop = facts_.loops[next_loop_];
      if (loop.end_line < line) continue;
      const Nest outer = nest_.empty() ? Nest{0, 1, true} : nest_.back();
      nest_.push_back({next_loop_, saturating_multiply(outer.times, loop.trip_count.value_or(1)),
                       outer.known && loop.trip_count.has_value()});
    }
  }

  void read(const MlirOp& op, std::string_view line, uint32_t number) {
    if (op.name == "tt.func") {
      any_function_ = true;
      // A private function runs once per call; the kernel itself is public.
      counted_ = line.find("tt.func private") == line.npos;
    }
    const bool dot = op.name == "tt.dot" || op.name == "tt.dot_scaled";
    if (dot) read_dot(op, number);
    if (!counted_) return;
    if (op.name == "tt.call") lower_bound("calls of functions that were not inlined do not count");
    if (op.name == "scf.while") lower_bound("scf.while: its body counts once");
    const Access access = access_of(op.name);
    if (access == Access::atomic) lower_bound("atomics do not count");
    if (access == Access::load || access == Access::store) read_access(op, access, number);
  }

  void read_dot(const MlirOp& op, uint32_t number) {
    const auto dot = dot_shape(op, number, static_cast<uint32_t>(nest_.size()));
    if (!dot) return lower_bound("line " + std::to_string(number) + ": shape of a dot not read");
    facts_.dots.push_back(*dot);
    if (!counted_) return;
    any_flops_ = true;
    const uint64_t once =
        saturating_multiply(2, saturating_multiply(saturating_multiply(dot->m, dot->n), dot->k));
    flops_ = saturating_add(flops_, saturating_multiply(once, times()));
  }

  void read_access(const MlirOp& op, Access access, uint32_t number) {
    const auto type = value_type(moved_type(op));
    const auto bytes = type ? type->bytes() : std::nullopt;
    if (!bytes) {
      return lower_bound("line " + std::to_string(number) + ": type of " + std::string(op.name) +
                         " not read");
    }
    uint64_t& sum = access == Access::load ? load_ : store_;
    sum = saturating_add(sum, saturating_multiply(*bytes, times()));
  }

  // How often the current line runs, as far as known.
  uint64_t times() {
    if (nest_.empty()) return 1;
    if (!nest_.back().known)
      lower_bound("a loop without a constant trip count: its body counts once");
    return nest_.back().times;
  }

  void lower_bound(std::string note) {
    StaticCost& cost = facts_.cost;
    cost.lower_bound = true;
    if (cost.notes.size() >= kMaxNotes || std::ranges::count(cost.notes, note) > 0) return;
    cost.notes.push_back(std::move(note));
  }

  std::string_view text_;
  TtirFacts facts_;
  std::vector<Nest> nest_;
  size_t next_loop_ = 0;
  bool counted_ = true, any_function_ = false, any_flops_ = false;
  uint64_t load_ = 0, store_ = 0, flops_ = 0;
};

}  // namespace

TtirFacts facts_from_ttir(std::string_view ttir) { return Reader(ttir).run(); }

}  // namespace ks::ir
