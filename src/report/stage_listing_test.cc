#include "report/stage_listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ks::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Lines = std::vector<std::optional<std::string>>;

const store::KernelSource kSource = {"/home/me/k.py", 10,
                                     "def k(x):\n    a = load(x)\n    store(x, a)"};

store::StageText stage(std::string name, std::string text, std::vector<store::MapRow> map) {
  store::StageText s;
  s.artifact.stage = std::move(name), s.text = std::move(text), s.map = std::move(map);
  return s;
}

store::StageText ttir() {
  return stage(
      "ttir",
      "module {\n  %0 = load loc(#loc1)\n  store %0 loc(#loc2)\n}\n#loc1 = loc(\"k.py\":11:2)\n",
      {{2, "lib.py", "k.py", 5, 11, false}, {3, "k.py", "k.py", 12, 12, false}});
}

store::StageText ptx() {
  return stage("ptx", ".loc 1 11\n\tld.global\t%r1;\n\tst.global %r1;\n",
               {{2, "k.py", "k.py", 11, 11, false}});
}

TEST(ReadableLines, LocationsAreTakenAway) {
  EXPECT_EQ(readable_lines("ttir", ttir().text),
            (Lines{"module {", "  %0 = load", "  store %0", "}", std::nullopt}));
  EXPECT_EQ(readable_lines("ttgir", "f(%a: i32 loc(\"a)\"(#loc)), %b: i32 loc(#loc2)) {"),
            (Lines{"f(%a: i32, %b: i32) {"}));
  EXPECT_EQ(readable_lines("llir", "  ret void, !dbg !7\n!7 = x\n"),
            (Lines{"  ret void", std::nullopt}));
  EXPECT_EQ(readable_lines("ptx", ".loc 1 2\n\tret;\n.section .debug_abbrev\n{\n.b8 1\n}\nend"),
            (Lines{std::nullopt, "  ret;", std::nullopt, std::nullopt, std::nullopt, std::nullopt,
                   "end"}));
}

TEST(LinesOf, FindsInlinedOperationsAtTheKernelsLine) {
  EXPECT_THAT(lines_of(ttir(), kSource, 11), ElementsAre(2));
  EXPECT_THAT(lines_of(ttir(), kSource, 5), ElementsAre());  // line 5 is of another file
  EXPECT_THAT(source_lines({ttir(), ptx()}, kSource), ElementsAre(11, 12));
}

TEST(StageListing, MarginNamesBothPlaces) {
  const std::string text = stage_listing(ttir(), kSource, {80, false});
  EXPECT_THAT(text, HasSubstr("     2 │ 11 lib.py:5 │   %0 = load\n"));
  EXPECT_THAT(text, HasSubstr("     3 │ 12          │   store %0\n"));
  EXPECT_THAT(text, HasSubstr("1 line of locations and debug data not shown"));
}

TEST(SideBySide, PanelsForEachSourceLine) {
  const std::string text = side_by_side({ttir(), ptx()}, kSource, {11, 12}, 0, {100, false});
  EXPECT_THAT(text, HasSubstr("k.py:11   a = load(x)\n"));
  EXPECT_THAT(text, HasSubstr("     2 %0 = load"));
  EXPECT_THAT(text, HasSubstr(" │      2 ld.global  %r1;\n"));
  EXPECT_THAT(text, HasSubstr("k.py:12   store(x, a)\n"));
  EXPECT_THAT(text, HasSubstr("ptx (nothing)"));
}

TEST(SideBySide, NarrowTerminalPutsThemBelowEachOther) {
  EXPECT_THAT(side_by_side({ttir(), ptx()}, kSource, {11}, 0, {60, false}), Not(HasSubstr("│")));
}

TEST(SideBySide, LimitSaysHowManyMore) {
  store::StageText many = ptx();
  many.map = {{2, "k.py", "k.py", 11, 11, false}, {3, "k.py", "k.py", 11, 11, false}};
  EXPECT_THAT(side_by_side({many}, kSource, {11}, 1, {60, false}), HasSubstr("… 1 more: --all"));
}

TEST(StagesJson, OnlyTheLineAskedFor) {
  const std::string json = stages_json({}, {ttir()}, kSource, {12});
  EXPECT_THAT(json, HasSubstr(R"j("source_text":"store(x, a)")j"));
  EXPECT_THAT(json, HasSubstr(R"j("line":3,"text":"  store %0 loc(#loc2)")j"));
  EXPECT_THAT(json, Not(HasSubstr(R"j("line":2,)j")));
}

TEST(StagesJson, SeveralLines) {
  const std::string json = stages_json({}, {ttir()}, kSource, {11, 12});
  EXPECT_THAT(json, HasSubstr(R"j("source_lines":[{"line":11,"text":"a = load(x)"},)j"));
  EXPECT_THAT(json, HasSubstr(R"j({"line":2,"text":)j"));
  EXPECT_THAT(json, HasSubstr(R"j({"line":3,"text":)j"));
}

}  // namespace
}  // namespace ks::report
