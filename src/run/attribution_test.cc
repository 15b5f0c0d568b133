// Launches without a hash: to which kernel they go.

#include <gmock/gmock.h>

#include "run/test_dump.h"
#include "trace/json_reader.h"

namespace ks::run {
namespace {

using namespace testing;
using ::testing::ElementsAre;

std::string kernel_of(const Run& run, const LaunchGroup& group) {
  return run.kernels[group.kernel].hash + " " + std::string(to_string(group.attribution));
}

TEST(Attribution, TheOnlyVariantOfANameIsExact) {
  const auto run =
      read_text(compilation_line("h1") + bare_launch("k", "5") + bare_launch("k", "6"));
  ASSERT_EQ(run.groups.size(), 2u) << "two handles";
  EXPECT_EQ(kernel_of(run, run.groups[0]), "h1 exact");
  EXPECT_EQ(kernel_of(run, run.groups[1]), "h1 exact");
  EXPECT_EQ(run.diagnostics[Diag::launch_without_hash].count, 2u);
  EXPECT_EQ(run.diagnostics[Diag::launch_without_arguments].count, 2u);
  EXPECT_EQ(run.diagnostics[Diag::launch_unattributed].count, 0u);
}

TEST(Attribution, TheNthHandleIsTheNthVariant) {
  const auto run =
      read_text(compilation_line("h1") + bare_launch("k", "50") + compilation_line("h2") +
                compilation_line("h1") + bare_launch("k", "6") + bare_launch("k", "50"));
  ASSERT_EQ(run.groups.size(), 2u);
  EXPECT_EQ(kernel_of(run, run.groups[0]), "h1 handle order");
  EXPECT_EQ(kernel_of(run, run.groups[1]), "h2 handle order");
  EXPECT_EQ(run.kernels[kernel_with_hash(run, "h1")].user_launches(), 2u);
}

TEST(Attribution, WhereCountsDifferTheCandidatesAreListed) {
  const auto run = read_text(compilation_line("h1") + compilation_line("h2") +
                             bare_launch("k", "5") + bare_launch("k", "5"));
  ASSERT_EQ(run.kernels.size(), 3u);
  EXPECT_EQ(run.groups[0].attribution, Attribution::none);
  const Kernel& orphan = run.kernels[run.groups[0].kernel];
  EXPECT_EQ(orphan.hash, "");
  EXPECT_EQ(orphan.name, "k");
  EXPECT_FALSE(orphan.compilation_seen);
  EXPECT_THAT(orphan.candidates, ElementsAre(0, 1));
  EXPECT_EQ(orphan.user_launches(), 2u);
  EXPECT_EQ(run.diagnostics[Diag::launch_unattributed].count, 2u);
}

TEST(Attribution, ANameThatWasNeverCompiledHasNoCandidates) {
  const auto run = read_text(compilation_line("h1", "other") + bare_launch("k", "5"));
  EXPECT_EQ(run.groups[0].attribution, Attribution::none);
  EXPECT_TRUE(run.kernels[run.groups[0].kernel].candidates.empty());
  EXPECT_EQ(run.diagnostics[Diag::launch_unattributed].count, 0u);
  EXPECT_EQ(run.diagnostics[Diag::compilation_not_seen].count, 1u);
}

TEST(Attribution, VariantsAreThoseOfTheOwnProcess) {
  const std::string name = "dedicated_log_triton_trace_u_rank_{}_pid_{}_host_h_.ndjson";
  const auto run = read_files(
      {{fmt::format(fmt::runtime(name), 0, 10), compilation_line("h1") + bare_launch("k", "5")},
       {fmt::format(fmt::runtime(name), 1, 11), compilation_line("h2") + bare_launch("k", "5")}});
  ASSERT_EQ(run.groups.size(), 2u) << "handles mean nothing in another process";
  EXPECT_EQ(kernel_of(run, run.groups[0]), "h1 exact");
  EXPECT_EQ(kernel_of(run, run.groups[1]), "h2 exact");
}

TEST(Attribution, AProcessThatCompiledNothingTakesThoseOfTheRun) {
  const std::string name = "dedicated_log_triton_trace_u_rank_{}_pid_{}_host_h_.ndjson";
  const auto run = read_files({{fmt::format(fmt::runtime(name), 0, 10), compilation_line("h1")},
                               {fmt::format(fmt::runtime(name), 1, 11), bare_launch("k", "9")}});
  ASSERT_EQ(run.groups.size(), 1u);
  EXPECT_EQ(kernel_of(run, run.groups[0]), "h1 exact");
}

TEST(Attribution, LaunchesBeforeTheCompilationCount) {
  const auto run = read_text(bare_launch("k", "5") + compilation_line("h1"));
  EXPECT_EQ(kernel_of(run, run.groups[0]), "h1 exact");
}

TEST(Attribution, NeitherHashNorNameIsLeftOutAndCounted) {
  const std::string line = R"({"event_type":"launch","function":5,"stack":[]})"
                           "\n";
  const auto run = read_text(line + line);
  EXPECT_EQ(run.launches, 0u);
  EXPECT_EQ(run.diagnostics[Diag::launch_without_name].count, 2u);
}

TEST(Attribution, NumberAndTextHandlesAreDifferent) {
  const auto run = read_text(compilation_line("h1") + compilation_line("h2") +
                             bare_launch("k", "5") + bare_launch("k", "\"5\""));
  EXPECT_EQ(kernel_of(run, run.groups[1]), "h2 handle order");
}

TEST(Attribution, EveryLaunchOfTheTraceWithoutMetadata) {
  const std::string folder = shared_data("traces/gpt2_launches_without_metadata");
  if (folder.empty()) GTEST_SKIP() << "shared data is absent";
  const auto run = read_paths({folder});
  EXPECT_EQ(run.launches, 3956u);
  for (const LaunchGroup& group : run.groups) {
    EXPECT_TRUE(group.attribution == Attribution::exact ||
                group.attribution == Attribution::handle_order)
        << group.name << " " << group.function;
  }
  for (const Kernel& kernel : run.kernels) EXPECT_TRUE(kernel.compilation_seen) << kernel.name;
  EXPECT_EQ(run.diagnostics[Diag::launch_without_hash].count, 3956u);
  EXPECT_EQ(run.diagnostics[Diag::launch_unattributed].count, 0u);
}

TEST(Attribution, OfATraceThatLacksMostCompilations) {
  const auto run = read_paths({committed("traces/llama_most_compilations_missing")});
  EXPECT_EQ(run.launches, 401u);
  EXPECT_EQ(run.compilations.size(), 10u);
  std::map<Attribution, uint64_t> launches;
  uint64_t never_compiled = 0;
  for (const LaunchGroup& group : run.groups) {
    uint64_t sum = 0;
    for (uint64_t n : group.launches) sum += n;
    launches[group.attribution] += sum;
    if (group.attribution != Attribution::none) continue;
    const Kernel& kernel = run.kernels[group.kernel];
    if (kernel.candidates.empty()) never_compiled += sum;
    for (Id c : kernel.candidates) EXPECT_EQ(run.kernels[c].name, group.name);
  }
  EXPECT_EQ(launches[Attribution::hash], 0u);
  EXPECT_EQ(launches[Attribution::exact], 0u);
  EXPECT_EQ(launches[Attribution::handle_order], 399u);
  EXPECT_EQ(never_compiled, 2u) << "one name that was never compiled";
}

// Takes the metadata and the arguments off every launch, as Inductor's default trace lacks them;
// `hashes` gets what they were, in order.
std::string without_hashes(const std::string& text, std::vector<std::string>& hashes) {
  trace::JsonReader reader;
  std::string out;
  for (size_t start = 0; start < text.size();) {
    size_t end = text.find('\n', start);
    if (end == std::string::npos) end = text.size();
    const std::string line = text.substr(start, end - start);
    start = end + 1;
    if (line.find(R"("event_type":"launch")") == std::string::npos) {
      out += line + "\n";
      continue;
    }
    auto event = reader.read_copy(line);
    EXPECT_TRUE(event);
    if (!event) continue;
    hashes.emplace_back(event->find("compilation_metadata")->text("hash"));
    std::erase_if(event->members, [](const trace::Value::Member& m) {
      return m.first == "compilation_metadata" || m.first.starts_with("extracted_") ||
             m.first == "grid";
    });
    trace::append_json(out, *event);
    out += '\n';
  }
  return out;
}

// Which group each launch went to.
class Groups : public Observer {
 public:
  Result<> launch(const Run&, const LaunchRow& row, std::span<const uint64_t>, size_t) override {
    groups.push_back(row.group);
    return {};
  }
  std::vector<Id> groups;
};

class HiddenHashes : public ::testing::TestWithParam<std::pair<const char*, size_t>> {};

TEST_P(HiddenHashes, AllComeOutRight) {
  const auto [name, launches] = GetParam();
  const std::string folder = shared_data(std::string("traces/") + name);
  if (folder.empty()) GTEST_SKIP() << "shared data is absent";
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    text = file_text(entry.path());
  std::vector<std::string> hashes;
  const std::string hidden = without_hashes(text, hashes);
  Groups seen;
  ReadOptions options;
  options.analyse = false;
  const auto run = read_files({{kTraceName, hidden}}, options, {&seen});
  ASSERT_EQ(hashes.size(), launches);
  ASSERT_EQ(seen.groups.size(), launches);
  size_t right = 0, exact = 0;
  for (size_t i = 0; i < launches; ++i) {
    const LaunchGroup& group = run.groups[seen.groups[i]];
    right += run.kernels[group.kernel].hash == hashes[i];
    exact += group.attribution == Attribution::exact;
    ASSERT_NE(group.attribution, Attribution::hash) << "the hash was to be hidden";
  }
  EXPECT_EQ(right, launches);
  EXPECT_GT(exact, 0u);
  EXPECT_LT(exact, launches) << "names with several variants must be among them";
}

INSTANTIATE_TEST_SUITE_P(RealTraces, HiddenHashes,
                         ::testing::Values(std::pair{"gpt2", size_t{2267}},
                                           std::pair{"llama", size_t{2511}}),
                         [](const auto& p) { return p.param.first; });

}  // namespace
}  // namespace ks::run
