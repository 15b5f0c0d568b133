#pragma once
// Builds a SourceMap: strings and chains are stored once, and the frames of all chains together
// stay within a budget that is proportional to the text.

#include <span>

#include "ir/source_map.h"

namespace ks::ir {

// Numbers 0..n-1 by the hash of what they stand for. The caller holds and compares the things.
class HashIndex {
 public:
  explicit HashIndex(size_t expected);

  // The number whose thing is equal(number), or kEmpty.
  template <typename Equal>
  uint32_t find(uint64_t hash, Equal equal) const {
    for (size_t i = hash & mask();; i = (i + 1) & mask()) {
      uint32_t number = slots_[i];
      if (number == kEmpty) return kEmpty;
      if (hashes_[number] == hash && equal(number)) return number;
    }
  }
  void add(uint64_t hash);  // as number size()
  size_t size() const { return hashes_.size(); }

  static constexpr uint32_t kEmpty = UINT32_MAX;

 private:
  size_t mask() const { return slots_.size() - 1; }
  void place(uint64_t hash, uint32_t number);

  std::vector<uint32_t> slots_;
  std::vector<uint64_t> hashes_;
};

// Why a code line has no chain.
enum class Missing : uint8_t { unmapped, unknown_location };

class MapBuilder {
 public:
  MapBuilder(Stage stage, size_t text_size);

  uint32_t string(std::string_view text);  // its number in SourceMap::strings

  // Number of the chain, or kNoChain when it is empty or the budget is spent (then counted).
  // Frames beyond kMaxFramesPerChain are cut (and counted).
  uint32_t chain(std::span<const Frame> frames, uint32_t name = 0, bool inferred = false);

  // One code line. Repeated chains and those beyond kMaxChainsPerLine are left out.
  void code_line(uint32_t line, std::span<const uint32_t> chains, Missing otherwise);

  void ptx_line(uint32_t line, uint32_t ptx_line) { map_.ptx_lines.push_back({line, ptx_line}); }
  void not_understood() { ++map_.not_understood; }
  const SourceMap& map() const { return map_; }
  SourceMap take() { return std::move(map_); }

  static constexpr uint32_t kNoChain = UINT32_MAX;

 private:
  void add_chains(uint32_t line, std::span<const uint32_t> chains);

  SourceMap map_;
  HashIndex strings_;
  HashIndex chains_;
  uint32_t last_string_ = 0;
  size_t frames_left_;
};

}  // namespace ks::ir
