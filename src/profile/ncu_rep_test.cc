// Reports made here byte by byte; the real one is in ncu_forms_test.cc.

#include "profile/ncu_rep.h"

#include <gtest/gtest.h>

#include <cstring>

#include "profile/ncu_test_data.h"
#include "profile/protobuf_wire.h"

namespace ks::profile {
namespace {

using testing::parse;

std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string number(uint32_t field, uint64_t value) { return varint(field << 3) + varint(value); }
std::string bytes(uint32_t field, const std::string& value) {
  return varint(field << 3 | 2) + varint(value.size()) + value;
}
std::string real(uint32_t field, double value) {
  std::string raw(8, '\0');
  std::memcpy(raw.data(), &value, 8);
  return varint(field << 3 | 1) + raw;
}
std::string real32(uint32_t field, float value) {
  std::string raw(4, '\0');
  std::memcpy(raw.data(), &value, 4);
  return varint(field << 3 | 5) + raw;
}
std::string sized(const std::string& message) {
  const uint32_t n = static_cast<uint32_t>(message.size());
  std::string out;
  for (int i = 0; i < 4; ++i) out += static_cast<char>(n >> (8 * i));
  return out + message;
}
std::string metric(uint64_t name, const std::string& value) {
  return bytes(13, number(1, name) + bytes(2, value));
}
std::string block(const std::string& header, const std::string& payload) {
  return sized(header + number(5, payload.size())) + payload;
}
std::string report(const std::string& blocks) {
  return std::string("NVR\0", 4) + sized(number(1, 7)) + blocks;
}
std::string names(std::initializer_list<const char*> list) {
  std::string out;
  for (const char* name : list) out += bytes(1, name);
  return bytes(4, out);
}

const std::string kResult =
    bytes(6, "triton_a") + bytes(10, number(1, 8) + number(2, 1) + number(3, 1)) +
    metric(0, real(3, 2464.5)) + metric(1, number(5, 1ULL << 40)) + metric(2, real32(2, 0.5F)) +
    metric(3, bytes(1, "text")) + metric(9, number(4, 1)) + bytes(99, "unknown");
const std::string kNames =
    names({"gpu__time_duration.sum", "dram__bytes.sum", "a__b.ratio", "c__d.text"});

TEST(NcuRep, ValuesOfAllTypes) {
  const NcuLog log = parse(report(block(number(2, 1) + kNames, sized(kResult))));
  EXPECT_EQ(log.form, "ncu-rep");
  ASSERT_EQ(log.kernels.size(), 1);
  EXPECT_EQ(log.kernels[0].launch.kernel, "triton_a");
  EXPECT_EQ(log.kernels[0].launch.grid, (std::array<int64_t, 3>{8, 1, 1}));
  EXPECT_EQ(log.kernels[0].metrics,
            (std::map<std::string, double>{{"gpu__time_duration.sum", 2464.5},
                                           {"dram__bytes.sum", 1099511627776.0},
                                           {"a__b.ratio", 0.5}}));
  EXPECT_TRUE(log.notes.empty());
}

TEST(NcuRep, ABlockWithoutStringsUsesTheLast) {
  const NcuLog log =
      parse(report(block(number(1, 1) + number(2, 1) + kNames, sized("src") + sized(kResult)) +
                   block(number(2, 1) + bytes(4, ""), sized(kResult))));
  ASSERT_EQ(log.kernels.size(), 2);
  EXPECT_EQ(log.kernels[1].metrics, log.kernels[0].metrics);
}

TEST(NcuRep, SessionSaysToolAndPolicy) {
  const std::string device =
      bytes(6, number(1, 0) + bytes(2, "NVIDIA X") +
                   bytes(3, bytes(1, "device__attribute_compute_capability_major") +
                                bytes(2, number(4, 8))) +
                   bytes(3, bytes(1, "device__attribute_compute_capability_minor") +
                                bytes(2, number(4, 6))));
  const NcuLog log = parse(report(
      block(number(2, 1) + kNames, sized(kResult)) + block(bytes(3, device), "") +
      block(bytes(3, bytes(11, "/opt/ncu --cache-control none --set full python x.py")), "")));
  const Circumstances& c = log.kernels.at(0).circumstances;
  EXPECT_EQ(c.device, "NVIDIA X");
  EXPECT_EQ(c.capability, "8.6");
  EXPECT_EQ(c.chip, "");
  EXPECT_EQ(c.cache_control, "none");
  EXPECT_EQ(c.clock_control, "base");  // ncu's default
}

TEST(NcuRep, CutAnywhere) {
  const std::string whole = report(block(number(2, 2) + kNames, sized(kResult) + sized(kResult)));
  for (size_t n = 4; n < whole.size(); ++n) {
    if (n == 10) continue;  // between the header and the first block: nothing tells
    const NcuLog log = parse(whole.substr(0, n));
    EXPECT_LE(log.kernels.size(), 2);
    ASSERT_EQ(log.notes.size(), 1) << n;
    EXPECT_NE(log.notes[0].find("cut"), std::string::npos);
  }
}

TEST(NcuRep, LengthsThatLie) {
  const std::string huge = varint(13 << 3 | 2) + varint(100'000'000) + "x";
  EXPECT_EQ(parse(report(block(number(2, 1) + kNames, sized(huge)))).kernels.size(), 1);
  EXPECT_EQ(parse(report(block(number(2, ~0ULL) + kNames, sized(kResult)))).kernels.size(), 1);
  EXPECT_EQ(parse(report(sized(number(2, 1) + number(5, ~0ULL)))).kernels.size(), 0);
  EXPECT_EQ(parse(std::string("NVR\0\xff\xff\xff\xff", 8)).kernels.size(), 0);
  const std::string sized_wrong = "\xff\xff\xff\x7f" + kResult;
  EXPECT_EQ(parse(report(block(number(2, 1) + kNames, sized_wrong))).kernels.size(), 0);
}

TEST(NcuRep, MessagesInMessagesAreNotFollowed) {
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep = bytes(2, deep);
  const NcuLog log = parse(report(block(number(2, 1) + kNames, sized(bytes(13, deep)))));
  EXPECT_EQ(log.kernels.at(0).metrics.size(), 0);
}

TEST(NcuRep, ManyValuesStayWithinLimits) {
  std::string strings, result;
  for (int i = 0; i < 1000; ++i) {
    strings += bytes(1, "m__" + std::string(400, 'x') + std::to_string(i));
    result += metric(static_cast<uint64_t>(i), number(4, 1));
  }
  std::string payload;
  for (int i = 0; i < 50; ++i) payload += sized(result);
  const NcuLog log = parse(report(block(number(2, 50) + bytes(4, strings), payload)));
  EXPECT_EQ(log.kernels.size(), 50);
  EXPECT_EQ(log.kernels[49].metrics.size(), 1000);
}

TEST(WireReader, StopsAtDamage) {
  WireReader tags(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11));
  EXPECT_FALSE(tags.next().has_value());
  EXPECT_TRUE(tags.damaged());
  const std::string group = varint(1 << 3 | 3);
  WireReader groups(group);
  EXPECT_FALSE(groups.next().has_value());
  EXPECT_TRUE(groups.damaged());
  WireReader empty("");
  EXPECT_FALSE(empty.next().has_value());
  EXPECT_FALSE(empty.damaged());
}

}  // namespace
}  // namespace ks::profile
