#include "ndjson/reference_roofline.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "base/json_writer.h"
#include "ndjson/reference_text.h"

namespace ks::ndjson {
namespace {

constexpr size_t kMaxNotes = 20, kMaxExcerpt = 160;
constexpr std::string_view kDot = "tt.dot";

// Products as Python's integers, up to a limit where the reference could not write them any more.
using Wide = __int128;
constexpr Wide kLargest = std::numeric_limits<int64_t>::max();
Wide clamp(Wide value) { return std::clamp(value, -kLargest, kLargest); }
Wide multiply(Wide a, Wide b) { return clamp(a * b); }
uint64_t multiply_sizes(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max()
                                                : std::min<uint64_t>(product, kLargest);
}
uint64_t add_sizes(uint64_t a, uint64_t b) { return std::min<uint64_t>(a + b, kLargest); }

// Where Python's str.splitlines() ends a line; the length of the mark, 0: nowhere.
size_t line_break_at(std::string_view text, size_t i) {
  const char c = text[i];
  if ((c >= '\n' && c <= '\r') || (c >= '\x1c' && c <= '\x1e')) return 1;
  if (c == '\xc2' && has_at(text, i + 1, "\x85")) return 2;
  if (c == '\xe2' && (has_at(text, i + 1, "\x80\xa8") || has_at(text, i + 1, "\x80\xa9"))) return 3;
  return 0;
}

bool line_break_before(std::string_view text, size_t i) {
  for (size_t length = 1; length <= 3 && length <= i; ++length) {
    if (line_break_at(text, i - length) == length) return true;
  }
  return false;
}

// The line that holds `at`, which is not before `from`.
std::string_view line_around(std::string_view text, size_t from, size_t at) {
  size_t begin = at;
  while (begin > from && !line_break_before(text, begin)) --begin;
  size_t end = at;
  while (end < text.size() && line_break_at(text, end) == 0) ++end;
  return text.substr(begin, end - begin);
}

size_t next_io(std::string_view text, size_t from) {
  for (size_t at = text.find("tt.", from); at != text.npos; at = text.find("tt.", at + 3)) {
    if (has_at(text, at + 3, "load") || has_at(text, at + 3, "store")) return at;
  }
  return text.npos;
}

// By substring, first hit in this order, as the reference does. Names that an earlier entry
// contains ("bf16", "int8") need no entry of their own, except where no earlier one does.
std::optional<uint32_t> dtype_bytes(std::string_view token) {
  static constexpr std::array<std::pair<std::string_view, uint32_t>, 16> kTable{{{"f16", 2},
                                                                                 {"f32", 4},
                                                                                 {"f64", 8},
                                                                                 {"fp16", 2},
                                                                                 {"bfloat16", 2},
                                                                                 {"fp32", 4},
                                                                                 {"fp64", 8},
                                                                                 {"i8", 1},
                                                                                 {"i16", 2},
                                                                                 {"i32", 4},
                                                                                 {"i64", 8},
                                                                                 {"int8", 1},
                                                                                 {"int16", 2},
                                                                                 {"int32", 4},
                                                                                 {"int64", 8},
                                                                                 {"f8e4m3fn", 1}}};
  std::string lower(token);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  for (const auto& [name, bytes] : kTable)
    if (lower.find(name) != lower.npos) return bytes;
  if (lower.find("f8e5m2") != lower.npos) return 1;
  return std::nullopt;
}

bool is_word(char c) {
  return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

struct PointerTensor {
  uint64_t elements = 1;
  std::string_view dtype;
};

// tensor<D1xD2...x!tt.ptr<T>>, the whole text.
std::optional<PointerTensor> pointer_tensor(std::string_view type) {
  static constexpr std::string_view kHead = "tensor<", kPointer = "!tt.ptr<";
  if (!type.starts_with(kHead)) return std::nullopt;
  PointerTensor tensor;
  size_t at = kHead.size();
  while (!has_at(type, at, kPointer)) {
    const size_t end = skip_digits(type, at);
    if (end == at || !has_at(type, end, "x")) return std::nullopt;
    tensor.elements = multiply_sizes(tensor.elements, to_number(type.substr(at, end - at)));
    at = end + 1;
  }
  if (at == kHead.size()) return std::nullopt;
  const size_t begin = at + kPointer.size();
  size_t end = begin;
  while (end < type.size() && is_word(type[end])) ++end;
  if (end == begin || type.substr(end) != ">>") return std::nullopt;
  tensor.dtype = type.substr(begin, end - begin);
  return tensor;
}

// At most `limit` code points.
std::string_view prefix(std::string_view text, size_t limit) {
  size_t points = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) continue;
    if (points++ == limit) return text.substr(0, i);
  }
  return text;
}

// The type is what stands after the last " : " and before " loc".
std::string_view type_text(std::string_view line) {
  const size_t colon = line.rfind(" : ");
  if (colon != line.npos) line.remove_prefix(colon + 3);
  return strip(line.substr(0, line.find(" loc")));
}

struct IoBytes {
  uint64_t load = 0, store = 0;
  bool known = true, any = false;
};

void count_line(std::string_view line, IoBytes& bytes, std::vector<std::string>& notes) {
  const std::optional<PointerTensor> tensor = pointer_tensor(type_text(line));
  const std::optional<uint32_t> size = tensor ? dtype_bytes(tensor->dtype) : std::nullopt;
  bytes.any = true;
  if (size) {
    uint64_t& sum = line.find("tt.store") != line.npos ? bytes.store : bytes.load;
    sum = add_sizes(sum, multiply_sizes(tensor->elements, *size));
    return;
  }
  bytes.known = false;
  if (notes.size() > kMaxNotes) return;
  notes.push_back(tensor ? "unknown or sub-byte dtype on io line: " + std::string(tensor->dtype)
                         : "unparseable io line: " + std::string(prefix(strip(line), kMaxExcerpt)));
}

IoBytes count_io(std::string_view text, std::vector<std::string>& notes) {
  IoBytes bytes;
  size_t line_begin = 0;
  for (size_t at = next_io(text, 0); at != text.npos; at = next_io(text, line_begin)) {
    const std::string_view line = line_around(text, line_begin, at);
    count_line(line, bytes, notes);
    line_begin = static_cast<size_t>(line.data() - text.data()) + line.size();
  }
  return bytes;
}

// First `c` at or after a place, for places that only go up.
class NextChar {
 public:
  NextChar(std::string_view text, char c) : text_(text), c_(c) {}
  size_t from(size_t at) {
    if (fresh_ || (at_ != text_.npos && at_ < at)) at_ = text_.find(c_, at);
    fresh_ = false;
    return at_;
  }

 private:
  std::string_view text_;
  char c_;
  bool fresh_ = true;
  size_t at_ = 0;
};

struct MatrixType {
  uint64_t rows = 0, columns = 0;
};

// \s*tensor<(\d+)x(\d+)x([a-zA-Z0-9]+); returns where it ends, or npos.
size_t read_matrix(std::string_view text, size_t at, MatrixType& type) {
  static constexpr std::string_view kHead = "tensor<";
  at = skip_spaces(text, at);
  if (!has_at(text, at, kHead)) return text.npos;
  for (uint64_t* dimension : {&type.rows, &type.columns}) {
    at += dimension == &type.rows ? kHead.size() : 1;
    const size_t end = skip_digits(text, at);
    if (end == at || !has_at(text, end, "x")) return text.npos;
    *dimension = to_number(text.substr(at, end - at));
    at = end;
  }
  const size_t begin = ++at;
  while (at < text.size() && is_word(text[at]) && text[at] != '_') ++at;
  return at == begin ? text.npos : at;
}

// 2*m*n*k of the first dot that reads  tt.dot ...: tensor * tensor -> tensor.  The pattern's parts
// run up to the next ':', '*' and '-', over line ends too.
std::optional<uint64_t> first_dot_flops(std::string_view text) {
  NextChar colon(text, ':'), star(text, '*'), dash(text, '-');
  size_t tried = text.npos;
  for (size_t at = text.find(kDot); at != text.npos; at = text.find(kDot, at + kDot.size())) {
    const size_t types = colon.from(at + kDot.size());
    if (types == text.npos) break;
    if (types == tried) continue;
    tried = types;
    MatrixType a, b, c;
    size_t end = read_matrix(text, types + 1, a);
    if (end == text.npos || (end = star.from(end)) == text.npos) continue;
    end = read_matrix(text, end + 1, b);
    if (end == text.npos || (end = dash.from(end)) == text.npos) continue;
    if (!has_at(text, end, "->") || read_matrix(text, end + 2, c) == text.npos) continue;
    return multiply_sizes(2, multiply_sizes(multiply_sizes(c.rows, c.columns), a.columns));
  }
  return std::nullopt;
}

size_t count_of(std::string_view text, std::string_view word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + word.size()))
    ++count;
  return count;
}

void append_wide(std::string& out, std::optional<Wide> value) {
  out += value ? std::to_string(static_cast<int64_t>(*value)) : "null";
}

// Python's `/` on integers: the nearest double of the exact quotient.
double true_divide(Wide numerator, Wide denominator) {
  const bool negative = (numerator < 0) != (denominator < 0);
  const auto n = static_cast<uint64_t>(numerator < 0 ? -numerator : numerator);
  const auto d = static_cast<uint64_t>(denominator < 0 ? -denominator : denominator);
  if (n == 0) return 0;
  // Both are below 2^63. With the numerator moved up to bit 126 the quotient has at least 63 bits;
  // what is cut off after them only says "a little more", which the lowest bit stands for.
  const int shift = 63 + std::countl_zero(n);
  const unsigned __int128 shifted = static_cast<unsigned __int128>(n) << shift;
  unsigned __int128 quotient = shifted / d;
  if (shifted % d != 0) quotient |= 1;
  const double value = std::ldexp(static_cast<double>(quotient), -shift);
  return negative ? -value : value;
}

// As orjson writes it: a float always looks like one.
void append_double(std::string& out, double value) {
  const size_t begin = out.size();
  JsonWriter(out).value(value);
  if (out.find_first_of(".en", begin) == out.npos) out += ".0";
}

std::optional<Wide> grid_size(const LaunchForRoofline& launch) {
  if (!launch.grid || launch.grid->empty()) return std::nullopt;
  Wide size = 1;
  for (int64_t dimension : *launch.grid) size = multiply(size, dimension);
  return size;
}

// In/out pointers are read and written.
std::optional<Wide> bytes_of_arguments(std::span<const TensorArg> tensors) {
  if (tensors.empty()) return std::nullopt;
  Wide bytes = 0;
  for (const TensorArg& t : tensors) {
    const Wide size = multiply(t.numel, t.element_size);
    bytes = clamp(bytes + (t.name.starts_with("in_out_ptr") ? 2 * size : size));
  }
  return bytes;
}

std::optional<Wide> smaller(std::optional<Wide> a, std::optional<Wide> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

}  // namespace

CtaCost reference_cta_cost(std::string_view ttir) {
  CtaCost cost;
  const IoBytes bytes = count_io(ttir, cost.notes);
  if (bytes.known) {
    cost.load_bytes = bytes.load;
    cost.store_bytes = bytes.store;
  }
  const auto note = [&](std::string text) { cost.notes.push_back(std::move(text)); };
  if (ttir.find("tt.atomic") != ttir.npos) {
    note("atomics present but not counted in bytes_moved_per_cta");
  }
  if (!bytes.any) note("no tt.load/tt.store found");
  cost.is_gemm = ttir.find(kDot) != ttir.npos;
  if (!cost.is_gemm) return cost;
  cost.flops = first_dot_flops(ttir);
  if (!cost.flops) {
    note("tt.dot present but dot shape unextractable; flops_per_cta=null");
    return cost;
  }
  const size_t dots = count_of(ttir, kDot);
  if (dots > 1) note(std::to_string(dots) + " tt.dot found; flops_per_cta counts first dot only");
  note("gemm flops/intensity omit the runtime reduction-loop trip count (lower bound)");
  return cost;
}

void append_roofline_launch(std::string& out, const CtaCost& cost, const LaunchForRoofline& l) {
  const std::optional<Wide> ctas = grid_size(l);
  std::optional<Wide> from_ir, flops;
  if (ctas && cost.load_bytes) {
    from_ir = multiply(static_cast<Wide>(*cost.load_bytes) + *cost.store_bytes, *ctas);
  }
  if (ctas && cost.flops) flops = multiply(*cost.flops, *ctas);
  const std::optional<Wide> from_args = bytes_of_arguments(l.tensors);
  const std::optional<Wide> moved = smaller(from_ir, from_args);
  out += "{\"launch_index\":";
  append_number(out, l.launch_index);
  out += ",\"occurrence_id\":";
  append_number(out, l.occurrence_id);
  out += ",\"grid\":";
  out += l.grid_json.empty() ? "null" : l.grid_json;
  out += ",\"num_ctas\":";
  append_wide(out, ctas);
  out += ",\"bytes_moved\":";
  append_wide(out, moved);
  out += ",\"bytes_from_ir_x_grid\":";
  append_wide(out, from_ir);
  out += ",\"bytes_from_args\":";
  append_wide(out, from_args);
  out += ",\"flops\":";
  append_wide(out, flops);
  out += ",\"arithmetic_intensity\":";
  if (flops && moved && *moved != 0)
    append_double(out, true_divide(*flops, *moved));
  else
    out += "null";
  out += '}';
}

std::string roofline_json(const CtaCost& cost, std::string_view per_launch_json) {
  std::string out;
  JsonWriter json(out);
  const auto number = [&](std::string_view key, std::optional<uint64_t> value) {
    json.key(key);
    if (value)
      json.value(*value);
    else
      json.null();
  };
  json.begin_object().field("is_gemm", cost.is_gemm);
  json.field("estimation_method", "ttir_static_x_launch");
  number("bytes_moved_per_cta", cost.load_bytes
                                    ? std::optional(add_sizes(*cost.load_bytes, *cost.store_bytes))
                                    : std::nullopt);
  number("flops_per_cta", cost.flops);
  json.raw_field("per_launch", per_launch_json);
  if (cost.load_bytes) {
    json.key("bytes_breakdown_per_cta").begin_object();
    json.field("load", *cost.load_bytes).field("store", *cost.store_bytes).end_object();
  }
  if (!cost.notes.empty()) {
    json.key("notes").begin_array();
    for (size_t i = 0; i < std::min(cost.notes.size(), kMaxNotes); ++i) json.value(cost.notes[i]);
    if (cost.notes.size() > kMaxNotes) json.value("... (truncated)");
    json.end_array();
  }
  json.end_object();
  return out;
}

std::optional<std::string_view> roofline_ttir(const ReferenceInput& input) {
  if (!known_adapter(input.backend_name)) return std::nullopt;
  const Artifact* ttir = artifact_with_extension(input.artifacts, ".ttir");
  if (!ttir || ttir->text.empty()) return std::nullopt;
  return ttir->text;
}

std::string reference_roofline(const ReferenceInput& input,
                               std::span<const LaunchForRoofline> launches) {
  const std::optional<std::string_view> ttir = roofline_ttir(input);
  if (!ttir || launches.empty()) return {};
  const CtaCost cost = reference_cta_cost(*ttir);
  std::string list = "[";
  for (const LaunchForRoofline& launch : launches) {
    if (list.size() > 1) list += ',';
    append_roofline_launch(list, cost, launch);
  }
  list += ']';
  return roofline_json(cost, list);
}

}  // namespace ks::ndjson
