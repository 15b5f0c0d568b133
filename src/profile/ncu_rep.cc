#include "profile/ncu_rep.h"

#include <fmt/format.h>

#include <vector>

#include "profile/ncu_builder.h"
#include "profile/ncu_rep_session.h"
#include "profile/protobuf_wire.h"

namespace ks::profile {
namespace {

constexpr std::string_view kMagic("NVR\0", 4);
constexpr size_t kMaxStrings = 4'000'000;  // of a block; the full set has 2,300

// The next message with its length before it (four bytes, little endian); nothing where the length
// goes beyond the end.
std::optional<std::string_view> take_message(std::string_view& rest) {
  if (rest.size() < 4) return std::nullopt;
  uint32_t size = 0;
  for (size_t i = 0; i < 4; ++i) size |= uint32_t{static_cast<uint8_t>(rest[i])} << (8 * i);
  if (size > rest.size() - 4) return std::nullopt;
  const std::string_view message = rest.substr(4, size);
  rest.remove_prefix(4 + size_t{size});
  return message;
}

struct BlockHeader {
  uint64_t sources = 0, results = 0, other_results = 0, payload = 0;
  std::string_view strings;  // a message of names
};

class Report {
 public:
  void read(std::string_view rest) {
    rest.remove_prefix(kMagic.size());
    if (!take_message(rest)) return cut();
    while (!rest.empty()) {
      const auto header = take_message(rest);
      if (!header) return cut();
      const BlockHeader block = read_header(*header);
      if (block.payload > rest.size()) cut();
      read_payload(block, rest.substr(0, block.payload));
      rest.remove_prefix(std::min<size_t>(block.payload, rest.size()));
    }
  }

  NcuLog finish() {
    for (const size_t kernel : kernels_) add_session(kernel);
    if (cut_) builder_.note("the report is cut or damaged: what could be read is here");
    if (other_results_ > 0) {
      builder_.note(fmt::format("{} results of ranges or graphs were left out", other_results_));
    }
    return builder_.finish("ncu-rep");
  }

 private:
  void cut() { cut_ = true; }

  BlockHeader read_header(std::string_view message) {
    BlockHeader block;
    WireReader reader(message);
    while (const auto field = reader.next()) {
      if (field->number == 1) block.sources = field->value;
      if (field->number == 2) block.results = field->value;
      if (field->number == 3 && field->type == 2) session_.add(field->bytes);
      if (field->number == 4 && field->type == 2) block.strings = field->bytes;
      if (field->number == 5) block.payload = field->value;
      if (field->number >= 7 && field->number <= 9) block.other_results += field->value;
    }
    cut_ |= reader.damaged();
    return block;
  }

  void read_payload(const BlockHeader& block, std::string_view payload) {
    if (block.results == 0 && block.other_results == 0) return;
    read_strings(block.strings);
    for (uint64_t i = 0; i < block.sources; ++i) {
      if (!take_message(payload)) return cut();
    }
    for (uint64_t i = 0; i < block.results; ++i) {
      const auto result = take_message(payload);
      if (!result) return cut();
      read_result(*result);
    }
    other_results_ += block.other_results;
  }

  // Without strings the block uses those of the last that had some.
  void read_strings(std::string_view message) {
    if (message.empty()) return;
    strings_.clear();
    WireReader reader(message);
    while (const auto field = reader.next()) {
      if (field->number != 1 || field->type != 2) continue;
      if (strings_.size() == kMaxStrings) return cut();
      strings_.push_back(field->bytes);
    }
    cut_ |= reader.damaged();
  }

  void read_result(std::string_view message) {
    const size_t kernel = builder_.add_kernel(read_launch(message));
    if (kernel == LogBuilder::kNone) return;
    kernels_.push_back(kernel);
    WireReader reader(message);
    while (const auto field = reader.next()) {
      if (field->number == 13 && field->type == 2) read_metric(kernel, field->bytes);
    }
    cut_ |= reader.damaged();
  }

  static NcuKernel read_launch(std::string_view message) {
    std::string_view mangled, function, demangled;
    NcuKernel kernel;
    WireReader reader(message);
    while (const auto field = reader.next()) {
      if (field->type != 2) continue;
      if (field->number == 5) mangled = field->bytes;
      if (field->number == 6) function = field->bytes;
      if (field->number == 7) demangled = field->bytes;
      if (field->number == 10) kernel.launch.grid = read_size(field->bytes);
      if (field->number == 11) kernel.launch.block = read_size(field->bytes);
    }
    const std::string_view name = !function.empty()    ? function
                                  : !demangled.empty() ? demangled
                                                       : mangled;
    kernel.launch.kernel = std::string(name.substr(0, LogBuilder::kMaxName));
    return kernel;
  }

  static std::array<int64_t, 3> read_size(std::string_view message) {
    std::array<int64_t, 3> size{};
    WireReader reader(message);
    while (const auto field = reader.next()) {
      if (field->number <= 3 && field->type == 0) {
        size[field->number - 1] = static_cast<int64_t>(field->value);
      }
    }
    return size;
  }

  // 1 number of the name in the strings, 2 value, 3 instances. Values are in base units.
  void read_metric(size_t kernel, std::string_view message) {
    const auto name = find_field(message, 1);
    const auto value = find_field(message, 2);
    if (!name || !value || name->type != 0 || name->value >= strings_.size()) return;
    const auto read = read_rep_value(value->bytes);
    if (!read) return;
    if (read->is_text) {
      builder_.text(kernel, strings_[name->value], read->text);
    } else {
      builder_.number(kernel, strings_[name->value], read->number);
    }
  }

  void add_session(size_t index) {
    NcuKernel& kernel = *builder_.kernel(index);
    session_.fill(kernel.circumstances);
    const auto id = kernel.metrics.find("launch__device_id");
    auto device = session_.devices.begin();
    if (id != kernel.metrics.end() && id->second >= 0 && id->second < 1e6) {
      const auto exact = session_.devices.find(static_cast<uint64_t>(id->second));
      if (exact != session_.devices.end()) device = exact;
    }
    if (device == session_.devices.end()) return;
    kernel.circumstances.device = std::string(device->second.name);
    for (const auto& [name, value] : device->second.attributes) builder_.number(index, name, value);
  }

  LogBuilder builder_;
  RepSession session_;
  std::vector<std::string_view> strings_;
  std::vector<size_t> kernels_;
  uint64_t other_results_ = 0;
  bool cut_ = false;
};

}  // namespace

bool is_ncu_rep(std::string_view bytes) { return bytes.starts_with(kMagic); }

NcuLog read_ncu_rep(std::string_view bytes) {
  Report report;
  if (is_ncu_rep(bytes)) report.read(bytes);
  return report.finish();
}

}  // namespace ks::profile
