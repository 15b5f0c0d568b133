#include "io/gzip_chunks.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace ks::io {

namespace {

std::string gunzip(const std::string& gz, size_t expected) {
  std::string out(expected + 100, '\0');
  z_stream z{};
  EXPECT_EQ(inflateInit2(&z, 15 + 16), Z_OK);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gz.data()));
  z.avail_in = static_cast<uInt>(gz.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&z, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(z.avail_in, 0u) << "one member, nothing behind it";
  out.resize(out.size() - z.avail_out);
  inflateEnd(&z);
  return out;
}

}  // namespace

TEST(GzipChunks, PiecesMakeOneMember) {
  const std::vector<std::string> pieces = {"hello ", std::string(300000, 'a'), "", "world\n",
                                           std::string(1, '\0')};
  std::string gz(gzip_header()), plain;
  GzipTrailer trailer;
  for (const std::string& piece : pieces) {
    const CompressedChunk chunk = compress_chunk(piece);
    gz += chunk.deflate;
    trailer.add(chunk.crc, chunk.size);
    plain += piece;
  }
  gz += trailer.bytes();
  EXPECT_EQ(gunzip(gz, plain.size()), plain);
}

TEST(GzipChunks, BytesThatDoNotCompress) {
  std::string noise(200000, '\0');
  uint32_t state = 1;
  for (char& c : noise) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  const CompressedChunk chunk = compress_chunk(noise);
  GzipTrailer trailer;
  trailer.add(chunk.crc, chunk.size);
  EXPECT_EQ(gunzip(std::string(gzip_header()) + chunk.deflate + trailer.bytes(), noise.size()),
            noise);
}

TEST(GzipChunks, NoPieces) {
  EXPECT_EQ(gunzip(std::string(gzip_header()) + GzipTrailer().bytes(), 0), "");
}

}  // namespace ks::io
