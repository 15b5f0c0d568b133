#include "ndjson/block_text.h"

#include <fmt/format.h>

#include "ndjson/launch_text.h"
#include "ndjson/mended_map.h"
#include "ndjson/reference_loops.h"
#include "ndjson/reference_map.h"

namespace ks::ndjson {

namespace {

struct CompilationLine {
  std::string text;  // open-ended: without the closing brace
  size_t payload_end = 0, metadata_end = 0;
};

// A line that an earlier parser has added to: what it added is taken off. The payload is put last
// and the metadata last in it, which gives the places of their braces.
CompilationLine without_derived(trace::JsonReader& reader, std::string_view padded_line) {
  CompilationLine line;
  auto event = reader.read(padded_line);
  if (!event) return line;
  trace::Value payload, metadata;
  std::erase_if(event->members, [&](trace::Value::Member& m) {
    if (m.first == "payload") payload = std::move(m.second);
    return m.first == "payload" || m.first == "occurrence_id";
  });
  std::erase_if(payload.members, [&](trace::Value::Member& m) {
    if (m.first == "metadata") metadata = std::move(m.second);
    return m.first == "metadata" || m.first == "ir_stages" || m.first == "source_mappings";
  });
  const auto open = [](const trace::Value& object, std::string_view next) {
    std::string text = trace::to_json(object);
    text.pop_back();
    if (!object.members.empty()) text += ',';
    return text.append(next);
  };
  line.text =
      open(*event, "\"payload\":") + open(payload, "\"metadata\":") + trace::to_json(metadata);
  line.metadata_end = line.text.size() - 1;
  line.payload_end = line.text.size();
  line.text += '}';
  return line;
}

std::optional<double> number(const trace::Value& metadata, std::string_view key) {
  const trace::Value* v = metadata.find(key);
  if (!v) return std::nullopt;
  if (v->kind == trace::Value::Kind::integer) return static_cast<double>(v->integer);
  if (v->kind == trace::Value::Kind::real) return v->real;
  return std::nullopt;
}

std::string mended_mappings(const run::DigestedCompilation& c, const PythonSource* python) {
  std::vector<MappedStage> stages;
  for (size_t i = 0; i < c.texts.size(); ++i) {
    if (!c.texts[i].map.empty()) stages.push_back({c.artifacts[i].extension, &c.texts[i].map});
  }
  return stages.empty() ? std::string() : mended_source_mappings(stages, python);
}

CompilationText compilation_text(const CompilationLine& line, const run::DigestedCompilation& c,
                                 bool exact) {
  std::vector<Artifact> artifacts;
  for (const run::StageText& text : c.texts) artifacts.push_back({text.name, text.text});
  ReferenceInput input;
  input.artifacts = artifacts;
  input.backend_name = c.event.metadata.text("backend_name");
  if (const auto& python = c.event.python) {
    input.has_python_source = true;
    input.python_source = PythonSource{python->file_path, static_cast<uint64_t>(python->start_line),
                                       static_cast<uint64_t>(python->end_line), python->code};
  }
  const ReferenceMaps maps = exact ? reference_maps(input) : maps_for_ir_analysis(input);
  const std::string stages = reference_ir_stages(input.backend_name);
  const std::string mappings =
      exact ? reference_source_mappings(maps)
            : mended_mappings(c, input.python_source ? &*input.python_source : nullptr);

  std::string text(line.text, 0, line.metadata_end);
  if (!c.event.metadata.find("num_warps_base")) {
    const auto base = reference_num_warps_base(input, number(c.event.metadata, "num_warps"));
    if (base) text += fmt::format(R"(,"num_warps_base":{})", *base);
  }
  text.append(line.text, line.metadata_end, line.payload_end - line.metadata_end);
  if (!stages.empty()) text.append(R"(,"ir_stages":)").append(stages);
  if (!mappings.empty()) text.append(R"(,"source_mappings":)").append(mappings);
  text.append(line.text, line.payload_end);

  CompilationText out;
  out.head = io::compress_chunk(text);
  out.ir_analysis = to_json(reference_ir_analysis(input, maps));
  if (const auto ttir = roofline_ttir(input)) out.cost = reference_cta_cost(*ttir);
  out.python_source = c.event.python_source_json;
  return out;
}

}  // namespace

std::string_view open_ended(std::string_view line) {
  const size_t brace = line.rfind('}');
  return line.substr(0, brace == std::string_view::npos ? line.size() : brace);
}

std::unique_ptr<BlockText> make_block_text(const trace::DecodedBlock& block,
                                           std::span<const run::DigestedCompilation> compilations,
                                           bool exact) {
  thread_local LaunchHasher hasher;
  thread_local trace::JsonReader reader;
  auto out = std::make_unique<BlockText>();
  out->launches.resize(block.records.size());
  for (size_t i = 0; i < block.records.size(); ++i) {
    const auto* launch = std::get_if<trace::Launch>(&block.records[i].event);
    if (!launch) continue;
    const auto hash = hasher.hash(block, *launch);
    if (!hash) continue;
    out->launches[i].valid = true;
    out->launches[i].group_hash = *hash;
    if (launch->has_derived || hasher.has_long_string()) {
      const std::string_view line = block.block.view(block.block.lines[block.records[i].line]);
      out->launches[i].rewritten = rewritten_launch(reader, line);
    }
  }
  for (const run::DigestedCompilation& c : compilations) {
    const std::string_view text = block.block.view(block.block.lines[block.records[c.index].line]);
    CompilationLine line;
    if (c.event.has_derived) {
      line = without_derived(reader, text);
    } else {
      line = {std::string(open_ended(text)), c.event.payload_end, c.event.metadata_end};
    }
    out->compilations.push_back(compilation_text(line, c, exact));
  }
  return out;
}

}  // namespace ks::ndjson
