#pragma once
// One gzip member from pieces that were compressed apart and out of order.
//
// Each piece is raw deflate ended by a full flush: byte-aligned, no reference to what came before.
// Pieces put one behind the other between a gzip header and a final empty block are one valid
// member (RFC 1951, 1952), as web browsers demand of a .gz; the CRCs combine arithmetically.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ks::io {

struct CompressedChunk {
  std::string deflate;
  uint32_t crc = 0;   // of the plain bytes
  uint64_t size = 0;  // of the plain bytes
};

CompressedChunk compress_chunk(std::string_view plain);

// The CRC and size of chunks in a row.
struct GzipTrailer {
  uint32_t crc = 0;
  uint64_t size = 0;
  void add(uint32_t chunk_crc, uint64_t chunk_size);
  std::string bytes() const;  // the final empty block, CRC and size modulo 2^32
};

std::string_view gzip_header();  // no name, no time: the same bytes for the same input

}  // namespace ks::io
