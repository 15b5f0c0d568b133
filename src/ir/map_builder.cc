#include "ir/map_builder.h"

#include <algorithm>
#include <bit>

#include "base/hash.h"

namespace ks::ir {
namespace {

// Real texts need about one frame per 20 bytes; 16 bytes each.
constexpr size_t kBytesPerFrame = 2;
constexpr size_t kFramesAtLeast = 4096;

// Of real texts, to size the tables; being wrong costs only time.
constexpr size_t kBytesPerChain = 256;
constexpr size_t kMaxExpectedChains = 1 << 16;
constexpr size_t kBytesPerLine = 128;

uint64_t hash_of(std::span<const Frame> frames, uint64_t seed) {
  static_assert(sizeof(Frame) == 4 * sizeof(uint32_t), "hashed as bytes: no padding");
  return hash128({reinterpret_cast<const char*>(frames.data()), frames.size_bytes()}, seed).low;
}

}  // namespace

HashIndex::HashIndex(size_t expected) : slots_(std::bit_ceil(expected * 2 + 16), kEmpty) {
  hashes_.reserve(expected);
}

void HashIndex::place(uint64_t hash, uint32_t number) {
  size_t i = hash & mask();
  while (slots_[i] != kEmpty) i = (i + 1) & mask();
  slots_[i] = number;
}

void HashIndex::add(uint64_t hash) {
  hashes_.push_back(hash);
  if (hashes_.size() * 2 <= slots_.size()) {
    place(hash, static_cast<uint32_t>(hashes_.size() - 1));
    return;
  }
  slots_.assign(slots_.size() * 2, kEmpty);
  for (size_t i = 0; i < hashes_.size(); ++i) place(hashes_[i], static_cast<uint32_t>(i));
}

MapBuilder::MapBuilder(Stage stage, size_t text_size)
    : strings_(16),
      chains_(std::min(text_size / kBytesPerChain, kMaxExpectedChains)),
      frames_left_(text_size / kBytesPerFrame + kFramesAtLeast) {
  map_.stage = stage;
  map_.lines.reserve(text_size / kBytesPerLine);
  strings_.add(hash128("").low);
}

uint32_t MapBuilder::string(std::string_view text) {
  if (map_.strings[last_string_] == text) return last_string_;
  uint64_t hash = hash128(text).low;
  uint32_t number = strings_.find(hash, [&](uint32_t n) { return map_.strings[n] == text; });
  if (number == HashIndex::kEmpty) {
    number = static_cast<uint32_t>(map_.strings.size());
    map_.strings.emplace_back(text);
    strings_.add(hash);
  }
  last_string_ = number;
  return number;
}

uint32_t MapBuilder::chain(std::span<const Frame> frames, uint32_t name, bool inferred) {
  if (frames.empty()) return kNoChain;
  if (frames.size() > kMaxFramesPerChain) {
    not_understood();
    frames = frames.first(kMaxFramesPerChain);
  }
  uint64_t hash = hash_of(frames, name * 2ULL + inferred);
  uint32_t number = chains_.find(hash, [&](uint32_t n) {
    const Chain& c = map_.chains[n];
    return c.count == frames.size() && c.name == name && c.inferred == inferred &&
           std::equal(frames.begin(), frames.end(), map_.frames.begin() + c.first);
  });
  if (number != HashIndex::kEmpty) return number;
  if (frames.size() > frames_left_) {
    not_understood();
    return kNoChain;
  }
  frames_left_ -= frames.size();
  map_.chains.push_back({static_cast<uint32_t>(map_.frames.size()),
                         static_cast<uint32_t>(frames.size()), name, inferred});
  map_.frames.insert(map_.frames.end(), frames.begin(), frames.end());
  chains_.add(hash);
  return static_cast<uint32_t>(map_.chains.size() - 1);
}

void MapBuilder::add_chains(uint32_t line, std::span<const uint32_t> chains) {
  size_t first = map_.lines.size();
  for (uint32_t chain : chains) {
    if (chain == kNoChain) continue;
    auto same = [chain](const LineRef& ref) { return ref.chain == chain; };
    if (std::any_of(map_.lines.begin() + static_cast<ptrdiff_t>(first), map_.lines.end(), same)) {
      continue;
    }
    if (map_.lines.size() - first == kMaxChainsPerLine) {
      not_understood();
      return;
    }
    map_.lines.push_back({line, chain});
  }
}

void MapBuilder::code_line(uint32_t line, std::span<const uint32_t> chains, Missing otherwise) {
  size_t before = map_.lines.size();
  add_chains(line, chains);
  if (map_.lines.size() > before) {
    ++map_.coverage.mapped;
  } else if (otherwise == Missing::unknown_location) {
    ++map_.coverage.unknown_location;
  } else {
    ++map_.coverage.unmapped;
  }
}

}  // namespace ks::ir
