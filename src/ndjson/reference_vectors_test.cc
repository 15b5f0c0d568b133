// The reference's own results for six compilations and four small texts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>

#include "ndjson/reference_asm.h"
#include "ndjson/reference_map.h"
#include "ndjson/reference_mlir.h"
#include "ndjson/reference_test_input.h"

namespace ks::ndjson {
namespace {

using simdjson::dom::element;

std::string read(const std::string& name) {
  std::ifstream in(std::string(KS_SOURCE_DIR) + "/tests/data/vectors/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// The same text for the same JSON, whatever its spaces and number forms.
std::string normal(std::string_view json) {
  simdjson::dom::parser parser;
  element value;
  if (json.empty() || parser.parse(json.data(), json.size()).get(value)) return "no JSON";
  return simdjson::minify(value);
}

std::string normal(element value) { return normal(std::string(simdjson::minify(value))); }

class Vectors : public testing::Test {
 protected:
  void SetUp() override {
    const std::string text = read("compilation_vectors.json");
    ASSERT_FALSE(text.empty()) << "tests/data/vectors is missing";
    ASSERT_EQ(parser_.parse(text).get(vectors_), simdjson::SUCCESS);
    ASSERT_EQ(vectors_.size(), 6u);
  }
  simdjson::dom::parser parser_;
  simdjson::dom::array vectors_;
};

TEST_F(Vectors, SourceMappingsAndStagesAreEqual) {
  for (element vector : vectors_) {
    const test::Compilation compilation(vector["event"].value());
    element mappings, stages;
    ASSERT_FALSE(vector["payload_added"]["source_mappings"].get(mappings));
    EXPECT_EQ(normal(reference_source_mappings(compilation.input)), normal(mappings));
    const std::string ours = reference_ir_stages(compilation.input.backend_name);
    if (vector["payload_added"]["ir_stages"].get(stages))
      EXPECT_EQ(ours, "");
    else
      EXPECT_EQ(normal(ours), normal(stages));
  }
}

TEST_F(Vectors, LoopSchedulesAndBufferCountsAreEqual) {
  for (element vector : vectors_) {
    const test::Compilation compilation(vector["event"].value());
    const auto maps = reference_maps(compilation.input);
    const ReferenceAnalysis ours = reference_ir_analysis(compilation.input, maps);
    element expected;
    if (vector["ir_analysis"]["loop_schedules"].get(expected))
      EXPECT_EQ(ours.loop_schedules, "");
    else
      EXPECT_EQ(normal(ours.loop_schedules), normal(expected));
    if (vector["ir_analysis"]["io_counts"].get(expected))
      EXPECT_EQ(ours.io_counts, "");
    else
      EXPECT_EQ(normal(ours.io_counts), normal(expected));
  }
}

TEST_F(Vectors, RooflinesAreEqual) {
  for (element vector : vectors_) {
    test::Compilation compilation(vector["event"].value());
    // The vectors come from the function itself, which does not look at the backend.
    compilation.input.backend_name = "cuda";
    std::vector<std::unique_ptr<test::Launch>> owned;
    std::vector<LaunchForRoofline> launches;
    for (element launch : vector["launches"].get_array()) {
      owned.push_back(
          std::make_unique<test::Launch>(launch.at(0).value(), launch.at(1).get_uint64().value()));
      launches.push_back(owned.back()->get());
    }
    const std::string ours = reference_roofline(compilation.input, launches);
    element expected = vector["roofline"].value();
    if (expected.is_null())
      EXPECT_EQ(ours, "");
    else
      EXPECT_EQ(normal(ours), normal(expected));
  }
}

TEST(MappingVectors, EveryFormOfLocationIsReadAsTheReferenceDoes) {
  const std::string text = read("ir_mapping_vectors.json");
  simdjson::dom::parser parser;
  simdjson::dom::array vectors;
  ASSERT_EQ(parser.parse(text).get(vectors), simdjson::SUCCESS);
  ASSERT_EQ(vectors.size(), 4u);
  for (element vector : vectors) {
    const std::string stage(vector["stage"].get_string().value());
    const std::string_view source = vector["text"].get_string().value();
    StageMap map{
        .stage = stage, .line_key = stage + "_line", .entries = {}, .details = {}, .python = {}};
    FileTable files;
    for (element other : vector["other"].get_array()) {
      for (auto field : other.get_object()) {
        files.id(field.value["file"].get_string().value());
      }
    }
    if (stage == "ptx")
      map_reference_asm(source, AsmDialect::ptx, files, map);
    else if (stage == "amdgcn")
      map_reference_asm(source, AsmDialect::amdgcn, files, map);
    else if (stage == "sass")
      map_reference_sass(source, files, map);
    else
      map_reference_mlir(source, files, map);
    simdjson::dom::parser written;
    const std::string json = write_source_mappings({map}, files);
    element ours;
    ASSERT_EQ(written.parse(json)[stage].get(ours), simdjson::SUCCESS) << json;
    EXPECT_EQ(normal(ours), normal(vector["mapping"].value()));
  }
}

}  // namespace
}  // namespace ks::ndjson
