#pragma once
// For tests: a compilation and its launches from JSON, as the reference's functions want them.

#include <simdjson.h>

#include <optional>
#include <string>
#include <vector>

#include "ndjson/reference_loops.h"
#include "ndjson/reference_roofline.h"

namespace ks::ndjson::test {

using Element = simdjson::simdjson_result<simdjson::dom::element>;

inline std::string_view text_or(Element element) {
  std::string_view text;
  return element.get(text) == simdjson::SUCCESS ? text : std::string_view();
}

inline uint64_t number_or(Element element, uint64_t fallback) {
  uint64_t number = 0;
  return element.get(number) == simdjson::SUCCESS ? number : fallback;
}

// Views into the parsed document.
struct Compilation {
  std::vector<Artifact> artifacts;
  ReferenceInput input;
  std::optional<double> num_warps;

  explicit Compilation(simdjson::dom::element event) {
    simdjson::dom::object contents, python;
    const auto payload = event["payload"];
    if (payload["file_content"].get(contents) == simdjson::SUCCESS) {
      for (auto field : contents) {
        artifacts.push_back({field.key, text_or(Element(std::move(field.value)))});
      }
    }
    input.artifacts = artifacts;
    input.backend_name = text_or(payload["metadata"]["backend_name"]);
    if (payload["python_source"].get(python) == simdjson::SUCCESS) {
      input.has_python_source = true;
      input.python_source =
          PythonSource{text_or(python["file_path"]), number_or(python["start_line"], 1),
                       number_or(python["end_line"], 0), text_or(python["code"])};
    }
    double warps = 0;
    if (payload["metadata"]["num_warps"].get(warps) == simdjson::SUCCESS) num_warps = warps;
  }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;
};

struct Launch {
  std::string grid_json;
  std::vector<TensorArg> tensors;
  LaunchForRoofline launch;

  Launch(simdjson::dom::element event, uint64_t index) {
    launch.launch_index = index;
    launch.occurrence_id = number_or(event["occurrence_id"], 0);
    simdjson::dom::array grid;
    if (event["grid"].get(grid) == simdjson::SUCCESS) {
      grid_json = simdjson::minify(grid);
      launch.grid.emplace();
      for (auto dimension : grid) launch.grid->push_back(dimension.get_int64().value());
    }
    simdjson::dom::object args;
    if (event["extracted_args"].get(args) == simdjson::SUCCESS) {
      for (auto field : args) {
        TensorArg tensor{field.key};
        if (!field.value.is_object()) continue;
        if (field.value["numel"].get(tensor.numel) != simdjson::SUCCESS) continue;
        if (field.value["element_size"].get(tensor.element_size) != simdjson::SUCCESS) continue;
        tensors.push_back(tensor);
      }
    }
  }
  const LaunchForRoofline& get() {
    launch.grid_json = grid_json;
    launch.tensors = tensors;
    return launch;
  }
};

}  // namespace ks::ndjson::test
