// Registers, spills and memory as the compilers write them into their texts.

#include <algorithm>
#include <charconv>

#include "ir/facts.h"
#include "ir/scan.h"

namespace ks::ir {
namespace {

// The number after the first `key` in the text. Keys are unique words of the formats.
std::optional<uint32_t> number_after(std::string_view text, std::string_view key) {
  const size_t at = find_text(text, key);
  if (at == text.npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  skip_blanks(text);
  uint32_t value = 0;
  return take_number(text, value) ? std::optional(value) : std::nullopt;
}

std::optional<uint32_t> first_of(std::string_view text, std::string_view key,
                                 std::string_view other) {
  const std::optional<uint32_t> value = number_after(text, key);
  return value ? value : number_after(text, other);
}

// The YAML footer counts what the hardware allocates; the .amdhsa_ lines are for texts cut short.
Resources from_amdgcn(std::string_view text) {
  Resources r;
  r.registers = first_of(text, ".vgpr_count:", ".amdhsa_next_free_vgpr ");
  r.scalar_registers = first_of(text, ".sgpr_count:", ".amdhsa_next_free_sgpr ");
  r.accumulator_registers = number_after(text, ".agpr_count:");
  r.spilled_registers = number_after(text, ".vgpr_spill_count:");
  // A spilled register is one 4-byte word per lane.
  if (r.spilled_registers) {
    r.spill_bytes =
        static_cast<uint32_t>(std::min<uint64_t>(*r.spilled_registers * 4ull, UINT32_MAX));
  }
  r.stack_bytes =
      first_of(text, ".private_segment_fixed_size:", ".amdhsa_private_segment_fixed_size ");
  r.shared_bytes =
      first_of(text, ".group_segment_fixed_size:", ".amdhsa_group_segment_fixed_size ");
  r.source = "amdgcn";
  return r;
}

// Value of an nvdisasm  //----- nvinfo : NAME  block: its last .word, in hexadecimal. (Not seen in
// a real file of ours; from nvdisasm's documented output.)
std::optional<uint32_t> nvinfo(std::string_view text, std::string_view name) {
  const size_t at = text.find(name);
  if (at == text.npos) return std::nullopt;
  text.remove_prefix(at + name.size());
  if (!text.starts_with('\n') && !text.starts_with('\r')) return std::nullopt;
  text = text.substr(0, std::min(text.find("nvinfo :"), text.find(".section")));
  static constexpr std::string_view kWord = ".word\t0x", kWordBlank = ".word 0x";
  size_t word = text.rfind(kWord);
  if (word == text.npos) word = text.rfind(kWordBlank);
  if (word == text.npos) return std::nullopt;
  text.remove_prefix(word + kWord.size());
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && end != text.data() ? std::optional(value) : std::nullopt;
}

// cuobjdump -res-usage: REG:32 STACK:0 SHARED:0 LOCAL:0 ...; ptxas -v: Used 32 registers, ...;
// nvdisasm: .sectioninfo @"SHI_REGISTERS=32" or nvinfo blocks.
Resources from_sass(std::string_view text) {
  Resources r;
  r.registers = number_after(text, "REG:");
  if (!r.registers) r.registers = number_after(text, "SHI_REGISTERS=");
  if (!r.registers) r.registers = number_after(text, "Used ");
  if (!r.registers) r.registers = nvinfo(text, "EIATTR_REGCOUNT");
  r.stack_bytes = number_after(text, "STACK:");
  if (!r.stack_bytes) r.stack_bytes = nvinfo(text, "EIATTR_FRAME_SIZE");
  r.shared_bytes = number_after(text, "SHARED:");
  const size_t spills = find_text(text, " bytes spill stores");
  if (spills != text.npos) {
    size_t begin = spills;
    while (begin > 0 && is_digit(text[begin - 1])) --begin;
    r.spill_bytes = number_after(text.substr(begin, spills - begin), "");
  }
  r.source = "sass";
  return r;
}

// Bytes of a declaration such as  .local .align 16 .b8 __local_depot0[96];  An array without a size
// (.extern) gives nothing.
uint64_t declared_bytes(std::string_view line) {
  const size_t open = line.rfind('[');
  if (open == line.npos) return 0;
  uint64_t bytes = 0;
  for (std::string_view type : {".b8", ".b16", ".b32", ".b64", ".u8", ".u32", ".f32", ".f64"}) {
    const size_t at = line.find(type);
    if (at == line.npos ||
        !is_blank(line.substr(at + type.size()).empty() ? '\0' : line[at + type.size()])) {
      continue;
    }
    bytes = number_after(type.substr(2), "").value_or(8) / 8;
    break;
  }
  return bytes * number_after(line.substr(open + 1), "").value_or(0);
}

std::optional<uint32_t> sum_of_declarations(std::string_view text, std::string_view space) {
  uint64_t sum = 0;
  bool any = false;
  for (size_t at = find_text(text, space); at != text.npos; at = find_text(text, space, at + 1)) {
    // A declaration begins its line; in an instruction (ld.local.b32) something stands before.
    size_t begin = at;
    while (begin > 0 && is_blank(text[begin - 1])) --begin;
    if (begin > 0 && text[begin - 1] != '\n') continue;
    const uint64_t bytes = declared_bytes(text.substr(at, text.find('\n', at) - at));
    any = any || bytes > 0;
    sum = std::min<uint64_t>(sum + bytes, UINT32_MAX);
  }
  return any ? std::optional(static_cast<uint32_t>(sum)) : std::nullopt;
}

// A, or A, B, C: their product.
std::optional<uint32_t> product_after(std::string_view text, std::string_view key) {
  const size_t at = find_text(text, key);
  if (at == text.npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  uint64_t product = 1;
  uint32_t value = 0;
  for (int i = 0; i < 3; ++i) {
    skip_blanks(text);
    if (!take_number(text, value)) return i == 0 ? std::nullopt : std::optional<uint32_t>(product);
    product = std::min<uint64_t>(product * value, UINT32_MAX);
    skip_blanks(text);
    if (!take(text, ",")) break;
  }
  return static_cast<uint32_t>(product);
}

Resources from_ptx(std::string_view text) {
  Resources r;
  r.register_limit = number_after(text, ".maxnreg ");
  r.threads_per_cta = product_after(text, ".reqntid ");
  r.stack_bytes = sum_of_declarations(text, ".local ");
  r.shared_bytes = sum_of_declarations(text, ".shared ");
  r.source = "ptx";
  return r;
}

bool says_nothing(const Resources& r) {
  return !r.registers && !r.scalar_registers && !r.accumulator_registers && !r.spilled_registers &&
         !r.spill_bytes && !r.stack_bytes && !r.shared_bytes && !r.register_limit &&
         !r.threads_per_cta;
}

}  // namespace

Resources resources_from_text(Stage stage, std::string_view text) {
  Resources r;
  if (stage == Stage::amdgcn) r = from_amdgcn(text);
  if (stage == Stage::sass) r = from_sass(text);
  if (stage == Stage::ptx) r = from_ptx(text);
  if (says_nothing(r)) r.source.clear();
  return r;
}

}  // namespace ks::ir
