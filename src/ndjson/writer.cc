#include "ndjson/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/json_writer.h"
#include "ndjson/mended_launch_diff.h"
#include "ndjson/rank_output.h"
#include "ndjson/rank_writer.h"
#include "ndjson/reference_launch_diff.h"
#include "ndjson/stand_in.h"
#include "trace/json_reader.h"

namespace ks::ndjson {

struct Writer::State {
  std::filesystem::path folder;
  WriterOptions options;
  Spool spool;
  std::vector<std::unique_ptr<RankOutput>> ranks;

  // Of the block that is being read.
  const trace::DecodedBlock* block = nullptr;
  const BlockText* text = nullptr;
  size_t next_compilation = 0;

  RankOutput& rank() { return *ranks.back(); }
};

Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Writer::~Writer() = default;

Result<std::unique_ptr<Writer>> Writer::create(std::filesystem::path folder,
                                               WriterOptions options) {
  auto spool = Spool::create(folder);
  if (!spool) return tl::make_unexpected(spool.error());
  auto state = std::unique_ptr<State>(
      new State{std::move(folder), std::move(options), std::move(*spool), {}, nullptr, nullptr, 0});
  return std::unique_ptr<Writer>(new Writer(std::move(state)));
}

std::unique_ptr<run::Prepared> Writer::prepare(
    const trace::DecodedBlock& block, std::span<const run::DigestedCompilation> compilations) {
  return make_block_text(block, compilations, state_->options.exact);
}

Result<> Writer::begin_rank(const run::Run&, const io::RankGroup& group) {
  auto rank = std::make_unique<RankOutput>();
  rank->rank = group.rank;
  if (!group.files.empty()) {
    const std::string& name = group.files[0].name;
    constexpr std::string_view kMembers = ".bin.ndjson";
    const size_t end = name.ends_with(kMembers) ? name.size() - kMembers.size() : name.rfind('.');
    rank->base = end == 0 ? name : name.substr(0, end);
  }
  state_->ranks.push_back(std::move(rank));
  return {};
}

Result<> Writer::begin_block(const run::Run&, run::Id, const trace::DecodedBlock& block,
                             run::Prepared* prepared) {
  state_->block = &block;
  state_->text = static_cast<const BlockText*>(prepared);
  state_->next_compilation = 0;
  return {};
}

Result<> Writer::compilation(const run::Run& run, run::Id id, const trace::Compilation& event,
                             size_t) {
  State& s = *state_;
  RankOutput& rank = s.rank();
  const CompilationText& text = s.text->compilations[s.next_compilation++];
  const run::Compilation& c = run.compilations[id];
  rank.autotune.compilation(run, c.stack, event, text.python_source);

  KernelOutput& kernel = rank.kernel(event.hash, c.kernel);
  std::optional<trace::FrameIds> frame = s.options.split ? c.frame : std::nullopt;
  // The reference reads the attempt under a name that nobody writes (its BUG 7).
  if (frame && s.options.exact && !c.frame_from_torch_trace) frame->attempt = event.attempt_id;
  const std::string file = output_file_name(rank, frame);
  const bool known = std::any_of(kernel.heads.begin(), kernel.heads.end(),
                                 [&](const auto& head) { return head.file == file; });
  // The reference files a kernel under its first frame only (its BUG 19).
  if (known || (s.options.exact && kernel.compiled)) return {};
  if (!kernel.compiled) {
    kernel.compiled = true;
    kernel.ir_analysis = text.ir_analysis;
    kernel.cost = text.cost;
  }
  KernelOutput::Head& head = kernel.heads.emplace_back();
  head.file = file;
  if (auto r = head.line.append_chunk(s.spool, text.head); !r) return r;
  return head.line.append(s.spool, "",
                          fmt::format(",\"occurrence_id\":{}}}\n", rank.next_occurrence++));
}

Result<> Writer::launch(const run::Run& run, const run::LaunchRow& row,
                        std::span<const uint64_t> pointers, size_t index) {
  State& s = *state_;
  RankOutput& rank = s.rank();
  const GroupOutput::Launch launch{rank.next_launch++, rank.next_occurrence++, row.launch_class};
  const run::LaunchGroup& run_group = run.groups[row.group];
  const auto& event = std::get<trace::Launch>(s.block->records[index].event);
  const LaunchText& text = s.text->launches[index];
  // The label depends on what the session has seen, so every launch takes part.
  const std::string_view label =
      rank.autotune.launch(run, run.classes[row.launch_class], row.launch_class, pointers,
                           event.timestamp, text.group_hash, launch.occurrence_id);
  if (run_group.hash.empty() && s.options.exact) return {};  // lost in the reference (its BUG 20)

  const auto [entry, added] = rank.groups.try_emplace(row.group);
  GroupOutput& group = entry->second;
  if (added && !run_group.hash.empty()) {
    rank.kernel(run_group.hash, run_group.kernel).groups.push_back(row.group);
  }
  group.add(run, launch, pointers, event.timestamp);
  std::string suffix = fmt::format(",\"launch_group_hash\":\"{:016x}\",\"occurrence_id\":{}",
                                   text.group_hash, launch.occurrence_id);
  if (!label.empty()) suffix += fmt::format(",\"autotune_launch_type\":\"{}\"", label);
  suffix += "}\n";
  const io::Line& line = s.block->block.lines[s.block->records[index].line];
  return group.lines.append(
      s.spool, text.rewritten.empty() ? open_ended(s.block->block.view(line)) : text.rewritten,
      suffix);
}

Result<> Writer::autotune(const run::Run& run, run::Id stack, const trace::Autotune& event,
                          size_t) {
  state_->rank().autotune.autotune(run, stack, event);
  return {};
}

Result<std::filesystem::path> Writer::finish(const run::Run& run) {
  State& s = *state_;
  std::string list;
  JsonWriter w(list);
  w.begin_object().field("tritonparse_url_prefix", "");
  for (const auto& rank : s.ranks) {
    RankWriter writer(run, *rank, s.spool, s.options.exact);
    const std::string name = rank->rank ? fmt::format("rank_{}", *rank->rank) : "rank_none";
    auto files = writer.write(rank->rank ? s.folder / name : s.folder);
    if (!files) return tl::make_unexpected(files.error());
    // The reference names the rank that was asked for, not the one that it lists (its BUG 11).
    const std::string asked =
        s.options.requested_rank.empty() ? std::string() : "rank_" + s.options.requested_rank + "/";
    const std::string own = rank->rank ? name + "/" : std::string();
    append_listing(w, name, *files, s.options.exact ? asked : own);
  }
  w.end_object();
  const std::filesystem::path path = s.folder / "log_file_list.json";
  auto written = write_file(path, indented(list));
  if (!written) return tl::make_unexpected(written.error());
  return path;
}

void remove_listed_files(const std::filesystem::path& folder) {
  const std::filesystem::path list = folder / "log_file_list.json";
  std::ifstream in(list, std::ios::binary);
  if (!in) return;
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const auto value = trace::JsonReader().read_copy(text);
  if (!value || !value->is_object()) return;
  std::error_code ignored;
  for (const auto& [rank, entry] : value->members) {
    const bool ranked = rank.starts_with("rank_") && rank != "rank_none" &&
                        rank.find_first_not_of("0123456789", 5) == std::string::npos;
    const auto remove = [&](const trace::Value& name) {
      const bool ours =
          name.string.ends_with(".ndjson.gz") && name.string.find('/') == std::string::npos;
      if (ours) std::filesystem::remove((ranked ? folder / rank : folder) / name.string, ignored);
    };
    if (const trace::Value* files = entry.find("regular_files")) {
      std::for_each(files->items.begin(), files->items.end(), remove);
    }
    if (const trace::Value* mapped = entry.find("mapped_file")) remove(*mapped);
  }
  std::filesystem::remove(list, ignored);
}

}  // namespace ks::ndjson
