#include "io/gzip_chunks.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <zlib.h>

#include <memory>

namespace ks::io {

namespace {

constexpr uint32_t kLevel = 1;

void append_little_endian(std::string& out, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift & 0xFF);
}

}  // namespace

CompressedChunk compress_chunk(std::string_view plain) {
  // The library's stateful form, as only that reports a too small output instead of failing.
  thread_local auto level_buffer = std::make_unique<uint8_t[]>(ISAL_DEF_LVL1_DEFAULT);
  thread_local auto stream = std::make_unique<isal_zstream>();
  CompressedChunk chunk;
  isal_deflate_init(stream.get());
  stream->level = kLevel;
  stream->level_buf = level_buffer.get();
  stream->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
  stream->flush = FULL_FLUSH;
  stream->end_of_stream = 0;
  stream->next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(plain.data()));
  stream->avail_in = static_cast<uint32_t>(plain.size());
  chunk.deflate.resize(plain.size() / 4 + 4096);
  size_t written = 0;
  do {
    if (chunk.deflate.size() - written < 4096) chunk.deflate.resize(chunk.deflate.size() * 2);
    stream->next_out = reinterpret_cast<uint8_t*>(chunk.deflate.data() + written);
    stream->avail_out = static_cast<uint32_t>(chunk.deflate.size() - written);
    isal_deflate(stream.get());
    written = chunk.deflate.size() - stream->avail_out;
  } while (stream->avail_out == 0 || stream->avail_in > 0);
  chunk.deflate.resize(written);
  chunk.deflate.shrink_to_fit();
  chunk.crc =
      crc32_gzip_refl(0, reinterpret_cast<const unsigned char*>(plain.data()), plain.size());
  chunk.size = plain.size();
  return chunk;
}

void GzipTrailer::add(uint32_t chunk_crc, uint64_t chunk_size) {
  crc = static_cast<uint32_t>(crc32_combine(crc, chunk_crc, static_cast<z_off_t>(chunk_size)));
  size += chunk_size;
}

std::string GzipTrailer::bytes() const {
  std::string out("\x03\x00", 2);  // a final block with fixed codes and nothing in it
  append_little_endian(out, crc);
  append_little_endian(out, static_cast<uint32_t>(size));
  return out;
}

std::string_view gzip_header() {
  static constexpr char kHeader[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff";
  return {kHeader, 10};
}

}  // namespace ks::io
