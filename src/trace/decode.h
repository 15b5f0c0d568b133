#pragma once
// A block of lines to events. Everything that cannot be read is counted and costs that record only.

#include <deque>
#include <memory>

#include "io/lines.h"
#include "trace/event.h"

namespace ks::trace {

struct DecodedBlock {
  io::Block block;
  std::vector<Record> records;
  std::vector<Field> fields;         // of all launches, back to back
  std::vector<uint64_t> pointers;    // likewise
  std::deque<std::string> odd_keys;  // member names that are written with escapes
  Diagnostics diagnostics;           // of the block and of decoding, in line order
};

// Not thread-safe: one decoder per thread.
class Decoder {
 public:
  explicit Decoder(unsigned max_depth = 1000);
  ~Decoder();
  Decoder(Decoder&&) noexcept;

  // `name` is the file's name, for messages. `seed` goes into the launches' identities: launches
  // of different processes are never the same.
  DecodedBlock decode(io::Block block, std::string_view name, uint64_t seed);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Hash of a JSON text without the digits of its pointers ("data_ptr":"0x..."), which are appended
// to `pointers`. Only pointers in plain form (lower case, no leading zeros) are taken out, so that
// number and text stand for each other.
Hash128 hash_without_pointers(std::string_view json, std::vector<uint64_t>& pointers);

}  // namespace ks::trace
