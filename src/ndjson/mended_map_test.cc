#include "ndjson/mended_map.h"

#include <gtest/gtest.h>

namespace ks::ndjson {
namespace {

// Line 1: written in the kernel. Line 2: a library function inlined into kernel line 20. Line 3:
// a library only. Line 4: made by the compiler for the kernel's file (line 0).
ir::SourceMap sample() {
  ir::SourceMap map;
  map.strings = {"", "/w/k.py", "/lib/standard.py", "k.py"};
  map.frames = {{1, 10, 4, 0}, {2, 43, 8, 0}, {1, 20, 2, 0}, {2, 50, 1, 0}, {3, 0, 0, 0}};
  map.chains = {{0, 1}, {1, 2}, {3, 1}, {4, 1}};
  map.lines = {{1, 0}, {2, 1}, {3, 2}, {4, 3}};
  return map;
}

TEST(MendedMap, AUserLineReachesCodeInlinedIntoIt) {
  const ir::SourceMap map = sample();
  const MappedStage stage{"llir", &map};
  const PythonSource python{"/w/k.py", 1, 60, ""};
  EXPECT_EQ(mended_source_mappings({&stage, 1}, &python),
            R"({"llir":{"1":{"file":"/w/k.py","line":10,"column":4,"llir_line":1},)"
            R"("2":{"file":"/w/k.py","line":20,"column":2,"llir_line":2},)"
            R"("3":{"file":"/lib/standard.py","line":50,"column":1,"llir_line":3},)"
            R"("4":{"file":"k.py","line":0,"column":0,"llir_line":4}},)"
            R"("python":{"10":{"llir_lines":["1"]},"20":{"llir_lines":["2"]}}})");
}

TEST(MendedMap, WithoutSourceTheInnermostFrameIsShown) {
  const ir::SourceMap map = sample();
  const MappedStage stage{"sass", &map};
  EXPECT_EQ(mended_source_mappings({&stage, 1}, nullptr),
            R"({"sass":{"1":{"file":"/w/k.py","line":10,"column":0,"sass_line":1},)"
            R"("2":{"file":"/lib/standard.py","line":43,"column":0,"sass_line":2},)"
            R"("3":{"file":"/lib/standard.py","line":50,"column":0,"sass_line":3},)"
            R"("4":{"file":"k.py","line":0,"column":0,"sass_line":4}},"python":{}})");
}

TEST(MendedMap, OfSeveralChainsTheOneInTheUsersFileIsShown) {
  ir::SourceMap map = sample();
  map.lines = {{7, 2}, {7, 0}, {7, 1}};
  const MappedStage stage{"ttir", &map};
  const PythonSource python{"/w/k.py", 1, 60, ""};
  EXPECT_EQ(mended_source_mappings({&stage, 1}, &python),
            R"({"ttir":{"7":{"file":"/w/k.py","line":10,"column":4,"ttir_line":7}},)"
            R"("python":{"10":{"ttir_lines":["7"]},"20":{"ttir_lines":["7"]}}})");
}

TEST(MendedMap, NoStages) { EXPECT_EQ(mended_source_mappings({}, nullptr), R"({"python":{}})"); }

}  // namespace
}  // namespace ks::ndjson
