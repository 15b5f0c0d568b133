#include "ndjson/reference_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ndjson/reference_loops.h"

namespace ks::ndjson {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string mappings(std::vector<Artifact> artifacts, std::string_view backend = "cuda",
                     bool python = false) {
  ReferenceInput input;
  input.artifacts = artifacts;
  input.backend_name = backend;
  input.has_python_source = python;
  return reference_source_mappings(input);
}

TEST(ReferenceMap, NoKeyWithoutAMappableStage) {
  EXPECT_EQ(mappings({}), "");
  EXPECT_EQ(mappings({{"k.json", "{}"}}), "");
  EXPECT_EQ(mappings({{"k.ttir", "module {}"}}), R"({"python":{}})");
}

TEST(ReferenceMap, StagesAreJoinedByPlaceAndByLineWithSass) {
  const std::string json = mappings({{"k.ttir",
                                      "x loc(\"/k.py\":3:7)\nx loc(\"/k.py\":3:7)\n"
                                      "x loc(\"/k.py\":4:1)"},
                                     {"k.ttgir", "y loc(\"/k.py\":3:7)"},
                                     {"k.sass", "//## File \"/k.py\", line 3\n/*0010*/ MOV"}},
                                    "cuda", true);
  EXPECT_EQ(
      json,
      R"({"ttir":{)"
      R"("1":{"file":"/k.py","line":3,"column":7,"ttir_line":1,"ttgir_lines":[1],"sass_lines":[1,2]},)"
      R"("2":{"file":"/k.py","line":3,"column":7,"ttir_line":2,"ttgir_lines":[1],"sass_lines":[1,2]},)"
      R"("3":{"file":"/k.py","line":4,"column":1,"ttir_line":3}},)"
      R"("ttgir":{"1":{"file":"/k.py","line":3,"column":7,"ttgir_line":1,"ttir_lines":[1,2],"sass_lines":[1,2]}},)"
      R"("sass":{"1":{"file":"/k.py","line":3,"column":0,"sass_line":1,"ttir_lines":[1,2],"ttgir_lines":[1]},)"
      R"("2":{"file":"/k.py","line":3,"column":0,"sass_line":2,"ttir_lines":[1,2],"ttgir_lines":[1]}},)"
      R"("python":{"3":{"ttir_lines":["1","2"],"ttgir_lines":["1"],"sass_lines":["1","2"]},)"
      R"("4":{"ttir_lines":["3"]}}})");
}

TEST(ReferenceMap, ADotInTheKernelNamePicksTheWrongKey) {
  EXPECT_THAT(mappings({{"a.b.ttir", "x loc(\"/k.py\":3:7)"}}), HasSubstr(R"("b_line":1)"));
}

TEST(ReferenceMap, KnownBackendWithoutItsStagesFallsBack) {
  EXPECT_THAT(mappings({{"k.ttgir", "x loc(\"/k.py\":3:7)"}}, "cann"), HasSubstr("ttgir_line"));
  EXPECT_THAT(
      mappings({{"k.ttir", "x loc(\"/k.py\":3:7)"}, {"k.ttgir", "x loc(\"/k.py\":3:7)"}}, "cann"),
      Not(HasSubstr("ttgir_line")));
}

TEST(ReferenceMap, OfTwoFilesWithOneBaseNameTheFirstInOrderIsTaken) {
  const std::string ptx =
      "// -- Begin function k\n\t.loc\t1 3 7 // k.py:3:7\n\tret;\n// -- End function\n";
  const std::string json =
      mappings({{"k.ttir", "x loc(\"/b/k.py\":3:7)\nx loc(\"/a/k.py\":3:7)"}, {"k.ptx", ptx}});
  EXPECT_THAT(json, HasSubstr(R"("2":{"file":"/a/k.py","line":3,"column":7,"ptx_line":2,)"));
  EXPECT_THAT(json, HasSubstr(R"("3":{"file":"/a/k.py")"));
  EXPECT_THAT(json, Not(HasSubstr(R"("4":{"file":"/a/k.py","line":3,"column":7,"ptx_line")")));
}

TEST(ReferenceMap, APathWithAColonIsKeptWhereTheReferenceCrashes) {
  EXPECT_THAT(mappings({{"k.ttir", "x loc(\"C:/k.py\":3:7)"}}), HasSubstr(R"("file":"C:/k.py")"));
}

// Each of these was quadratic in the reference, or could be made so; a megabyte must not hurt.
TEST(ReferenceMap, HostileTextsStayLinear) {
  const auto repeat = [](std::string_view piece, size_t bytes) {
    std::string text;
    while (text.size() < bytes) text += piece;
    return text;
  };
  constexpr size_t kSize = 1 << 20;
  std::string chain;
  for (int i = 0; i < 40'000; ++i) {
    chain += "#loc" + std::to_string(i) + " = loc(#loc" + std::to_string(i + 1) + ")\n";
  }
  const std::string begin = "; -- Begin function\n", end = "\n; -- End function\n";
  for (const std::string& text :
       {repeat("loc(\"", kSize), repeat("#loc1 = loc(\"x\"", kSize), repeat("#loc1 = loc(", kSize),
        repeat("#loc1    ", kSize), chain, repeat("loc(\"a\":1:", kSize)}) {
    mappings({{"k.ttir", text}});
  }
  for (const std::string& line :
       {repeat("loc 1 2 3 ", kSize), repeat("loc 1 2 3;", kSize), repeat(":1:", kSize),
        repeat("loc 1 2 3 ", kSize / 2) + ";" + std::string(kSize / 2, ' ')}) {
    mappings({{"k.amdgcn", begin + line + end}}, "hip");
    mappings({{"k.ptx", begin + ".loc 1 2 3 //" + line + end}});
  }
  mappings({{"k.sass", repeat("/*00", kSize)}});
  mappings({{"k.ptx", repeat("--Begin function", kSize)}});
}

TEST(ReferenceLoops, FirstInnermostLoopAgainstTheFirstOfTtgir) {
  const std::vector<Artifact> artifacts = {
      {"k.ttir",
       "scf.for %i {\n scf.for %j {\n %a = tt.load %p loc(\"/k.py\":11:1)\n"
       " %d = tt.dot %a loc(\"/k.py\":12:1)\n }\n}\n"},
      {"k.ttgir",
       "%0 = ttg.async_copy_global_to_local %p loc(\"/k.py\":11:1)\nscf.for %j {\n"
       " %1 = tt.load %p loc(\"/k.py\":11:1)\n %2 = ttng.warp_group_dot %1 loc(\"/k.py\":12:1)\n"
       " %3 = ttng.warp_group_dot_wait %2 loc(\"/k.py\":12:1)\n}\n"
       "%4 = tt.dot %1 loc(\"/k.py\":12:1)\n"}};
  ReferenceInput input;
  input.artifacts = artifacts;
  input.backend_name = "cuda";
  input.has_python_source = true;
  input.python_source = PythonSource{"/k.py", 10, 11, "def k():\n  a = load()"};
  EXPECT_EQ(to_json(reference_ir_analysis(input, reference_maps(input))),
            R"J({"loop_schedules":[{"prologue":["a = load()"],)J"
            R"J("loop_body":["a = load()","%2 = ttng.warp_group_dot %1 loc(\"/k.py\":12:1)"],)J"
            R"J("epilogue":["%4 = tt.dot %1 loc(\"/k.py\":12:1)"]}]})J");
}

TEST(ReferenceLoops, BufferCountsOnlyForAmd) {
  const std::vector<Artifact> artifacts = {{"k.ttgir", "tt.load tt.load\namdgpu.buffer_load\n"},
                                           {"k.amdgcn", "buffer_load_dword\nglobal_store\n"}};
  ReferenceInput input;
  input.artifacts = artifacts;
  input.backend_name = "cuda";
  EXPECT_EQ(to_json(reference_ir_analysis(input, reference_maps(input))), "");
  input.backend_name = "HIP";
  EXPECT_EQ(to_json(reference_ir_analysis(input, reference_maps(input))),
            R"({"io_counts":{"amd_ttgir_bufferops_count":{"tt.load_count":1,"tt.store_count":0,)"
            R"("amdgpu.buffer_load_count":1,"amdgpu.buffer_store_count":0},)"
            R"("amd_gcn_bufferops_count":{"global_load_count":0,"global_store_count":1,)"
            R"("buffer_load_count":1,"buffer_store_count":0}}})");
}

}  // namespace
}  // namespace ks::ndjson
