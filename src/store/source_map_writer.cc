#include "store/source_map_writer.h"

#include <array>
#include <span>
#include <utility>

namespace ks::store {
namespace {

using C = ColumnType;

Hash128 hash_numbers(std::span<const uint32_t> numbers) {
  return hash128({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
}

constexpr size_t kMostKnown = 50'000;  // names, a few MB

}  // namespace

template <typename Key>
std::pair<uint32_t, bool> SourceMapWriter::Known<Key>::intern(const Key& key) {
  if (ids.size() >= kMostKnown) ids.clear();
  const auto [it, added] = ids.try_emplace(key, next);
  if (added) ++next;
  return {it->second, added};
}

Result<SourceMapWriter> SourceMapWriter::open(Connection& connection) {
  auto maps = TableWriter::open(connection, "_maps", {C::u32, C::u32_list, C::u32_list});
  if (!maps) return tl::make_unexpected(maps.error());
  auto chains = TableWriter::open(connection, "_map_chains",
                                  {C::u32, C::u32_list, C::u32, C::u32, C::u32, C::boolean});
  if (!chains) return tl::make_unexpected(chains.error());
  auto frames =
      TableWriter::open(connection, "_map_frames", {C::u32, C::u32, C::u32, C::u32, C::u32});
  if (!frames) return tl::make_unexpected(frames.error());
  auto strings = TableWriter::open(connection, "_map_strings", {C::u32, C::text});
  if (!strings) return tl::make_unexpected(strings.error());
  return SourceMapWriter(std::move(*maps), std::move(*chains), std::move(*frames),
                         std::move(*strings));
}

SourceMapWriter::SourceMapWriter(TableWriter maps, TableWriter chains, TableWriter frames,
                                 TableWriter strings)
    : maps_(std::move(maps)),
      chains_(std::move(chains)),
      frames_(std::move(frames)),
      strings_(std::move(strings)) {
  intern_string("");
  intern_frame({});
}

uint32_t SourceMapWriter::intern_string(const std::string& text) {
  if (text.empty() && known_strings_.next != 0) return 0;
  const auto [id, added] = known_strings_.intern(text);
  if (added) strings_.u32(id).text(text).end_row();
  return id;
}

uint32_t SourceMapWriter::intern_frame(const ir::Frame& frame) {
  const uint32_t key[] = {frame.file, frame.line, frame.column, frame.function};
  const auto [id, added] = known_frames_.intern(hash_numbers(key));
  if (added) {
    frames_.u32(id).u32(frame.file).u32(frame.line).u32(frame.column);
    frames_.u32(frame.function).end_row();
  }
  return id;
}

uint32_t SourceMapWriter::intern_chain(const ir::SourceMap& map, const ir::Chain& chain) {
  chain_frames_.clear();
  for (uint32_t i = 0; i < chain.count && chain.first + i < map.frames.size(); ++i) {
    chain_frames_.push_back(local_frames_[chain.first + i]);
  }
  const size_t frames = chain_frames_.size();
  const uint32_t name = chain.name < local_strings_.size() ? local_strings_[chain.name] : 0;
  chain_frames_.push_back(name);
  chain_frames_.push_back(chain.inferred);
  const auto [id, added] = known_chains_.intern(hash_numbers(chain_frames_));
  if (!added) return id;
  const std::span<const uint32_t> list(chain_frames_.data(), frames);
  chains_.u32(id).u32_list(list);
  chains_.u32(list.empty() ? 0 : list.front()).u32(list.empty() ? 0 : list.back());
  chains_.u32(name).boolean(chain.inferred).end_row();
  return id;
}

// Frame 0 stays "not known" for all kernels.
void SourceMapWriter::begin_kernel() {
  known_frames_.ids.clear();
  known_frames_.ids.emplace(hash_numbers(std::array<uint32_t, 4>{}), 0);
  known_chains_.ids.clear();
}

void SourceMapWriter::add(uint32_t artifact_id, const ir::SourceMap& map) {
  if (map.empty()) return;
  local_strings_.clear();
  local_frames_.clear();
  local_chains_.clear();
  lines_.clear();
  line_chains_.clear();
  for (const std::string& text : map.strings) local_strings_.push_back(intern_string(text));
  const auto string_of = [this](uint32_t i) {
    return i < local_strings_.size() ? local_strings_[i] : 0;
  };
  for (const ir::Frame& f : map.frames) {
    local_frames_.push_back(
        intern_frame({string_of(f.file), f.line, f.column, string_of(f.function)}));
  }
  for (const ir::Chain& chain : map.chains) local_chains_.push_back(intern_chain(map, chain));
  for (const ir::LineRef& ref : map.lines) {
    if (ref.chain >= local_chains_.size()) continue;
    lines_.push_back(ref.line);
    line_chains_.push_back(local_chains_[ref.chain]);
  }
  maps_.u32(artifact_id).u32_list(lines_).u32_list(line_chains_).end_row();
}

Result<> SourceMapWriter::close() {
  for (TableWriter* writer : {&maps_, &chains_, &frames_, &strings_}) {
    if (Result<> closed = writer->close(); !closed) return closed;
  }
  return {};
}

}  // namespace ks::store
