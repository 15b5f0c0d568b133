// The same input gives the same run, whatever the threads and the compression.

#include "io/test_sources.h"
#include "run/test_dump.h"

namespace ks::run {
namespace {

using namespace testing;

std::string dump_of(const std::vector<std::string>& paths, unsigned threads) {
  ReadOptions options;
  options.threads = threads;
  return dump(read_paths(paths, options));
}

void expect_equal(const std::string& a, const std::string& b, const std::string& what) {
  if (a == b) return;
  const size_t at =
      static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const size_t from = at < 100 ? 0 : at - 100;
  ADD_FAILURE() << what << " differ at " << at << ":\n"
                << a.substr(from, 200) << "\n----\n"
                << b.substr(from, 200);
}

TEST(Determinism, ThreadsChangeNothing) {
  const std::vector<std::string> paths = {committed("traces/triton"), committed("traces/ddp")};
  const std::string one = dump_of(paths, 1);
  EXPECT_GT(one.size(), 100'000u);
  expect_equal(one, dump_of(paths, 2), "one thread and two");
  expect_equal(one, dump_of(paths, 5), "one thread and five");
}

TEST(Determinism, ThreadsChangeNoSampleOfBadInput) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    text += i % 7 == 0    ? "rubbish\n"
            : i % 11 == 0 ? "[1]\n"
                          : launch_line(fmt::format("\"grid\":[{}]", i % 90));
  }
  ReadOptions options;
  options.threads = 1;
  const std::string one = dump(read_text(text, options));
  options.threads = 4;
  expect_equal(one, dump(read_text(text, options)), "one thread and four");
}

std::string each_line(const std::string& text, std::string (*pack)(std::string_view)) {
  std::string out;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
    out += pack(std::string_view(text).substr(start, end - start));
    start = end;
  }
  return out;
}

TEST(Determinism, CompressionChangesNothing) {
  const std::string text = file_text(committed(
      "traces/triton/dedicated_log_triton_trace_unknown_rank_none_pid_1296_host_vm_.ndjson.gz"));
  ASSERT_GT(text.size(), 1'000'000u);
  const std::string plain = dump(read_text(text));
  expect_equal(
      plain,
      dump(read_text(each_line(text, [](std::string_view s) { return io::testing::gzip(s, 1); }))),
      "plain and gzip members");
  expect_equal(
      plain,
      dump(read_text(each_line(text, [](std::string_view s) { return io::testing::zstd(s, 1); }))),
      "plain and zstd frames");
  expect_equal(plain, dump(read_text(io::testing::gzip(text, 1))), "plain and one gzip stream");
  expect_equal(plain, dump(read_text(io::testing::zstd(text, 1))), "plain and one zstd stream");
}

}  // namespace
}  // namespace ks::run
