#include "inductor/metadata_table.h"

#include <gmock/gmock.h>

#include "inductor/kernel_json.h"

namespace ks::inductor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

MetadataTable read(std::string_view csv) {
  auto table = read_metadata(csv);
  EXPECT_TRUE(table) << table.error().message;
  return table ? std::move(*table) : MetadataTable();
}

TEST(ReadMetadata, UnknownColumnsStayInPlace) {
  const MetadataTable table =
      read("\xEF\xBB\xBFmine,kernel_name,size_hints,more\r\n1,a,\"{'x': 1, 'r0_': 2}\",z\r\n");
  EXPECT_THAT(table.columns, ElementsAre("mine", "kernel_name", "size_hints", "more"));
  EXPECT_EQ(table.cell(0, "size_hints"), "{'x': 1, 'r0_': 2}");
  EXPECT_EQ(table.cell(0, "absent"), "");
  EXPECT_EQ(table.cell(9, "mine"), "");
  EXPECT_THAT(table.notes, IsEmpty());
  EXPECT_EQ(metadata_csv(table),
            "mine,kernel_name,size_hints,more\n1,a,\"{'x': 1, 'r0_': 2}\",z\n");
}

TEST(ReadMetadata, RepeatedHeadersGoAndDuplicatesStay) {
  const MetadataTable table = read("kernel_path,n\na,1\nkernel_path,n\n\na,1\nkernel_path,n\n");
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre("a", "1"), ElementsAre("a", "1")));
  EXPECT_THAT(table.notes, ElementsAre("2 repeated header(s) left out, first in line 3."));
}

TEST(ReadMetadata, TwoVersionsInOneFileArePutTogether) {
  const MetadataTable table = read("kernel_name,num_args\na,1\nkernel_name,gb,num_args\nb,2,3\n");
  EXPECT_THAT(table.columns, ElementsAre("kernel_name", "num_args", "gb"));
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre("a", "1", ""), ElementsAre("b", "3", "2")));
  EXPECT_THAT(table.notes, ElementsAre(HasSubstr("other columns")));
}

TEST(ReadMetadata, RaggedRowsAreNoted) {
  const MetadataTable table = read("kernel_name,b\nx\ny,1,2\n");
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre("x", ""), ElementsAre("y", "1")));
  EXPECT_THAT(table.notes, ElementsAre(HasSubstr("shorter"), HasSubstr("longer")));
}

TEST(ReadMetadata, UnquotedHintsAreOneCell) {
  const MetadataTable table = read("kernel_name,size_hints,n\na,{'x': 1, 'r0_': 2},3\n");
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre("a", "{'x': 1, 'r0_': 2}", "3")));
  EXPECT_THAT(table.notes, IsEmpty());
}

TEST(ReadMetadata, RowsAndTalkInFrontOfTheHeader) {
  const MetadataTable table = read("some talk\na,1\nkernel_name,n\nb,2\n");
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre("a", "1"), ElementsAre("b", "2")));
  EXPECT_EQ(table.notes.size(), 2U);
}

TEST(ReadMetadata, NoHeaderIsAnError) {
  EXPECT_FALSE(read_metadata(""));
  EXPECT_THAT(read_metadata("a,b\n1,2\n").error().message, HasSubstr("kernel_name"));
}

// Found by fuzz_inductor: the cell behind the last one was looked at.
TEST(ReadMetadata, LongRowThatBeginsADictWithoutSizeHints) {
  const auto table = read_metadata("kernel_name,a\nx,y,{'x': 1\n");
  ASSERT_TRUE(table);
  ASSERT_EQ(table->rows.size(), 1u);
  EXPECT_EQ(table->cell(0, "a"), "y");
}

TEST(ReadMetadata, WideTablesAreRefused) {
  std::string header = "kernel_name";
  for (int i = 0; i < 2000; ++i) header += ",c" + std::to_string(i);
  EXPECT_EQ(read_metadata(header + "\n").error().kind, ErrorKind::limit);
  std::string tall = "kernel_name" + std::string(900, ',') + "\n";
  for (int i = 0; i < 30000; ++i) tall += "a\n";
  EXPECT_EQ(read_metadata(tall).error().kind, ErrorKind::limit);
}

TEST(MakeMetadata, OursBehindUpstreams) {
  Kernel kernel;
  kernel.name = "k";
  kernel.num_gb = 2.048e-06;
  kernel.flop = 536870912;
  kernel.aten_ops = {"aten.add", "\xFF"};
  const MetadataTable table = make_metadata({kernel}, "gpt2");
  EXPECT_EQ(table.columns[0], "model_name");
  EXPECT_EQ(table.columns[15], "kernel_args_num_gb");
  EXPECT_EQ(table.columns[16], "source_hash");
  EXPECT_EQ(table.rows[0].size(), table.columns.size());
  EXPECT_EQ(table.cell(0, "kernel_num_gb"), "2.048e-06");
  EXPECT_EQ(table.cell(0, "kernel_flop"), "536870912");
  EXPECT_EQ(table.cell(0, "loads"), "");
  const std::string json = kernels_json({kernel}, "gpt2");
  EXPECT_THAT(json, HasSubstr(R"("aten_ops":["aten.add","�"])"));
  EXPECT_THAT(json, HasSubstr(R"("loads":null)"));
}

}  // namespace
}  // namespace ks::inductor
