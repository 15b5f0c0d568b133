#include "profile/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ks::profile {
namespace {

using testing::HasSubstr;

ExitState run(ChildProcess& child) {
  for (;;) {
    std::vector<pollfd> fds;
    child.add_to(fds);
    poll(fds.data(), fds.size(), 20);
    child.read_output();
    if (const auto exit = child.reap()) {
      child.read_output();
      return *exit;
    }
  }
}

TEST(ChildProcess, KeepsTheEndOfWhatItWrites) {
  auto child =
      ChildProcess::spawn({.argv = {"python3", "-c",
                                    "import sys\nprint('x' * 1000000)\nprint('last')\n"
                                    "sys.stderr.write('a\\n\\n  b \\x07c\\n\\n')\nsys.exit(5)"},
                           .environment = {}});
  ASSERT_TRUE(child);
  EXPECT_EQ(run(*child).text(), "exit code 5");
  EXPECT_EQ(child->out().text().size(), OutputTail::kKept);
  EXPECT_EQ(child->out().last_line(), "last");
  EXPECT_EQ(child->last_words(), "b c");
}

TEST(ChildProcess, GetsNothingOfOursButItsChannel) {
  const Fd leaked(dup(0));  // without close-on-exec
  auto child = ChildProcess::spawn(
      {.argv = {"python3", "-c",
                "import os\nprint(os.environ['KS_X'], sorted(os.listdir('/proc/self/fd'))[:4])\n"
                "os.write(3, b'hello')"},
       .environment = {"KS_X=1"},
       .channel = true});
  ASSERT_TRUE(child);
  EXPECT_EQ(run(*child).code, 0) << child->err().text();
  // The fifth is the listing's own.
  EXPECT_EQ(child->out().last_line(), "1 ['0', '1', '2', '3']");
  char buffer[8] = {};
  EXPECT_EQ(read(child->channel(), buffer, sizeof buffer), 5);
}

TEST(ChildProcess, SaysWhenThereIsNoSuchProgram) {
  const auto child = ChildProcess::spawn({.argv = {"/no/such/program"}, .environment = {}});
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().kind, ErrorKind::input);
}

TEST(OneLine, IsHarmlessAndBounded) {
  EXPECT_EQ(one_line("  a\t\x1b[31m b\n"), "a [31m b");
  EXPECT_EQ(one_line("\xff\xc3\xa9\xed\xa0\x80"), "?\u00e9???");
  EXPECT_EQ(one_line("\u00e9\u00e9", 3), "\u00e9");
}

}  // namespace
}  // namespace ks::profile
