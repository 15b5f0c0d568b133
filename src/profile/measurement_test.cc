#include "profile/measurement.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ks::profile {
namespace {

Measurement full() {
  Measurement m;
  m.status = Status::ok;
  m.metrics = {{"gpu__time_duration.sum", 2400}, {"dram__bytes_read.sum", 524800.5}};
  m.passes = 1;
  m.config = "XBLOCK: 1024, num_warps: 4";
  m.launch.kernel = "triton_poi_fused_0";
  m.launch.grid = {256, 1, 1};
  m.launch.block = {128, 1, 1};
  m.launch.registers = 16;
  m.launch.local_bytes = 0;
  m.launch.spills = 0;
  m.launch.static_shared = 0;
  m.launch.dynamic_shared = 1024;
  m.launch.blocks_per_sm = 8;
  m.latency_us = 6.25;
  m.latency_source = "events";
  m.circumstances = {"cupti", "NVIDIA H200", "GH100", "9.0", 132,    "580.1", "13.0",
                     "2.11",  "3.6.0",       "1",     "all", "none", 4.8e12};
  m.notes = {"a \"note\"\nof two lines"};
  return m;
}

TEST(Measurement, ComesBackFromJson) {
  const std::string json = to_json(full());
  EXPECT_EQ(json.find('\n'), json.npos);
  const auto back = measurement_from_json(json);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, full());
}

TEST(Measurement, EveryStatusComesBack) {
  for (int i = 0; i <= static_cast<int>(Status::unsupported); ++i) {
    Measurement m;
    m.status = static_cast<Status>(i);
    EXPECT_EQ(measurement_from_json(to_json(m))->status, m.status);
    EXPECT_FALSE(status_text(m.status).empty());
  }
}

TEST(Measurement, StatusesThatAreOfTheMachineAreNotCached) {
  for (const Status status : {Status::no_permission, Status::busy, Status::no_device}) {
    EXPECT_FALSE(is_cached(status));
  }
  for (const Status status :
       {Status::timeout, Status::fault, Status::out_of_memory, Status::import_error}) {
    EXPECT_TRUE(is_cached(status));
  }
}

TEST(Measurement, WhatIsNotKnownIsLeftOut) {
  const auto m = measurement_from_json(
      R"({"status":"ok","metrics":{"a__b.sum":null,"c__d.sum":3},"future":{"x":[1]},"passes":null})");
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(m->metrics.size(), 1u);
  EXPECT_EQ(m->metric("c__d.sum"), 3);
  EXPECT_EQ(m->metric("a__b.sum"), std::nullopt);
}

TEST(Measurement, NotFiniteIsNoValue) {
  Measurement m;
  m.metrics["a__b.pct"] = std::nan("");
  EXPECT_EQ(m.metric("a__b.pct"), std::nullopt);
  EXPECT_TRUE(measurement_from_json(to_json(m))->metrics.empty());
}

TEST(Measurement, WrongTypesAreErrors) {
  for (const char* json :
       {"", "[]", "7", "{}", R"({"status":"good"})", R"({"status":"ok","version":2})",
        R"({"status":"ok","version":"1"})", R"({"status":"ok","metrics":[1]})",
        R"({"status":"ok","metrics":{"a":"1"}})", R"({"status":"ok","launch":{"grid":[1,2]}})",
        R"({"status":"ok","launch":{"registers":1.5}})", R"({"status":"ok","notes":"x"})",
        R"({"status":"ok","circumstances":[]})", R"({"status":"ok"} {})",
        R"({"status":"ok","metrics":)"}) {
    EXPECT_FALSE(measurement_from_json(json)) << json;
  }
}

TEST(Measurement, DeepNestingIsAnError) {
  std::string deep = R"({"status":"ok","x":)" + std::string(100000, '[');
  EXPECT_FALSE(measurement_from_json(deep));
}

}  // namespace
}  // namespace ks::profile
