#include "ndjson/launch_text.h"

#include <gtest/gtest.h>

#include "ndjson/test_output.h"

namespace ks::ndjson {
namespace {

using namespace testing;

std::string hash_form(const std::string& json) {
  std::string out;
  append_hash_form(out, parse(json));
  return out;
}

TEST(HashForm, IsPythonsJson) {
  EXPECT_EQ(hash_form(R"({"b": 1, "a": [true, null, -0.0]})"), R"({"a":[true,null,-0.0],"b":1})");
  EXPECT_EQ(hash_form(R"([1e-5,0.0001,1e15,1e16,1e22,1.5,100.0,123456789012345680.0])"),
            "[1e-05,0.0001,1000000000000000.0,1e+16,1e+22,1.5,100.0,1.2345678901234568e+17]");
  EXPECT_EQ(hash_form(R"(["\u00e9\u2028\ud83d\ude00\u0000\b\f\n\r\t\"\\/\u007f"])"),
            R"(["\u00e9\u2028\ud83d\ude00\u0000\b\f\n\r\t\"\\/)"
            "\x7f"
            R"("])");
  EXPECT_EQ(hash_form("18446744073709551615"), "18446744073709551615");
}

TEST(HashForm, LeavesFiveNamesOutAtAnyDepth) {
  EXPECT_EQ(
      hash_form(
          R"({"pid":1,"x":[{"function":2,"timestamp":3,"y":{"occurrence_id":4}}],"launch_group_hash":5})"),
      R"({"x":[{"y":{}}]})");
}

std::optional<uint64_t> hash_of(const std::string& line, LaunchHasher& hasher) {
  io::BlockReader reader(io::from_memory(line), "t", {});
  io::Block block;
  EXPECT_TRUE(reader.next(block).value_or(false));
  const trace::DecodedBlock decoded = trace::Decoder().decode(std::move(block), "t", 1);
  EXPECT_EQ(decoded.records.size(), 1u) << line;
  if (decoded.records.empty()) return std::nullopt;
  return hasher.hash(decoded, std::get<trace::Launch>(decoded.records[0].event));
}

std::optional<uint64_t> hash_of(const std::string& line) {
  LaunchHasher hasher;
  return hash_of(line, hasher);
}

TEST(LaunchHash, IsTheReferencesForAllVectors) {
  const Value vectors = parse(raw_bytes(committed("vectors/launch_hash_vectors.json")));
  ASSERT_EQ(vectors.items.size(), 60u);
  LaunchHasher hasher;  // the same for all: forms of one must not get into another
  for (int round = 0; round < 2; ++round) {
    for (const Value& v : vectors.items) {
      const auto hash = hash_of(trace::to_json(*v.find("event")) + "\n", hasher);
      ASSERT_TRUE(hash);
      EXPECT_EQ(fmt::format("{:016x}", *hash), v.text("hash")) << trace::to_json(*v.find("event"));
    }
  }
}

std::string launch_json(const std::string& arguments) {
  return R"({"event_type":"launch","name":"k","extracted_args":)" + arguments + "}\n";
}

// The hash from the whole form, without the table of forms.
uint64_t plain_hash(const std::string& line) {
  std::string form;
  append_hash_form(form, parse(line));
  return std::stoull(sha256_hex(form).substr(0, 16), nullptr, 16);
}

TEST(LaunchHash, PointersInAnyFormAreTheLaunchsOwn) {
  LaunchHasher hasher;
  const std::vector<std::string> arguments = {
      R"({"x":{"data_ptr":"0x10"},"y":{"data_ptr":"0x20"}})",
      R"({"x":{"data_ptr":"0x30"},"y":{"data_ptr":"0x40"}})",
      R"({"x":{"data_ptr" : "0x50"},"y":{"data_ptr":"0x60"}})",
      R"({"x":{"data_ptr" : "0x55"},"y":{"data_ptr":"0x66"}})",
      "{\"x\":{\"data_ptr\":\t\"0x70\"},\"y\":{\"data_ptr\":\"0x80\"}}",
      R"({"x":{"data\u005fptr":"0x90"},"y":{"data_ptr":"0xa0"}})",
      R"({"x":{"data_ptr":"0x\u0031"},"y":{"data_ptr":"0xb0"}})",
      R"({"x":{"data_ptr":"0x1","data_ptr":"0x2"},"y":{"data_ptr":"0x3"}})",
      R"({"x":{"data_ptr":"0x4","data_ptr":"0x5"},"y":{"data_ptr":"0x6"}})",
      R"({"x":{"data_ptr":"0x1","data_ptr":7},"y":{"data_ptr":"0x3"}})",
      R"({"data_ptr":"0x1","y":["\"data_ptr\":\"0x9\""]})",
      R"({"z":{"data_ptr":"0x00ff"},"y":{"data_ptr":"0x3"},"a":{"data_ptr":"0x4"}})",
  };
  for (const std::string& a : arguments) {
    EXPECT_EQ(hash_of(launch_json(a), hasher), plain_hash(launch_json(a))) << a;
  }
}

TEST(LaunchHash, OfEqualKeysTheLastCounts) {
  EXPECT_EQ(hash_of(R"({"event_type":"launch","grid":[1],"name":"k","grid":[2]})"
                    "\n"),
            hash_of(R"({"event_type":"launch","name":"k","grid":[2]})"
                    "\n"));
}

TEST(LaunchHash, WhatAParserAddedDoesNotCount) {
  EXPECT_EQ(
      hash_of(
          R"({"event_type":"launch","name":"k","occurrence_id":3,"launch_group_hash":"x","autotune_launch_type":"benchmark_run"})"
          "\n"),
      hash_of(R"({"event_type":"launch","name":"k"})"
              "\n"));
}

TEST(LaunchHash, OfBrokenFieldsIsNone) {
  EXPECT_EQ(hash_of(launch_json(R"({"x":tru})")), std::nullopt);
}

TEST(LongStrings, AreMoreThan4096Characters) {
  const auto is_long = [](const std::string& string) {
    LaunchHasher hasher;
    hash_of(launch_json("{\"s\":{\"value\":\"" + string + "\"}}"), hasher);
    return hasher.has_long_string();
  };
  std::string umlauts;
  for (int i = 0; i < 4096; ++i) umlauts += "\xc3\xa4";
  EXPECT_FALSE(is_long(std::string(4096, 'x')));
  EXPECT_TRUE(is_long(std::string(4097, 'x')));
  EXPECT_FALSE(is_long(umlauts)) << "characters, not bytes";
  EXPECT_TRUE(is_long(umlauts + "x"));
}

TEST(Rewritten, LosesWhatWasAddedAndLongStrings) {
  trace::JsonReader reader;
  std::string line = R"({"event_type":"launch","a":{"s":")" + std::string(5000, 'x') +
                     R"("},"occurrence_id":3,"launch_group_hash":"x","autotune_launch_type":"y"})";
  line.append(trace::JsonReader::kPadding, ' ');
  const std::string_view text(line.data(), line.size() - trace::JsonReader::kPadding);
  EXPECT_EQ(rewritten_launch(reader, text),
            R"({"event_type":"launch","a":{"s":"<5000 chars omitted>"})");
}

}  // namespace
}  // namespace ks::ndjson
