#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "io/input_buffer.h"
#include "io/source.h"
#include "io/test_sources.h"

namespace ks::io {
namespace {

using testing::ChunkSource;
using ::testing::ElementsAre;
using testing::FailingSource;
using testing::gzip;
using testing::records;
using testing::zstd;

struct Decoded {
  std::string text;
  Diagnostics diagnostics;
  std::optional<Error> error;

  uint64_t count(Diag diag) const { return diagnostics[diag].count; }
};

Decoded decode_source(std::unique_ptr<Source> source, const Limits& limits = {},
                      size_t out_size = 1 << 20) {
  Decoded result;
  const auto bytes = decoded(std::move(source), limits, "f", result.diagnostics);
  std::string out(out_size, '\0');
  while (true) {
    const Result<size_t> n = bytes->read(out);
    if (!n) result.error = n.error();
    if (!n || *n == 0) return result;
    result.text.append(out, 0, *n);
  }
}

Decoded decode(std::string bytes, const Limits& limits = {}, size_t out_size = 1 << 20) {
  return decode_source(from_memory(std::move(bytes)), limits, out_size);
}

std::string per_record(const std::string& text, std::string (*compress)(std::string_view, int),
                       int level) {
  std::string out;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty()) out += compress(std::string(line) + "\n", level);
  }
  return out;
}

std::string members(const std::string& text) { return per_record(text, gzip, 9); }
std::string frames(const std::string& text) { return per_record(text, zstd, 3); }

TEST(Members, PlainTextPasses) {
  for (const std::string text : {"", "x", "{\"a\":1}\n", "\x1f", "\x28\xb5\x2f", "\x1f text"}) {
    const Decoded result = decode(text);
    EXPECT_EQ(result.text, text);
    EXPECT_TRUE(result.diagnostics.lossless());
  }
  const std::string large = records(4000);
  EXPECT_EQ(decode(large).text, large);
}

TEST(Members, EveryFormEveryChunkEveryRoom) {
  const std::string text = records(150, 2500);  // over the size for the fast way as one member
  const std::string forms[] = {gzip(text),       members(text),       zstd(text),
                               frames(text),     gzip(members(text)), zstd(frames(text)),
                               gzip(zstd(text)), zstd(gzip(text))};
  for (const std::string& form : forms) {
    for (const size_t chunk : {size_t{7}, size_t{0}, size_t{1} << 20}) {
      for (const size_t room : {size_t{997}, size_t{1} << 18, size_t{1} << 20}) {
        const Decoded result =
            decode_source(std::make_unique<ChunkSource>(form, chunk), Limits{}, room);
        EXPECT_EQ(result.text == text, true) << &form - forms << " " << chunk << " " << room;
        EXPECT_TRUE(result.diagnostics.lossless());
      }
    }
  }
}

TEST(Members, OneByteAtATime) {
  const std::string text = records(20);
  for (const std::string& form : {gzip(text), members(text), zstd(text), frames(text), text}) {
    const Decoded result = decode_source(std::make_unique<ChunkSource>(form, 1), Limits{}, 1);
    EXPECT_EQ(result.text, text);
  }
}

TEST(Members, ConcatenatedFilesAndMixedFormats) {
  const std::string a = records(3);
  const std::string b = records(900, 400);
  EXPECT_EQ(decode(gzip(a) + gzip(b)).text, a + b);
  EXPECT_EQ(decode(gzip(b) + gzip(a)).text, b + a);
  EXPECT_EQ(decode(zstd(a) + zstd(b)).text, a + b);
  EXPECT_EQ(decode(gzip(a) + zstd(b) + gzip(a)).text, a + b + a);
}

TEST(Members, EmptyMembers) {
  EXPECT_EQ(decode(gzip("") + gzip("a\n") + gzip("")).text, "a\n");
  EXPECT_EQ(decode(zstd("") + zstd("a\n") + zstd("")).text, "a\n");
  EXPECT_TRUE(decode(gzip("")).diagnostics.lossless());
}

TEST(Members, GzipHeaderWithName) {
  std::string named = gzip("text\n");
  named[3] = 8;  // FNAME
  named.insert(10, std::string("run.ndjson\0", 11));
  EXPECT_EQ(decode(named + named).text, "text\ntext\n");
}

TEST(Members, SkippableFrames) {
  const std::string skip("\x5a\x2a\x4d\x18\x03\0\0\0abc", 11);
  const Decoded result = decode(skip + zstd("a\n") + skip + zstd("b\n") + skip);
  EXPECT_EQ(result.text, "a\nb\n");
  EXPECT_EQ(result.count(Diag::trailing_garbage), 0U);
  EXPECT_TRUE(result.diagnostics.lossless());
}

TEST(Members, SkippableFrameLargerThanTheBuffer) {
  std::string skip("\x50\x2a\x4d\x18\x00\x00\x10\x00", 8);  // 1 MiB
  skip.append(1 << 20, 'x');
  EXPECT_EQ(decode(skip + zstd("a\n")).text, "a\n");
}

// A cut at any byte: what comes out is the start of the text, with all whole members, and the cut
// is counted unless it falls between two members.
void expect_cuts_are_survived(const std::vector<std::string>& parts, const std::string& text,
                              const std::vector<std::string>& texts, Diag diag) {
  std::string all;
  std::vector<size_t> ends = {0};
  for (const std::string& part : parts) ends.push_back((all += part).size());
  for (size_t cut = 4; cut <= all.size(); ++cut) {
    const Decoded result = decode(all.substr(0, cut));
    const size_t whole =
        static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), cut) - ends.begin()) - 1;
    size_t sure = 0;
    for (size_t i = 0; i < whole; ++i) sure += texts[i].size();
    EXPECT_GE(result.text.size(), sure) << cut;
    EXPECT_TRUE(text.starts_with(result.text)) << cut;
    EXPECT_EQ(result.count(diag), ends[whole] == cut ? 0U : 1U) << cut;
    EXPECT_EQ(result.count(Diag::trailing_garbage), 0U) << cut;
  }
}

TEST(Members, CutAtEveryByte) {
  const std::vector<std::string> texts = {records(3), records(1), records(20, 30)};
  const std::string text = texts[0] + texts[1] + texts[2];
  expect_cuts_are_survived({gzip(texts[0]), gzip(texts[1]), gzip(texts[2])}, text, texts,
                           Diag::truncated_gzip);
  expect_cuts_are_survived({zstd(texts[0]), zstd(texts[1]), zstd(texts[2])}, text, texts,
                           Diag::truncated_zstd);
}

TEST(Members, CutStreamGivesMostOfItsText) {
  const std::string text = records(2000, 300);
  const std::string packed_gzip = gzip(text);
  const Decoded cut_gzip = decode(packed_gzip.substr(0, packed_gzip.size() / 2));
  EXPECT_TRUE(text.starts_with(cut_gzip.text));
  EXPECT_GT(cut_gzip.text.size(), text.size() * 4 / 10);
  const std::string packed_zstd = zstd(text);
  const Decoded cut_zstd = decode(packed_zstd.substr(0, packed_zstd.size() / 2));
  EXPECT_TRUE(text.starts_with(cut_zstd.text));
  EXPECT_GT(cut_zstd.text.size(), text.size() * 3 / 10);
}

TEST(Members, DamagedZstdBlockKeepsTheBlocksBefore) {
  const std::string text = records(2000, 300);
  std::string packed = zstd(text);
  packed.replace(packed.size() * 7 / 10, 64, 64, '\xff');
  const Decoded result = decode(packed);
  EXPECT_EQ(result.text.substr(0, 256 << 10) == text.substr(0, 256 << 10), true);
  EXPECT_EQ(result.count(Diag::truncated_zstd), 1U);
}

TEST(Members, CutIsCountedWithItsPlace) {
  const std::string first = gzip("a\n");
  const Decoded result = decode(first + gzip("b\n").substr(0, 12));
  EXPECT_THAT(result.diagnostics[Diag::truncated_gzip].samples,
              ElementsAre("f: byte " + std::to_string(first.size() + 12) + " (member from byte " +
                          std::to_string(first.size()) + "; 1 bytes of it decoded)"));
}

TEST(Members, CutInsideOfBothLayers) {
  const std::string text = records(2000);
  const std::string packed = gzip(members(text));
  const Decoded result = decode(packed.substr(0, packed.size() / 2));
  EXPECT_TRUE(text.starts_with(result.text));
  EXPECT_GT(result.text.size(), text.size() / 3);
  EXPECT_GE(result.count(Diag::truncated_gzip), 1U);
}

TEST(Members, DamagedMemberCostsOnlyItself) {
  const std::string text = records(50, 40);
  for (const auto& [pack, diag] :
       {std::pair(&members, Diag::truncated_gzip), std::pair(&frames, Diag::truncated_zstd)}) {
    const std::string before = pack(text);
    const std::string after = pack(records(60, 33));
    std::string broken = pack("{\"broken\":\"" + records(1, 200).substr(0, 150) + "\"}\n");
    broken.resize(broken.size() / 2);
    const Decoded result = decode(before + broken + after);
    EXPECT_TRUE(result.text.starts_with(text));
    EXPECT_TRUE(result.text.ends_with("\n" + records(60, 33)));
    EXPECT_EQ(result.count(diag), 1U);
  }
}

TEST(Members, FlippedByteAnywhereLosesAtMostTwoRecords) {
  const std::string text = records(6, 60);
  const std::string packed = members(text);
  const auto lines = split(text, '\n');
  for (size_t at = 4; at < packed.size(); ++at) {
    std::string bad = packed;
    bad[at] = static_cast<char>(bad[at] ^ 0xff);
    const Decoded result = decode(bad);
    size_t kept = 0;
    for (const std::string_view line : lines) {
      kept += !line.empty() && result.text.find(std::string(line) + "\n") != std::string::npos;
    }
    EXPECT_GE(kept, 4U) << at;
  }
}

TEST(Members, WrongChecksumKeepsTheTextAndIsCounted) {
  std::string packed = gzip(records(3));
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1);
  const Decoded result = decode(packed);
  EXPECT_EQ(result.text, records(3));
  EXPECT_EQ(result.count(Diag::truncated_gzip), 1U);
}

TEST(Members, TrailingBytesAreIgnored) {
  for (const std::string& garbage : {std::string(1000, '\0'), std::string("some text\n"),
                                     std::string(1 << 20, '\0'), std::string("x")}) {
    for (const std::string& packed : {gzip("a\n"), zstd("a\n"), members(records(9))}) {
      const Decoded result = decode(packed + garbage);
      EXPECT_EQ(result.text, decode(packed).text);
      EXPECT_EQ(result.count(Diag::trailing_garbage), 1U);
      EXPECT_TRUE(result.diagnostics.lossless());
    }
  }
}

TEST(Members, GarbageBetweenMembers) {
  const Decoded result = decode(gzip("a\n") + std::string(5000, '\0') + gzip("b\n"));
  EXPECT_EQ(result.text, "a\n\nb\n");
  EXPECT_EQ(result.count(Diag::truncated_gzip), 1U);
  EXPECT_EQ(result.count(Diag::trailing_garbage), 0U);
}

TEST(Members, ManyFalseStartsEnd) {
  std::string bytes = gzip("a\n");
  for (int i = 0; i < 100000; ++i) bytes += "\x1f\x8b\x08!";
  const Decoded result = decode(bytes);
  EXPECT_EQ(result.text.substr(0, 2), "a\n");
  EXPECT_EQ(result.count(Diag::truncated_gzip), 1U);
}

TEST(Members, MemberOverTheLimit) {
  const Limits limits{.max_member = 5000};
  const std::string text = records(200);
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    const Decoded result = decode(gzip("a\n") + packed + gzip("z\n"), limits);
    EXPECT_EQ(result.text, "a\n" + text.substr(0, 5000));
    EXPECT_EQ(result.count(Diag::member_too_large), 1U);
  }
  EXPECT_EQ(decode(gzip(text.substr(0, 5000)), limits).count(Diag::member_too_large), 0U);
}

TEST(Members, BombsEnd) {
  const std::string zeros(20U << 20, '\0');
  const Limits limits{.max_expansion = 100};
  for (const std::string& bomb : {gzip(zeros), zstd(zeros), zstd(zstd(zeros)), gzip(gzip(zeros))}) {
    const Decoded result = decode(bomb, limits);
    EXPECT_EQ(result.count(Diag::expansion_too_large), 1U);
    EXPECT_GE(result.text.size(), 16U << 20);
    EXPECT_LE(result.text.size(), 18U << 20);
  }
  EXPECT_EQ(decode(gzip(zeros.substr(0, 10U << 20)), limits).text.size(), 10U << 20);
}

TEST(Members, ZstdWindowOver128MiBIsRefused) {
  // Magic; no content size, window descriptor: 2^28 bytes; an empty last raw block.
  const std::string frame("\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00", 9);
  std::string wide = frame;
  wide.insert(6, std::string("\x08\x00\x00y", 4));  // a raw block of one byte before it
  wide.resize(wide.size() - 3);                     // and no end: not decoded as a whole
  const Decoded result = decode(wide);
  EXPECT_EQ(result.count(Diag::member_too_large), 1U);
}

TEST(Members, ErrorOfTheSourceComesAfterTheBytes) {
  const std::string text = records(50);
  for (const std::string& bytes : {text, members(text), frames(text), gzip(text)}) {
    const Decoded result = decode_source(std::make_unique<FailingSource>(bytes));
    EXPECT_EQ(result.text, text);
    ASSERT_TRUE(result.error);
    EXPECT_EQ(result.error->message, "disk on fire");
  }
  const Decoded cut =
      decode_source(std::make_unique<FailingSource>(gzip(text).substr(0, gzip(text).size() / 2)));
  ASSERT_TRUE(cut.error);
  EXPECT_EQ(cut.count(Diag::truncated_gzip), 0U);
}

TEST(InputBuffer, RewindGoesAsFarAsBytesAreKept) {
  InputBuffer buffer(from_memory(std::string(InputBuffer::kCapacity, 'a') + "bcd"));
  buffer.peek(1);
  buffer.consume(InputBuffer::kCapacity);
  EXPECT_EQ(buffer.peek(1), "bcd");
  buffer.consume(2);
  buffer.rewind(5);
  EXPECT_EQ(buffer.offset(), InputBuffer::kCapacity);
  EXPECT_EQ(buffer.peek(9), "bcd");
}

}  // namespace
}  // namespace ks::io
