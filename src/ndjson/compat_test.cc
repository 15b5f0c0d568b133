// The folders that the reference wrote, against ours (tests/compare_parsed.py --ignore ir_analysis
// says what is compared).

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "ndjson/test_output.h"

namespace ks::ndjson {
namespace {

using namespace testing;

std::string data(const std::string& path) {
  const std::string own = committed(path);
  return std::filesystem::exists(own) ? own : shared_data(path);
}

class CompatFolders : public ::testing::TestWithParam<std::pair<const char*, size_t>> {};

TEST_P(CompatFolders, AreEqual) {
  const auto [name, events] = GetParam();
  const std::string traces = data(std::string("traces/") + name),
                    expected_folder = data(std::string("expected/") + name);
  if (traces.empty() || expected_folder.empty()) GTEST_SKIP() << "shared data is absent";
  const Output actual = write_paths({traces}, exactly());
  const Output expected = output_of(expected_folder);
  EXPECT_EQ(expect_same(expected, actual), events);
  EXPECT_EQ(canonical(sorted_listing(expected.listing)), canonical(sorted_listing(actual.listing)));
}

INSTANTIATE_TEST_SUITE_P(RealTraces, CompatFolders,
                         ::testing::Values(std::pair{"triton", size_t{1248}},
                                           std::pair{"ddp", size_t{2246}},
                                           std::pair{"llama_most_compilations_missing", size_t{10}},
                                           std::pair{"gpt2", size_t{2501}},
                                           std::pair{"llama", size_t{2769}},
                                           std::pair{"gpt2_launches_without_metadata", size_t{83}}),
                         [](const auto& p) { return std::string(p.param.first); });

// The comparison itself must be able to fail.
TEST(CompatComparison, SeesAChangedValueAMissingEventAndAnExtraFile) {
  Output expected;
  expected.files["a.ndjson"] = events_of(R"({"event_type":"launch","x":1})"
                                         "\n"
                                         R"({"event_type":"launch_diff","hash":"h"})"
                                         "\n");
  Output changed = expected, missing = expected, extra = expected;
  changed.files["a.ndjson"][0] = parse(R"({"event_type":"launch","x":1.0})");
  missing.files["a.ndjson"].pop_back();
  extra.files["b.ndjson"] = {};
  EXPECT_EQ(expect_same(expected, expected), 2u);
  ::testing::TestPartResultArray failures;
  for (const Output* wrong : {&changed, &missing, &extra}) {
    const ::testing::ScopedFakeTestPartResultReporter reporter(&failures);
    expect_same(expected, *wrong);
  }
  EXPECT_EQ(failures.size(), 3);
}

}  // namespace
}  // namespace ks::ndjson
