#include "ir/mlir_ops.h"

#include <charconv>
#include <unordered_map>

#include "ir/scan.h"

namespace ks::ir {
namespace {

std::string_view trim_both(std::string_view text) {
  skip_blanks(text);
  return trim_end(text);
}

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The token that `text` begins with, up to a blank.
std::string_view word(std::string_view text) { return text.substr(0, text.find_first_of(" \t,:")); }

// `= LB to UB step STEP` of an scf.for.
struct Bounds {
  std::string_view lower, upper, step;
};
std::optional<Bounds> loop_bounds(std::string_view rest) {
  static constexpr std::string_view kTo = " to ", kStep = " step ";
  const size_t equals = rest.find(" = ");
  const size_t to = equals == rest.npos ? equals : rest.find(kTo, equals);
  const size_t step = to == rest.npos ? to : rest.find(kStep, to);
  if (step == rest.npos) return std::nullopt;
  return Bounds{trim_both(rest.substr(equals + 3, to - equals - 3)),
                trim_both(rest.substr(to + kTo.size(), step - to - kTo.size())),
                word(rest.substr(step + kStep.size()))};
}

// Integer constants by name. Names are per function, which a new tt.func ends.
class Constants {
 public:
  void see(std::string_view name, std::string_view line) {
    if (name == "tt.func" || name == "func.func") values_.clear();
    if (name != "arith.constant") return;
    const MlirOp op = split_op(line);
    if (op.result.empty()) return;
    std::string_view value = op.rest;
    skip_blanks(value);
    if (const auto number = whole_number(word(value))) values_[op.result] = *number;
  }
  std::optional<int64_t> value(std::string_view name) const {
    const auto at = values_.find(name);
    return at == values_.end() ? std::nullopt : std::optional(at->second);
  }

 private:
  std::unordered_map<std::string_view, int64_t> values_;
};

std::optional<uint64_t> trip_count(const MlirOp& loop, const Constants& constants) {
  const std::optional<Bounds> bounds = loop_bounds(loop.rest);
  if (!bounds) return std::nullopt;
  const auto lower = constants.value(bounds->lower), upper = constants.value(bounds->upper);
  const auto step = constants.value(bounds->step);
  if (!lower || !upper || !step || *step <= 0) return std::nullopt;
  if (*upper <= *lower) return 0;
  const uint64_t distance = static_cast<uint64_t>(*upper) - static_cast<uint64_t>(*lower);
  const auto stride = static_cast<uint64_t>(*step);
  return distance / stride + (distance % stride != 0);
}

// Bits of an element type by its name: f16, bf16, tf32, i1, ui8, f8E4M3FN, e4m3, f4E2M1FN.
std::optional<uint64_t> dtype_bits(std::string_view dtype) {
  if (dtype.starts_with("!")) return 64;  // a pointer
  if (dtype == "e4m3" || dtype == "e5m2") return 8;
  if (dtype == "e2m1") return 4;
  size_t i = 0;
  while (i < dtype.size() && dtype[i] >= 'a' && dtype[i] <= 'z') ++i;
  const std::string_view letters = dtype.substr(0, i);
  if (letters != "f" && letters != "bf" && letters != "tf" && letters != "i" && letters != "ui" &&
      letters != "si") {
    return std::nullopt;
  }
  std::string_view digits = dtype.substr(i);
  uint32_t bits = 0;
  if (!take_number(digits, bits) || bits == 0 || bits > 4096) return std::nullopt;
  return bits;
}

// An operation with its location still in `rest`.
MlirOp split_head(std::string_view line) {
  MlirOp op;
  line = trim_both(line);
  if (line.starts_with('%')) {
    const size_t equals = line.find(" = ");
    if (equals == line.npos) return op;
    op.result = line.substr(0, equals);
    line.remove_prefix(equals + 3);
    skip_blanks(line);
  }
  std::string_view name = line;
  if (take(name, "\"")) {
    name = name.substr(0, name.find('"'));
    line.remove_prefix(std::min(line.size(), name.size() + 2));
  } else {
    name = take_identifier(line);
  }
  if (name.find('.') == name.npos) return {};
  op.name = name;
  op.rest = line;
  return op;
}

}  // namespace

MlirOp split_op(std::string_view line) {
  MlirOp op = split_head(line);
  const size_t loc = op.rest.rfind(" loc(");
  op.rest = trim_end(op.rest.substr(0, loc));
  return op;
}

std::string_view op_name(std::string_view line) { return split_head(line).name; }

std::string_view types_of(const MlirOp& op) {
  const size_t colon = op.rest.rfind(" : ");
  return colon == op.rest.npos ? std::string_view() : trim_both(op.rest.substr(colon + 3));
}

std::optional<uint64_t> ValueType::bytes() const {
  const std::optional<uint64_t> bits = dtype_bits(dtype);
  if (!bits) return std::nullopt;
  // A truth value takes a byte in memory.
  const uint64_t stored = *bits == 1 ? 8 : *bits;
  const uint64_t total = saturating_multiply(elements, stored);
  return total == UINT64_MAX ? total : (total + 7) / 8;
}

std::optional<ValueType> value_type(std::string_view text) {
  ValueType type;
  skip_blanks(text);
  // Wrappers may stand around a tensor, and a pointer inside one; four levels are more than
  // Triton writes. What a pointer to a pointer moves is a pointer.
  bool pointer = false;
  for (int level = 0; level < 4; ++level) {
    if (take(text, "!tt.tensordesc<") || take(text, "!tt.tensor_desc<")) continue;
    if (!pointer && take(text, "!tt.ptr<")) {
      pointer = true;
      continue;
    }
    if (!take(text, "tensor<")) break;
    uint32_t dimension = 0;
    while (take_number(text, dimension)) {
      if (!take(text, "x")) return std::nullopt;
      type.shape.push_back(dimension);
      type.elements = saturating_multiply(type.elements, dimension);
      if (type.shape.size() > 16) return std::nullopt;
    }
  }
  type.dtype = text.substr(0, text.find_first_of("<>, )"));
  if (type.dtype.empty()) return std::nullopt;
  return type;
}

int64_t brace_balance(std::string_view line) {
  // Most lines have none.
  if (line.find('{') == line.npos && line.find('}') == line.npos) return 0;
  int64_t balance = 0;
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && c == '{')
      ++balance;
    else if (!quoted && c == '}')
      --balance;
  }
  return balance;
}

std::vector<Loop> find_loops(std::string_view text, TripCounts trip_counts) {
  struct Open {
    size_t loop;
    int64_t depth;
  };
  std::vector<Loop> loops;
  std::vector<Open> open;
  Constants constants;
  int64_t depth = 0;
  uint32_t last_line = 0;
  // Behind the last header only the ends of what is open matter: not the location definitions,
  // which are half of the text.
  size_t next_header = find_text(text, "scf.for");
  for (size_t start = 0; start < text.size();) {
    if (next_header < start) next_header = find_text(text, "scf.for", start);
    if (next_header == text.npos && open.empty()) break;
    const std::string_view line = text.substr(start, text.find('\n', start) - start);
    start += line.size() + 1;
    const uint32_t number = ++last_line;
    const std::string_view name = op_name(line);
    if (trip_counts == TripCounts::yes) constants.see(name, line);
    if (name == "scf.for") {
      open.push_back({loops.size(), depth});
      loops.push_back({.begin_line = number,
                       .end_line = 0,
                       .depth = static_cast<uint32_t>(open.size() - 1),
                       .trip_count = trip_count(split_op(line), constants)});
    }
    depth += brace_balance(line);
    for (; !open.empty() && depth <= open.back().depth; open.pop_back()) {
      loops[open.back().loop].end_line = number;
    }
  }
  for (const Open& cut : open) loops[cut.loop].end_line = last_line;
  return loops;
}

}  // namespace ks::ir
