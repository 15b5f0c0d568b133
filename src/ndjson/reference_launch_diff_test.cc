// launch_diff exactly as the reference makes it, through the whole line from text to file.

#include "ndjson/reference_launch_diff.h"

#include <gtest/gtest.h>

#include "ndjson/test_output.h"

namespace ks::ndjson {
namespace {

using namespace testing;

// Lines of a vector's launches. They carry neither type nor hash, so both are put in; launches of
// nobody stand for the numbers that are left out.
std::string lines_of(const Value& launches) {
  std::string text;
  int64_t next = 0;
  for (const Value& pair : launches.items) {
    for (; next < pair.items[1].integer; ++next)
      text += R"({"event_type":"launch","name":"nobody"})"
              "\n";
    std::string event = trace::to_json(pair.items[0]);
    event.replace(0, 1,
                  R"({"event_type":"launch","compilation_metadata":{"hash":"h"})" +
                      std::string(event == "{}" ? "" : ","));
    text += event + "\n";
    ++next;
  }
  return text;
}

// Some vectors give two launches the same number, which no trace can.
bool are_possible_numbers(const Value& launches) {
  return std::adjacent_find(launches.items.begin(), launches.items.end(),
                            [](const Value& a, const Value& b) {
                              return a.items[1].integer >= b.items[1].integer;
                            }) == launches.items.end();
}

std::string with_hash(Value sames) {
  sames.members.push_back({"event_type", parse("\"launch\"")});
  sames.members.push_back({"compilation_metadata", parse(R"({"hash":"h"})")});
  return canonical(sames);
}

TEST(ReferenceLaunchDiff, IsEqualForAllVectors) {
  const Value vectors = parse(raw_bytes(committed("vectors/launch_diff_vectors.json")));
  ASSERT_EQ(vectors.items.size(), 220u);
  size_t equal = 0, crashes = 0, numbered = 0;
  for (size_t i = 0; i < vectors.items.size(); ++i) {
    SCOPED_TRACE(fmt::format("vector {}", i));
    const Value& vector = vectors.items[i];
    const Output output = write_text(lines_of(*vector.find("launches")), exactly());
    const Events diffs = output.of_type("launch_diff");
    ASSERT_EQ(diffs.size(), 1u);
    EXPECT_EQ(diffs[0].number("total_launches"),
              static_cast<int64_t>(vector.find("launches")->items.size()));
    if (vector.find("error")) {  // the reference crashes; a result is all that is asked for
      EXPECT_TRUE(diffs[0].find("diffs")->is_object());
      ++crashes;
      continue;
    }
    ++equal;
    expect_same_text(with_hash(*vector.find("sames")), canonical(*diffs[0].find("sames")), "sames");
    expect_same_text(canonical(*vector.find("diffs")), canonical(*diffs[0].find("diffs")), "diffs");
    if (!are_possible_numbers(*vector.find("launches"))) continue;
    ++numbered;
    EXPECT_EQ(canonical(*vector.find("launch_index_map")),
              canonical(*diffs[0].find("launch_index_map")));
  }
  EXPECT_EQ(equal, 174u);
  EXPECT_EQ(crashes, 46u);
  EXPECT_EQ(numbered, 139u);
}

class Examples : public ::testing::TestWithParam<const char*> {};

TEST_P(Examples, AreEqual) {
  const std::string stem = committed(std::string("launch_diff_examples/") + GetParam());
  const Output actual = write_files(
      {{"dedicated_log_triton_trace_u_.ndjson", raw_bytes(stem + ".raw.ndjson")}}, exactly());
  Output expected;
  const std::string parsed =
      raw_bytes(stem + ".parsed.dedicated_log_triton_trace_u__mapped.ndjson");
  ASSERT_FALSE(parsed.empty());
  expected.files["dedicated_log_triton_trace_u__mapped.ndjson"] = events_of(parsed);
  EXPECT_GT(expect_same(expected, actual), 2u);
}

INSTANTIATE_TEST_SUITE_P(LaunchDiff, Examples,
                         ::testing::Values("01_basic", "02_single_launch",
                                           "03_interleaved_index_map", "04_arg_type_and_presence",
                                           "05_names_that_hit_filters",
                                           "06_tensor_descriptor_nested", "07_graph_capture_note",
                                           "08_fake_compilation", "09_dotted_keys", "11_autotune"),
                         [](const auto& p) { return std::string(p.param); });

TEST(ReferenceLaunchDiff, WhereTheReferenceCrashesBothStandSideBySide) {
  const Output output = write_text(
      raw_bytes(committed("launch_diff_examples/10_scalar_vs_map_crash.raw.ndjson")), exactly());
  const Events diffs = output.of_type("launch_diff");
  ASSERT_EQ(diffs.size(), 1u);
  const Value* metadata = diffs[0].find("sames")->find("compilation_metadata");
  ASSERT_NE(metadata, nullptr);
  ASSERT_NE(metadata->find("ptx_options"), nullptr);
  EXPECT_TRUE(metadata->find("ptx_options")->is_null());
  EXPECT_EQ(metadata->number("ptx_options.O"), 3);
}

}  // namespace
}  // namespace ks::ndjson
