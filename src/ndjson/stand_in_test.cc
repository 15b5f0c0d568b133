#include "ndjson/stand_in.h"

#include <gtest/gtest.h>

#include "ndjson/test_output.h"

namespace ks::ndjson {
namespace {

using namespace testing;

TEST(StandIn, IsTheReferencesEventFromTheFirstLaunch) {
  const std::string launch =
      R"({"event_type":"launch","pid":7,"name":"k","compilation_metadata":{"hash":"h","num_warps":4,"cluster_dims":[1,1,1],"maxnreg":null},)"
      R"("stack":[{"line":1,"name":"f","filename":"/w/a.py","loc":"x"}],"timestamp":"t0"})"
      "\n";
  std::string second = launch;
  second.replace(second.find("\"t0\""), 4, "\"t1\"");
  const Output output = write_text(launch + second);
  const Events compilations = output.of_type("compilation");
  ASSERT_EQ(compilations.size(), 1u);
  EXPECT_EQ(
      canonical(compilations[0]),
      canonical(std::string_view(
          R"({"event_type":"compilation","is_fake":true,"fake_reason":"No compilation event found; inferred from launch event",)"
          R"("pid":7,"timestamp":"t0","stack":[{"line":1,"name":"f","filename":"/w/a.py","loc":"x"}],"payload":{"metadata":{)"
          R"("hash":"h","name":"k","num_warps":4,"num_stages":null,"num_ctas":null,"maxnreg":null,"cluster_dims":[1,1,1]},)"
          R"("file_content":{},"file_path":{}},"occurrence_id":2})")));
}

TEST(StandIn, OfALaunchThatHasNextToNothing) {
  const Output output =
      write_text(R"({"event_type":"launch","compilation_metadata":{"hash":"h"},"pid":null})"
                 "\n");
  const Events compilations = output.of_type("compilation");
  ASSERT_EQ(compilations.size(), 1u);
  EXPECT_TRUE(compilations[0].find("timestamp")->is_null());
  EXPECT_TRUE(compilations[0].find("payload")->find("metadata")->find("name")->is_null());
  EXPECT_EQ(trace::to_json(*compilations[0].find("stack")), "[]");
}

TEST(StandIn, MadeUpHashesAreApartByProcessNameAndHandle) {
  run::Run run;
  run.processes = {{std::nullopt, 7, "h", 0, 0}, {std::nullopt, 8, "h", 0, 0}};
  const auto hash = [&](run::Id process, const char* name, const char* function) {
    run::LaunchGroup group;
    group.process = process;
    group.name = name;
    group.function = function;
    return made_up_hash(run, group);
  };
  const std::set<std::string> all = {hash(0, "k", "1"), hash(0, "k", "2"), hash(0, "m", "1"),
                                     hash(1, "k", "1")};
  EXPECT_EQ(all.size(), 4u);
  for (const std::string& h : all) EXPECT_EQ(h.size(), 64u);
  EXPECT_EQ(hash(0, "k", "1"), hash(0, "k", "1"));
}

}  // namespace
}  // namespace ks::ndjson
