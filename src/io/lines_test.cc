#include "io/lines.h"

#include <gtest/gtest.h>

#include "io/test_sources.h"

namespace ks::io {
namespace {

using testing::ChunkSource;
using testing::FailingSource;
using testing::records;

struct Read {
  std::vector<std::string> lines;
  std::vector<uint64_t> numbers;
  std::vector<uint64_t> offsets;  // of the lines in the file
  std::vector<size_t> blocks;     // sizes
  Diagnostics diagnostics;
  bool unterminated = false;
  size_t largest = 0;  // memory of a block
  std::optional<Error> error;
};

Read read_lines(std::unique_ptr<Source> source, size_t target = 64, uint64_t max_line = 1 << 20) {
  Read result;
  BlockReader reader(std::move(source), "f", Limits{.max_line = max_line}, target);
  Block block;
  while (true) {
    const Result<bool> more = reader.next(block);
    if (!more) result.error = more.error();
    if (!more || !*more) return result;
    EXPECT_GE(block.data.size(), block.size() + Block::kPadding);
    for (const Line& line : block.lines) {
      result.lines.emplace_back(block.view(line));
      result.numbers.push_back(line.number);
      result.offsets.push_back(block.first_offset + line.offset);
      EXPECT_GE(line.number, block.first_line);
    }
    result.blocks.push_back(block.size());
    result.diagnostics.merge(block.diagnostics);
    result.unterminated = block.last_line_unterminated;
    result.largest = std::max(result.largest, block.data.capacity());
  }
}

Read read_text(std::string text, size_t target = 64, uint64_t max_line = 1 << 20) {
  return read_lines(from_memory(std::move(text)), target, max_line);
}

using Lines = std::vector<std::string>;
using Numbers = std::vector<uint64_t>;

TEST(Lines, Simple) {
  const Read result = read_text("a\nbc\nd\n");
  EXPECT_EQ(result.lines, (Lines{"a", "bc", "d"}));
  EXPECT_EQ(result.numbers, (Numbers{1, 2, 3}));
  EXPECT_EQ(result.offsets, (Numbers{0, 2, 5}));
  EXPECT_FALSE(result.unterminated);
  EXPECT_EQ(result.blocks.size(), 1U);
}

TEST(Lines, EmptyFile) {
  EXPECT_EQ(read_text("").blocks.size(), 0U);
  EXPECT_EQ(read_text("\n").lines.size(), 0U);
}

TEST(Lines, LastLineWithoutEnd) {
  const Read result = read_text("a\n{\"cut\":");
  EXPECT_EQ(result.lines, (Lines{"a", "{\"cut\":"}));
  EXPECT_TRUE(result.unterminated);
}

TEST(Lines, BlankLinesAreSkippedButCounted) {
  const Read result = read_text("\n \t\r\na\n\n\nb\n\n");
  EXPECT_EQ(result.lines, (Lines{"a", "b"}));
  EXPECT_EQ(result.numbers, (Numbers{3, 6}));
}

TEST(Lines, OnlyLineFeedEnds) {
  const std::string text = "a\r\n\"\xe2\x80\xa8 \xc2\x85 \x0b\x0c\r\"\r\n";
  const Read result = read_text(text);
  EXPECT_EQ(result.lines, (Lines{"a\r", "\"\xe2\x80\xa8 \xc2\x85 \x0b\x0c\r\"\r"}));
}

TEST(Lines, BytesThatAreNotUtf8AndNulPass) {
  const std::string text("\xff\xfe\n\0\n", 5);
  EXPECT_EQ(read_text(text).lines, (Lines{"\xff\xfe", std::string(1, '\0')}));
}

TEST(Lines, ByteOrderMark) {
  const Read result = read_text("\xef\xbb\xbf{}\n\xef\xbb\xbfx\n");
  EXPECT_EQ(result.lines, (Lines{"{}", "\xef\xbb\xbfx"}));
  EXPECT_EQ(result.diagnostics[Diag::byte_order_mark].count, 1U);
  EXPECT_EQ(read_text("\xef\xbb\xbf").lines.size(), 0U);
  EXPECT_EQ(read_text("\xef\xbb\xbf" + std::string(500, 'x')).lines, Lines{std::string(500, 'x')});
}

TEST(Lines, SameForEveryChunk) {
  std::string text = "\xef\xbb\xbf" + records(40, 20) + "\n\n" + std::string(900, 'y') + "\n" +
                     records(10, 90) + std::string(3000, 'z') + "\n" + records(5, 5) + "tail";
  for (const size_t target : {4, 64, 1000, 100000}) {
    const Read expected = read_text(text, target, 1000);
    EXPECT_EQ(expected.diagnostics[Diag::line_too_long].count, 1U);
    for (const size_t chunk : {1, 7, 0}) {
      const Read result = read_lines(std::make_unique<ChunkSource>(text, chunk), target, 1000);
      EXPECT_EQ(result.lines, expected.lines);
      EXPECT_EQ(result.numbers, expected.numbers);
      EXPECT_EQ(result.offsets, expected.offsets);
      EXPECT_EQ(result.blocks, expected.blocks);
    }
  }
}

TEST(Lines, OffsetsPointIntoTheFile) {
  const std::string text = records(50, 10) + std::string(2000, 'z') + "\n" + records(50, 30);
  const Read result = read_text(text, 100, 500);
  for (size_t i = 0; i < result.lines.size(); ++i) {
    EXPECT_EQ(text.substr(result.offsets[i], result.lines[i].size()), result.lines[i]);
  }
  EXPECT_EQ(result.lines.size(), 100U);
  EXPECT_EQ(result.numbers[50], 52U);
}

TEST(Lines, LimitIsExact) {
  for (const size_t target : {4, 64, 1000}) {
    for (const std::string end : {"\n", "\nb\n", ""}) {
      EXPECT_EQ(read_text("a\n" + std::string(200, 'x') + end, target, 200).lines[1].size(), 200U);
      const Read over = read_text("a\n" + std::string(201, 'x') + end, target, 200);
      EXPECT_EQ(over.lines.size(), end == "\nb\n" ? 2U : 1U);
      EXPECT_EQ(over.diagnostics[Diag::line_too_long].count, 1U);
      EXPECT_EQ(over.diagnostics[Diag::line_too_long].samples[0], "f:2");
    }
  }
}

TEST(Lines, LongLineIsSkippedWithoutBeingHeld) {
  const std::string text = "a\n" + std::string(5 << 20, 'x') + "\nb\n";
  const Read result = read_text(text, 1000, 10000);
  EXPECT_EQ(result.lines, (Lines{"a", "b"}));
  EXPECT_EQ(result.numbers, (Numbers{1, 3}));
  EXPECT_LT(result.largest, 20000U);
}

TEST(Lines, LongLineAtTheEnd) {
  const Read result = read_text("a\n" + std::string(5000, 'x'), 64, 100);
  EXPECT_EQ(result.lines, Lines{"a"});
  EXPECT_EQ(result.diagnostics[Diag::line_too_long].count, 1U);
}

TEST(Lines, ManyLongLines) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += std::string(1000 + i, 'x') + "\nok\n";
  const Read result = read_text(text, 64, 100);
  EXPECT_EQ(result.lines, Lines(20, "ok"));
  EXPECT_EQ(result.diagnostics[Diag::line_too_long].count, 20U);
}

TEST(Lines, BlockShrinksAfterALongLine) {
  const std::string text = std::string(1 << 20, 'x') + "\n" + records(20000);
  BlockReader reader(from_memory(text), "f", {}, 1000);
  Block block;
  ASSERT_EQ(*reader.next(block), true);
  EXPECT_EQ(block.lines[0].size, 1U << 20);
  EXPECT_LE(block.data.capacity(), 2U << 20);
  ASSERT_EQ(*reader.next(block), true);
  ASSERT_EQ(*reader.next(block), true);
  EXPECT_LE(block.data.capacity(), 4000U);
}

TEST(Lines, BlocksDoNotDependOnTheBlockThatIsReused) {
  const std::string text = std::string(1400, 'x') + "\n" + records(200);
  BlockReader one(from_memory(text), "f", {}, 1000);
  BlockReader other(from_memory(text), "f", {}, 1000);
  Block reused;
  while (*one.next(reused)) {
    Block fresh;
    ASSERT_TRUE(*other.next(fresh));
    EXPECT_EQ(reused.size(), fresh.size());
  }
}

TEST(Lines, ErrorComesAfterTheLines) {
  const Read result = read_lines(std::make_unique<FailingSource>("a\nb\nc"));
  EXPECT_EQ(result.lines, (Lines{"a", "b", "c"}));
  EXPECT_TRUE(result.unterminated);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->message, "disk on fire");
}

TEST(Lines, EndStaysEnd) {
  BlockReader reader(from_memory("a\n"), "f", {});
  Block block;
  EXPECT_EQ(*reader.next(block), true);
  EXPECT_EQ(*reader.next(block), false);
  EXPECT_EQ(*reader.next(block), false);
}

}  // namespace
}  // namespace ks::io
