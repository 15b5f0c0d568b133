// The mendings, each by its text (docs/trace-format.md).

#include "ndjson/mended_launch_diff.h"

#include <gtest/gtest.h>

#include "ndjson/test_output.h"

namespace ks::ndjson {
namespace {

using namespace testing;

// "diffs.extracted_args.n" and so on of the only launch_diff; "absent" where there is none. Names
// are parts of a path, so that dots in them count.
struct Diff {
  Value event;
  std::string at(std::initializer_list<std::string_view> path) const {
    const Value* value = &event;
    for (std::string_view part : path) {
      value = value->find(part);
      if (!value) return "absent";
    }
    return trace::to_json(*value);
  }
};

Diff diff_of(const std::string& text) {
  const Output output = write_text(text);
  const Events diffs = output.of_type("launch_diff");
  EXPECT_EQ(diffs.size(), 1u);
  return {diffs.empty() ? Value() : diffs[0]};
}

TEST(MendedLaunchDiff, OneLaunchIsAllSame) {
  const Diff d = diff_of(
      launch_with_args(R"("n":{"type":"int","value":1},"x":{"type":"tensor","data_ptr":"0x10"})"));
  EXPECT_EQ(d.at({"diffs"}), "{}");
  EXPECT_EQ(d.at({"sames", "extracted_args", "x", "data_ptr"}), "\"0x10\"");
  EXPECT_EQ(d.at({"sames", "timestamp"}), "\"2026-01-01T00:00:00.%fZ\"");
  EXPECT_EQ(d.at({"sames", "pid"}), "7");
  EXPECT_EQ(d.at({"total_launches"}), "1");
}

TEST(MendedLaunchDiff, PresenceIsADifference) {  // BUG 2
  const Diff d = diff_of(
      launch_with_args(R"("n":{"value":1},"only0":{"type":"int","value":9})", R"("grid":[1])") +
      launch_with_args(R"("n":{"value":1})") + launch_with_args(R"("n":{"value":1})"));
  EXPECT_EQ(d.at({"sames", "extracted_args", "n", "value"}), "1");
  EXPECT_EQ(d.at({"sames", "extracted_args", "only0"}), "absent");
  EXPECT_EQ(d.at({"diffs", "extracted_args", "only0", "diff_type"}), "\"argument_diff\"");
  EXPECT_EQ(
      d.at({"diffs", "extracted_args", "only0", "diffs", "value"}),
      R"({"diff_type":"distribution","values":[{"value":9,"count":1,"launches":[{"start":0,"end":0}]}],"present":1})");
  EXPECT_EQ(d.at({"diffs", "grid", "present"}), "1");
}

TEST(MendedLaunchDiff, PresenceOfAVolatileFieldSaysHowMany) {
  const Diff d = diff_of(launch_line(R"("stream":5)") + launch_line(""));
  EXPECT_EQ(d.at({"diffs", "stream", "diff_type"}), "\"summary\"");
  EXPECT_EQ(d.at({"diffs", "stream", "present"}), "1");
}

TEST(MendedLaunchDiff, NamesMatchWhole) {  // BUG 3
  const auto line = [](int i) {
    return launch_with_args(
        fmt::format(
            R"("num_streams":{{"value":{0}}},"rapid":{{"value":{0}}},"launch_group_hash_out":{{"value":{0}}})",
            i),
        fmt::format(R"("stream":{})", i));
  };
  const Diff d = diff_of(line(1) + line(2) + line(1));
  for (const char* name : {"num_streams", "rapid", "launch_group_hash_out"}) {
    EXPECT_EQ(
        d.at({"diffs", "extracted_args", name, "diffs", "value"}),
        R"({"diff_type":"distribution","values":[{"value":1,"count":2,"launches":[{"start":0,"end":0},{"start":2,"end":2}]},)"
        R"({"value":2,"count":1,"launches":[{"start":1,"end":1}]}]})")
        << name;
  }
  EXPECT_EQ(d.at({"diffs", "stream"}),
            R"({"diff_type":"summary","summary_text":"Varies across 2 unique values"})");
}

TEST(MendedLaunchDiff, NestedArgumentsFieldByField) {  // BUG 5
  const auto line = [](const char* pointer, const char* shape) {
    return launch_with_args(fmt::format(
        R"("desc":{{"type":"TensorDescriptor","base":{{"shape":{},"data_ptr":"{}"}},"padding":"zero"}})",
        shape, pointer));
  };
  const Diff d = diff_of(line("0x1000", "[64]") + line("0x2008", "[64]") + line("0x2008", "[8]"));
  EXPECT_EQ(
      d.at({"diffs", "extracted_args", "desc", "diffs", "base", "data_ptr"}),
      R"({"diff_type":"summary","summary_text":"Varies across 2 unique values","aligned_16":1,"present":3})");
  EXPECT_EQ(
      d.at({"diffs", "extracted_args", "desc", "diffs", "base", "shape", "values"}),
      R"([{"value":[64],"count":2,"launches":[{"start":0,"end":1}]},{"value":[8],"count":1,"launches":[{"start":2,"end":2}]}])");
  EXPECT_EQ(d.at({"diffs", "extracted_args", "desc", "sames"}),
            R"({"type":"TensorDescriptor","padding":"zero"})");
  EXPECT_EQ(d.at({"sames", "extracted_args"}), "absent");
}

TEST(MendedLaunchDiff, TuplesByIndex) {
  const auto line = [](int v) {
    return launch_with_args(fmt::format(R"("t":{{"items":[{{"value":1}},{{"value":{}}}]}})", v));
  };
  const Diff d = diff_of(line(1) + line(2));
  EXPECT_EQ(d.at({"diffs", "extracted_args", "t", "sames"}), R"({"items":{"0":{"value":1}}})");
  EXPECT_EQ(d.at({"diffs", "extracted_args", "t", "diffs", "items", "1", "value", "diff_type"}),
            "\"distribution\"");
}

TEST(MendedLaunchDiff, DottedNamesKeepTheirDots) {
  const auto line = [](int v) {
    return launch_with_args(fmt::format(R"("n.m":{{"value":{}}})", v), R"("asm":{"k.ttir":"t"})");
  };
  const Diff d = diff_of(line(1) + line(2));
  EXPECT_EQ(d.at({"diffs", "extracted_args", "n.m", "diffs", "value", "diff_type"}),
            "\"distribution\"");
  EXPECT_EQ(d.at({"sames", "asm"}), R"({"k.ttir":"t"})");
}

TEST(MendedLaunchDiff, AScalarAgainstAMapLosesNeither) {  // BUG 4
  const std::string scalar = launch_line(R"("o":null)"), map = launch_line(R"("o":{"O":3})");
  for (const std::string& text : {scalar + map, map + scalar}) {
    const Diff d = diff_of(text);
    EXPECT_NE(d.at({"diffs", "o"}).find(R"("value":null,"count":1)"), std::string::npos)
        << trace::to_json(d.event);
    EXPECT_EQ(d.at({"diffs", "o.O", "present"}), "1") << trace::to_json(d.event);
  }
}

TEST(MendedLaunchDiff, AnArgumentThatIsNoObjectInSomeLaunchesLosesNothing) {
  const std::string scalar = launch_with_args(R"("x":5)"),
                    object = launch_with_args(R"("x":{"type":"int"})");
  for (const std::string& text : {scalar + object, object + scalar}) {
    const std::string diffs = diff_of(text).at({"diffs", "extracted_args"});
    EXPECT_NE(diffs.find(R"("value":5,"count":1)"), std::string::npos) << diffs;
    EXPECT_NE(diffs.find(R"("value":"int","count":1)"), std::string::npos) << diffs;
  }
}

TEST(MendedLaunchDiff, ArgumentsThatAreNoObjectsAtAll) {
  EXPECT_EQ(diff_of(launch_with_args(R"("x":5)") + launch_with_args(R"("x":5)"))
                .at({"sames", "extracted_args"}),
            R"({"x":5})");
  EXPECT_EQ(diff_of(launch_with_args(R"("x":5)") + launch_with_args(R"("x":6)"))
                .at({"diffs", "extracted_args", "x", "diff_type"}),
            "\"distribution\"");
}

TEST(MendedLaunchDiff, TimestampsAreCounted) {
  EXPECT_EQ(diff_of(launch_line("", "h", "k", 1) + launch_line("", "h", "k", 2) +
                    launch_line("", "h", "k", 2))
                .at({"diffs", "timestamp"}),
            R"({"diff_type":"summary","summary_text":"Varies across 2 unique values"})");
}

TEST(MendedLaunchDiff, OneCommonPointerIsTheSame) {
  const std::string line = launch_with_args(R"("x":{"data_ptr":"0x7f00"})");
  EXPECT_EQ(diff_of(line + line).at({"sames", "extracted_args", "x", "data_ptr"}), "\"0x7f00\"");
}

TEST(MendedLaunchDiff, PointersWrittenOddlyDoNoHarm) {
  for (const char* x : {R"({"data_ptr":"0x\u0031"})", R"({"data\u005fptr":"0x1"})",
                        R"({"data_ptr":"0x1","data_ptr":"0x2"})", R"({"data_ptr" : "0x1"})",
                        R"({"data_ptr":"0x00ff"})", R"({"data_ptr":null})"}) {
    const std::string line = launch_with_args(R"("x":)" + std::string(x));
    for (const Options& options : {Options{}, exactly()}) {
      const Output output = write_text(line + line, options);
      EXPECT_EQ(output.of_type("launch").size(), 2u) << x;
      EXPECT_EQ(output.of_type("launch_diff").size(), 1u) << x;
    }
  }
  EXPECT_EQ(write_text(R"({"event_type":"launch","name":"k","data_ptr":"0x10"})"
                       "\n")
                .of_type("launch_diff")
                .size(),
            1u);
}

TEST(MendedLaunchDiff, TheIndexMapCountsLaunchesOfAllKernels) {
  const Output output = write_text(launch_line("", "a") + launch_line("", "b") +
                                   launch_line("", "a") + launch_line("", "a"));
  for (const Value& diff : output.of_type("launch_diff")) {
    if (diff.text("hash") != "a") continue;
    EXPECT_EQ(trace::to_json(*diff.find("launch_index_map")),
              R"([{"start":0,"end":0},{"start":2,"end":3}])");
  }
}

}  // namespace
}  // namespace ks::ndjson
