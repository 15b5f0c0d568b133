#include "trace/torch_trace.h"

#include <fmt/format.h>

#include "io/lines.h"
#include "trace/json_reader.h"

namespace ks::trace {

namespace {

std::optional<int64_t> optional_int(const Value& object, std::string_view key) {
  const Value* v = object.find(key);
  return v && v->kind == Value::Kind::integer ? std::optional(v->integer) : std::nullopt;
}

FrameIds frame_of(const Value& record) {
  FrameIds ids;
  ids.frame_id = optional_int(record, "frame_id");
  ids.frame_compile_id = optional_int(record, "frame_compile_id");
  ids.attempt = record.number("attempt");
  ids.compiled_autograd_id = optional_int(record, "compiled_autograd_id");
  return ids;
}

// glog's own line start: a severity letter and the date. Everything else is somebody's output.
bool is_record_line(std::string_view line) {
  return line.size() > 5 && line[0] >= 'A' && line[0] <= 'Z' && line[1] >= '0' && line[1] <= '9';
}

}  // namespace

Result<> read_torch_trace(std::unique_ptr<io::Source> source, const std::string& name,
                          const io::Limits& limits, KernelFrames& frames,
                          Diagnostics& diagnostics) {
  static constexpr std::string_view kPath = "\t# kernel path: ";
  io::BlockReader reader(std::move(source), name, limits);
  JsonReader json(limits.max_depth);
  io::Block block;
  std::optional<FrameIds> current;  // of the inductor_output_code record whose payload we are in
  for (;;) {
    auto more = reader.next(block);
    if (!more) return tl::make_unexpected(more.error());
    diagnostics.merge(block.diagnostics);
    block.diagnostics = Diagnostics();
    if (!*more) return {};
    for (const io::Line& line : block.lines) {
      std::string_view text = block.view(line);
      if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
      if (text.starts_with('\t')) {
        if (current && text.starts_with(kPath)) {
          frames[std::string(text.substr(kPath.size()))] = *current;
        }
        continue;
      }
      if (!is_record_line(text)) continue;
      current.reset();
      const size_t start = text.find("] ");
      if (start == std::string_view::npos) continue;
      if (text.find("inductor_output_code") == std::string_view::npos) continue;
      auto record = json.read_copy(text.substr(start + 2));
      if (!record || !record->is_object()) {
        diagnostics.add(Diag::bad_torch_trace, fmt::format("{}:{}", name, line.number));
      } else if (record->find("inductor_output_code")) {
        current = frame_of(*record);
      }
    }
  }
}

}  // namespace ks::trace
