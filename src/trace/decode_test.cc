#include "trace/decode.h"

#include <gtest/gtest.h>

namespace ks::trace {

namespace {

DecodedBlock decode(const std::string& text) {
  io::BlockReader reader(io::from_memory(text), "t", {});
  io::Block block;
  EXPECT_TRUE(reader.next(block).value_or(false));
  return Decoder().decode(std::move(block), "t", 1);
}

const Compilation& compilation(const DecodedBlock& block, size_t i = 0) {
  return std::get<Compilation>(block.records.at(i).event);
}

const std::string kLaunch =
    R"({"event_type":"launch","pid":1,"name":"k","grid":[1],"compilation_metadata":{"hash":"h"},)"
    R"("extracted_args":{"x":{"type":"tensor","data_ptr":"0x7f00"}},"timestamp":"2026-01-01T00:00:00.%fZ"})";

}  // namespace

TEST(Decode, LaunchIsCutIntoFields) {
  const DecodedBlock block = decode(kLaunch + "\n");
  ASSERT_EQ(block.records.size(), 1u);
  const auto& launch = std::get<Launch>(block.records[0].event);
  EXPECT_EQ(launch.timestamp, "2026-01-01T00:00:00.%fZ");
  EXPECT_EQ(block.pointers, (std::vector<uint64_t>{0x7f00}));
  ASSERT_EQ(launch.fields.size(), 6u);
  EXPECT_EQ(block.fields[3].key, "grid");
  EXPECT_EQ(block.fields[3].json, "[1]");
}

TEST(Decode, IdentityIgnoresTimeAndPointersOnly) {
  std::string other_time = kLaunch, other_pointer = kLaunch, other_grid = kLaunch;
  other_time.replace(other_time.find("00:00:00"), 8, "11:11:11");
  other_pointer.replace(other_pointer.find("7f00"), 4, "abcd");
  other_grid.replace(other_grid.find("[1]"), 3, "[2]");
  const DecodedBlock block =
      decode(kLaunch + "\n" + other_time + "\n" + other_pointer + "\n" + other_grid + "\n");
  ASSERT_EQ(block.records.size(), 4u);
  const auto identity = [&](size_t i) { return std::get<Launch>(block.records[i].event).identity; };
  EXPECT_EQ(identity(0), identity(1));
  EXPECT_EQ(identity(0), identity(2));
  EXPECT_FALSE(identity(0) == identity(3));
}

TEST(Decode, PointersInOddFormStayPartOfTheText) {
  std::vector<uint64_t> pointers;
  for (const char* odd :
       {R"("data_ptr":"0x00ff")", R"("data_ptr":"0xABC")", R"("data_ptr":"0x")",
        R"("data_ptr":"0x11112222333344445")", R"("data_ptr":7)", R"("a\"data_ptr":"0x1")"}) {
    hash_without_pointers(odd, pointers);
  }
  EXPECT_TRUE(pointers.empty());
  hash_without_pointers(R"("data_ptr": "0x1", "data_ptr":"0xffffffffffffffff")", pointers);
  EXPECT_EQ(pointers, (std::vector<uint64_t>{1, UINT64_MAX}));
}

TEST(Decode, Compilation) {
  const std::string line =
      R"({"event_type":"compilation","pid":7,"stack":[{"line":9,"name":"m","filename":"/r.py","loc":"x"}],)"
      R"("timestamp":"t","payload":{"metadata":{"hash":"ab","name":"add"},"pt_info":{"frame_id":0,"attempt":2},)"
      R"("file_content":{"add.ttir":"module {\n}\n","add.json":"{}"},)"
      R"("python_source":{"file_path":"/r.py","start_line":3,"end_line":7,"code":"def"},"times":{"store_results":5}}})";
  const DecodedBlock block = decode(line + "\n");
  ASSERT_EQ(block.records.size(), 1u);
  const Compilation& c = compilation(block);
  EXPECT_EQ(c.hash, "ab");
  EXPECT_EQ(c.name, "add");
  ASSERT_EQ(c.artifacts.size(), 2u);
  EXPECT_EQ(c.artifacts[0].text, "module {\n}\n");
  EXPECT_EQ(c.frame->attempt, 2);
  EXPECT_EQ(c.python->start_line, 3);
  EXPECT_EQ(c.stack.items.size(), 1u);
  EXPECT_EQ(c.metadata.find("times")->number("store_results"), 5);
  EXPECT_EQ(line[c.payload_end], '}');
  EXPECT_EQ(line.substr(c.payload_end), "}}");
  EXPECT_EQ(line.substr(c.metadata_end, 11), "},\"pt_info\"");
}

TEST(Decode, EventTypeMayComeLast) {
  const DecodedBlock block =
      decode(R"({"payload":{"metadata":{"hash":"ab"},"file_content":{"a.ttir":"x"}},)"
             R"("event_type":"compilation"})"
             "\n");
  ASSERT_EQ(block.records.size(), 1u);
  EXPECT_EQ(compilation(block).artifacts.at(0).text, "x");
}

struct BadLine {
  const char* line;
  Diag diag;
};

class DecodeBad : public testing::TestWithParam<BadLine> {};

TEST_P(DecodeBad, CostsThatRecordOnly) {
  const DecodedBlock block = decode(kLaunch + "\n" + GetParam().line + "\n" + kLaunch + "\n");
  EXPECT_EQ(block.records.size(), 2u);
  EXPECT_EQ(block.diagnostics[GetParam().diag].count, 1u) << GetParam().line;
}

// Every row of the table of bad input in docs/trace-format.md that concerns one line.
INSTANTIATE_TEST_SUITE_P(
    Lines, DecodeBad,
    testing::Values(BadLine{"{\"event_type\":\"launch\"", Diag::bad_json},
                    BadLine{"not json", Diag::bad_json}, BadLine{"[1]", Diag::not_an_object},
                    BadLine{"12", Diag::not_an_object}, BadLine{"null", Diag::not_an_object},
                    BadLine{"\"x\"", Diag::not_an_object},
                    BadLine{"{\"event_type\":\"x\"}", Diag::unknown_event},
                    BadLine{"{}", Diag::unknown_event},
                    BadLine{"{\"event_type\":\"launch_diff\"}", Diag::derived_event},
                    BadLine{"{\"event_type\":7}", Diag::unknown_event},
                    BadLine{"{\"event_type\":\"compilation\",\"payload\":null}",
                            Diag::compilation_without_hash},
                    BadLine{"{\"event_type\":\"compilation\",\"payload\":{\"metadata\":null}}",
                            Diag::compilation_without_hash},
                    BadLine{"{\"event_type\":\"launch\",\"a\":\"\xff\"}", Diag::bad_utf8},
                    BadLine{"{\"event_type\":\"launch\"} x", Diag::bad_json}));

TEST(Decode, CutLastLine) {
  const DecodedBlock block = decode(kLaunch + "\n" + kLaunch.substr(0, 50));
  EXPECT_EQ(block.records.size(), 1u);
  EXPECT_EQ(block.diagnostics[Diag::truncated_line].count, 1u);
}

TEST(Decode, WholeLastLineWithoutItsEnd) {
  const DecodedBlock block = decode(kLaunch + "\n" + kLaunch);
  EXPECT_EQ(block.records.size(), 2u);
  EXPECT_TRUE(block.diagnostics.lossless());
}

}  // namespace ks::trace
