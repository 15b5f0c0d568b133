// Chains for SASS lines, from the kernel's PTX or LLVM IR.

#include <algorithm>
#include <unordered_map>

#include "ir/map_builder.h"

namespace ks::ir {
namespace {

// Donor chains of one place that are compared with one chain; hostile maps have no end of them.
constexpr size_t kMaxLookedAt = 1024;

std::string_view base_name(std::string_view path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

class Inference {
 public:
  Inference(const SourceMap& sass, const SourceMap& donor);

  SourceMap run();

 private:
  struct Place {
    std::string_view file;
    uint32_t line;
    friend bool operator==(const Place&, const Place&) = default;
  };
  struct PlaceHash {
    size_t operator()(const Place& p) const {
      return std::hash<std::string_view>()(p.file) * 31 + p.line * size_t{0x9E3779B97F4A7C15};
    }
  };
  using Index = std::unordered_map<Place, std::vector<uint32_t>, PlaceHash>;

  static Place place_of(const SourceMap& map, const Frame& frame) {
    return {map.strings[frame.file], frame.line};
  }
  bool agree(const Frame& sass, const Frame& donor, bool whole_names) const;
  bool agree(const Chain& sass, const Chain& donor, bool whole_names) const;
  uint32_t adopt(uint32_t donor_chain);
  uint32_t keep(uint32_t sass_chain);
  std::vector<uint32_t> candidates(const Chain& chain);
  std::vector<uint32_t> at_ptx_line(const Chain& chain, uint32_t ptx_line);
  void copy_line(size_t first, size_t last);
  uint32_t ptx_line_of(uint32_t line);

  const SourceMap& sass_;
  const SourceMap& donor_;
  MapBuilder builder_;
  Index by_name_, by_base_name_;
  std::vector<uint32_t> adopted_;                     // by donor chain
  std::vector<std::vector<uint32_t>> by_sass_chain_;  // candidates in the new map
  std::vector<bool> looked_up_;
  size_t next_ptx_line_ = 0;
};

size_t size_of(const SourceMap& map) { return (map.frames.size() + map.lines.size()) * 64; }

Inference::Inference(const SourceMap& sass, const SourceMap& donor)
    : sass_(sass),
      donor_(donor),
      builder_(Stage::sass, size_of(sass) + size_of(donor)),
      adopted_(donor.chains.size(), MapBuilder::kNoChain),
      by_sass_chain_(sass.chains.size()),
      looked_up_(sass.chains.size()) {
  for (uint32_t i = 0; i < donor.chains.size(); ++i) {
    Place place = place_of(donor, donor.frames[donor.chains[i].first]);
    by_name_[place].push_back(i);
    by_base_name_[{base_name(place.file), place.line}].push_back(i);
  }
}

bool Inference::agree(const Frame& sass, const Frame& donor, bool whole_names) const {
  if (sass.line != donor.line) return false;
  std::string_view a = sass_.strings[sass.file], b = donor_.strings[donor.file];
  return whole_names ? a == b : base_name(a) == base_name(b);
}

// A chain of one frame says nothing of its callers.
bool Inference::agree(const Chain& sass, const Chain& donor, bool whole_names) const {
  if (sass.count > 1 && sass.count != donor.count) return false;
  for (uint32_t i = 0; i < sass.count; ++i) {
    if (!agree(sass_.frames[sass.first + i], donor_.frames[donor.first + i], whole_names)) {
      return false;
    }
  }
  return true;
}

uint32_t Inference::adopt(uint32_t donor_chain) {
  uint32_t& adopted = adopted_[donor_chain];
  if (adopted != MapBuilder::kNoChain) return adopted;
  const Chain& chain = donor_.chains[donor_chain];
  std::vector<Frame> frames(donor_.frames.begin() + chain.first,
                            donor_.frames.begin() + chain.first + chain.count);
  for (Frame& frame : frames) {
    frame.file = builder_.string(donor_.strings[frame.file]);
    frame.function = builder_.string(donor_.strings[frame.function]);
  }
  return adopted = builder_.chain(frames, builder_.string(donor_.strings[chain.name]), true);
}

uint32_t Inference::keep(uint32_t sass_chain) {
  const Chain& chain = sass_.chains[sass_chain];
  std::vector<Frame> frames(sass_.frames.begin() + chain.first,
                            sass_.frames.begin() + chain.first + chain.count);
  for (Frame& frame : frames) frame.file = builder_.string(sass_.strings[frame.file]);
  return builder_.chain(frames, 0, chain.inferred);
}

std::vector<uint32_t> Inference::candidates(const Chain& chain) {
  std::vector<uint32_t> found;
  Place place = place_of(sass_, sass_.frames[chain.first]);
  auto search = [&](const Index& index, const Place& key, bool whole_names) {
    auto entry = index.find(key);
    if (entry == index.end()) return;
    std::span<const uint32_t> some(entry->second);
    for (uint32_t i : some.first(std::min(some.size(), kMaxLookedAt))) {
      if (!agree(chain, donor_.chains[i], whole_names)) continue;
      found.push_back(adopt(i));
      if (found.size() > kMaxChainsPerLine) return;  // one too many, for the builder to count
    }
  };
  search(by_name_, place, true);
  if (found.empty()) search(by_base_name_, {base_name(place.file), place.line}, false);
  return found;
}

std::vector<uint32_t> Inference::at_ptx_line(const Chain& chain, uint32_t ptx_line) {
  std::vector<uint32_t> found;
  auto by_line = [](const LineRef& ref, uint32_t line) { return ref.line < line; };
  auto ref = std::lower_bound(donor_.lines.begin(), donor_.lines.end(), ptx_line, by_line);
  for (; ref != donor_.lines.end() && ref->line == ptx_line; ++ref) {
    if (agree(chain, donor_.chains[ref->chain], false)) found.push_back(adopt(ref->chain));
  }
  return found;
}

uint32_t Inference::ptx_line_of(uint32_t line) {
  if (donor_.stage != Stage::ptx) return 0;
  const auto& lines = sass_.ptx_lines;
  while (next_ptx_line_ < lines.size() && lines[next_ptx_line_].line < line) ++next_ptx_line_;
  bool found = next_ptx_line_ < lines.size() && lines[next_ptx_line_].line == line;
  return found ? lines[next_ptx_line_].ptx_line : 0;
}

void Inference::copy_line(size_t first, size_t last) {
  std::vector<uint32_t> chains;
  uint32_t line = sass_.lines[first].line;
  uint32_t ptx_line = ptx_line_of(line);
  for (size_t i = first; i < last; ++i) {
    uint32_t number = sass_.lines[i].chain;
    const Chain& chain = sass_.chains[number];
    std::vector<uint32_t> exact;
    if (ptx_line != 0) exact = at_ptx_line(chain, ptx_line);
    if (exact.empty() && !looked_up_[number]) {
      looked_up_[number] = true;
      by_sass_chain_[number] = candidates(chain);
      if (by_sass_chain_[number].empty()) by_sass_chain_[number].push_back(keep(number));
    }
    const auto& found = exact.empty() ? by_sass_chain_[number] : exact;
    chains.insert(chains.end(), found.begin(), found.end());
  }
  builder_.code_line(line, chains, Missing::unmapped);
}

SourceMap Inference::run() {
  for (size_t first = 0, last = 0; first < sass_.lines.size(); first = last) {
    while (last < sass_.lines.size() && sass_.lines[last].line == sass_.lines[first].line) ++last;
    copy_line(first, last);
  }
  SourceMap map = builder_.take();
  map.stage = sass_.stage;
  map.coverage = sass_.coverage;  // of the SASS itself: what is inferred is marked on the chain
  map.not_understood += sass_.not_understood;
  map.ptx_lines = sass_.ptx_lines;
  return map;
}

}  // namespace

void infer_chains(SourceMap& sass, const SourceMap& donor) { sass = Inference(sass, donor).run(); }

}  // namespace ks::ir
