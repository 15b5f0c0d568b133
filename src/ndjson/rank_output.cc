#include "ndjson/rank_output.h"

#include <fmt/format.h>

#include <algorithm>

namespace ks::ndjson {

Result<> LineBuffer::append(Spool& spool, std::string_view line, std::string_view suffix) {
  // Grows by doubling: many buffers stay small for ever.
  text_.append(line).append(suffix);
  return text_.size() < kFlushSize ? Result<>() : flush(spool);
}

Result<> LineBuffer::append_chunk(Spool& spool, const io::CompressedChunk& chunk) {
  if (auto r = flush(spool); !r) return r;
  auto place = spool.add(chunk);
  if (!place) return tl::make_unexpected(place.error());
  chunks_.push_back(*place);
  return {};
}

Result<> LineBuffer::append_spooled(Spool& spool, const std::vector<SpooledChunk>& chunks) {
  if (auto r = flush(spool); !r) return r;
  chunks_.insert(chunks_.end(), chunks.begin(), chunks.end());
  return {};
}

Result<> LineBuffer::flush(Spool& spool) {
  if (text_.empty()) return {};
  auto place = spool.add(io::compress_chunk(text_));
  if (!place) return tl::make_unexpected(place.error());
  chunks_.push_back(*place);
  text_ = std::string();  // there may be thousands of buffers, most of them done
  return {};
}

void GroupOutput::add(const run::Run& run, const Launch& launch,
                      std::span<const uint64_t> launch_pointers, std::string_view timestamp) {
  const uint32_t position = static_cast<uint32_t>(launches.size());
  launches.push_back(launch);
  const auto [entry, added] = use_of.try_emplace(launch.launch_class, uses.size());
  if (added) uses.push_back({launch.launch_class, 0, {}});
  run::ClassUse& use = uses[entry->second];
  ++use.count;
  if (!use.positions.empty() && use.positions.back().end + 1 == position) {
    use.positions.back().end = position;
  } else {
    use.positions.push_back({position, position});
  }
  if (timestamp != last_timestamp || position == 0) {
    if (position == 0) first_timestamp = timestamp;
    last_timestamp = timestamp;
    timestamps.insert(hash128(timestamp).low);
  }
  size_t next = 0;
  for (const run::Part& part : run.classes[launch.launch_class].parts) {
    for (run::Id path : run.contents[part.content].pointer_paths) {
      if (next == launch_pointers.size()) return;
      const uint64_t pointer = launch_pointers[next++];
      Pointers& p = pointers[path];
      if (p.values.launches++ == 0) p.values.first = pointer;
      p.values.aligned += pointer % 16 == 0;
      p.values.distinct += p.seen.insert(pointer).second;
    }
  }
}

KernelOutput& RankOutput::kernel(const std::string& hash, run::Id id) {
  const auto [entry, added] = kernel_of.try_emplace(hash, kernels.size());
  if (added) {
    kernels.emplace_back().hash = hash;
    kernels.back().kernel = id;
  }
  return kernels[entry->second];
}

std::string output_file_name(const RankOutput& rank, const std::optional<trace::FrameIds>& frame) {
  if (!frame) return rank.base + "_mapped.ndjson";
  const auto text = [](const std::optional<int64_t>& id, const char* missing) {
    return id ? std::to_string(*id) : std::string(missing);
  };
  return fmt::format("f{}_fc{}_a{}_cai{}.ndjson", text(frame->frame_id, "None"),
                     text(frame->frame_compile_id, "None"), frame->attempt,
                     text(frame->compiled_autograd_id, "-"));
}

DiffInput diff_input(const RankOutput& rank, const std::vector<run::Id>& groups) {
  DiffInput input;
  tsl::robin_set<uint64_t> timestamps;
  for (run::Id id : groups) {
    const GroupOutput& group = rank.groups.at(id);
    const auto offset = static_cast<uint32_t>(input.launches);
    if (input.launches == 0) input.first_timestamp = group.first_timestamp;
    input.launches += group.launches.size();
    timestamps.insert(group.timestamps.begin(), group.timestamps.end());
    for (run::ClassUse use : group.uses) {
      for (run::Range& r : use.positions) r = {r.start + offset, r.end + offset};
      input.uses.push_back(std::move(use));
    }
    for (const auto& [path, pointers] : group.pointers) {
      PointerValues& sum = input.pointers[path];
      if (sum.launches == 0) sum.first = pointers.values.first;
      sum.launches += pointers.values.launches;
      sum.aligned += pointers.values.aligned;
      sum.distinct += pointers.values.distinct;  // of several groups: may count one twice
    }
  }
  input.timestamps = timestamps.size();
  return input;
}

}  // namespace ks::ndjson
