#include "ndjson/rank_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "ndjson/mended_launch_diff.h"
#include "ndjson/reference_launch_diff.h"
#include "ndjson/stand_in.h"
#include "trace/json_reader.h"

namespace ks::ndjson {

namespace {

void append_name(JsonWriter& w, const std::string& name) {
  if (name.empty()) {
    w.key("name").null();
  } else {
    w.field("name", name);
  }
}

// Tensor arguments of a class, from its contents (exact flattening joins the path with dots).
struct ClassTensors {
  std::vector<std::string> names;
  std::vector<TensorArg> tensors;
};

ClassTensors tensors_of(const run::Run& run, const run::LaunchClass& c) {
  ClassTensors out;
  std::vector<std::pair<int64_t, int64_t>> sizes;
  for (const run::Part& part : c.parts) {
    const run::Path& path = run.paths[part.path];
    if (path.parts.size() != 2 || path.parts[0] != "extracted_args") continue;
    std::optional<int64_t> numel, element_size;
    const std::string prefix = path.dotted() + ".";
    for (const run::Leaf& leaf : run.contents[part.content].leaves) {
      if (leaf.value == run::kPointerValue) continue;
      const std::string key = run.paths[leaf.path].dotted();
      const std::string& json = run.values[leaf.value];
      const bool integer =
          !json.empty() && json.find_first_not_of("-0123456789") == std::string::npos;
      if (!integer) continue;
      if (key == prefix + "numel") numel = std::strtoll(json.c_str(), nullptr, 10);
      if (key == prefix + "element_size") element_size = std::strtoll(json.c_str(), nullptr, 10);
    }
    if (!numel || !element_size) continue;
    out.names.push_back(path.parts[1]);
    sizes.emplace_back(*numel, *element_size);
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    out.tensors.push_back({out.names[i], sizes[i].first, sizes[i].second});
  }
  return out;
}

tl::unexpected<Error> cannot_write(const std::filesystem::path& path) {
  return fail(ErrorKind::io,
              fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
}

// A file that takes its name when it is whole.
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path path)
      : path_(std::move(path)), aside_(path_.string() + ".part"), out_(aside_, std::ios::binary) {}
  ~OutputFile() {
    std::error_code ignored;
    if (!done_) std::filesystem::remove(aside_, ignored);
  }
  void add(std::string_view bytes) {
    out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  Result<> close() {
    out_.close();
    if (!out_) return cannot_write(path_);
    std::error_code error;
    std::filesystem::rename(aside_, path_, error);
    if (error)
      return fail(ErrorKind::io,
                  fmt::format("cannot write {}: {}", path_.string(), error.message()));
    done_ = true;
    return {};
  }

 private:
  std::filesystem::path path_, aside_;
  std::ofstream out_;
  bool done_ = false;
};

}  // namespace

Result<> write_file(const std::filesystem::path& path, std::string_view bytes) {
  OutputFile file(path);
  file.add(bytes);
  return file.close();
}

LineBuffer& RankWriter::file(const std::string& name) {
  for (auto& [known, lines] : files_) {
    if (known == name) return lines;
  }
  return files_.emplace_back(name, LineBuffer()).second;
}

std::string RankWriter::occurrence() {
  return fmt::format(",\"occurrence_id\":{}}}\n", rank_.next_occurrence++);
}

// Groups without a hash go to the kernel that they were attributed to.
void RankWriter::settle_groups() {
  for (auto& [id, group] : rank_.groups) {
    const run::LaunchGroup& run_group = run_.groups[id];
    if (!run_group.hash.empty()) continue;
    const run::Kernel& kernel = run_.kernels[run_group.kernel];
    const std::string hash = kernel.hash.empty() ? made_up_hash(run_, run_group) : kernel.hash;
    rank_.kernel(hash, run_group.kernel).groups.push_back(id);
  }
}

Result<> RankWriter::add_stand_in(KernelOutput& kernel) {
  if (kernel.groups.empty()) return {};
  const StandIn stand_in = make_stand_in(run_, rank_.groups.at(kernel.groups[0]), kernel.hash);
  const run::Id stack = run_.classes[rank_.groups.at(kernel.groups[0]).uses[0].launch_class].stack;
  if (stack != run::kNone) rank_.autotune.stand_in(run_, stack, stand_in.event);
  kernel.heads.emplace_back().file = output_file_name(rank_, std::nullopt);
  return kernel.heads[0].line.append(spool_, stand_in.json, occurrence());
}

std::string RankWriter::launch_diff_event(const KernelOutput& kernel) {
  const DiffInput input = diff_input(rank_, kernel.groups);
  std::vector<run::Range> index;
  for (run::Id id : kernel.groups) {
    for (const GroupOutput::Launch& launch : rank_.groups.at(id).launches) {
      const auto number = static_cast<uint32_t>(launch.index);
      if (!index.empty() && index.back().end + 1 == number) {
        index.back().end = number;
      } else {
        index.push_back({number, number});
      }
    }
  }
  std::string out;
  JsonWriter w(out);
  w.begin_object().field("event_type", "launch_diff").field("hash", kernel.hash);
  append_name(w, run_.kernels[kernel.kernel].name);
  w.field("total_launches", input.launches);
  out += ",\"launch_index_map\":";
  append_ranges(out, run::union_of(std::move(index)));
  out += ',';
  if (!exact_) return out + mended_launch_diff(run_, input);
  const ReferenceDiff diff = reference_launch_diff(run_, input);
  out += "\"diffs\":";
  diff.diffs.write(out);
  out += ",\"sames\":";
  diff.sames.write(out);
  return out;
}

std::string RankWriter::roofline_event(const KernelOutput& kernel) {
  std::string per_launch = "[";
  std::unordered_map<run::Id, ClassTensors> tensors;
  for (run::Id id : kernel.groups) {
    for (const GroupOutput::Launch& launch : rank_.groups.at(id).launches) {
      const run::LaunchClass& c = run_.classes[launch.launch_class];
      auto [entry, added] = tensors.try_emplace(launch.launch_class);
      if (added) entry->second = tensors_of(run_, c);
      LaunchForRoofline l;
      l.launch_index = launch.index;
      l.occurrence_id = launch.occurrence_id;
      if (c.grid_value != run::kNone) {
        l.grid_json = run_.values[c.grid_value];
        l.grid = c.grid;
      }
      l.tensors = entry->second.tensors;
      if (per_launch.size() > 1) per_launch += ',';
      append_roofline_launch(per_launch, *kernel.cost, l);
    }
  }
  per_launch += ']';
  const std::string object = roofline_json(*kernel.cost, per_launch);
  if (object.empty()) return {};
  std::string out;
  JsonWriter w(out);
  w.begin_object().field("event_type", "roofline").field("hash", kernel.hash);
  append_name(w, run_.kernels[kernel.kernel].name);
  w.raw_field("roofline", object);
  return out;
}

Result<> RankWriter::add_kernel(KernelOutput& kernel) {
  LineBuffer tail;
  if (!kernel.ir_analysis.empty()) {
    std::string out;
    JsonWriter w(out);
    w.begin_object().field("event_type", "ir_analysis").field("hash", kernel.hash);
    w.raw_field("ir_analysis", kernel.ir_analysis);
    if (auto r = tail.append(spool_, out, "}\n"); !r) return r;
  }
  if (!kernel.groups.empty()) {
    const std::string roofline = kernel.cost ? roofline_event(kernel) : std::string();
    if (!roofline.empty()) {
      if (auto r = tail.append(spool_, roofline, occurrence()); !r) return r;
    }
    const std::string diff = launch_diff_event(kernel);
    if (auto r = tail.append(spool_, diff, occurrence()); !r) return r;
  }
  if (auto r = tail.flush(spool_); !r) return r;
  for (KernelOutput::Head& head : kernel.heads) {
    LineBuffer& out = file(head.file);
    if (auto r = head.line.flush(spool_); !r) return r;
    if (auto r = out.append_spooled(spool_, head.line.chunks()); !r) return r;
    for (run::Id id : kernel.groups) {
      LineBuffer& lines = rank_.groups.at(id).lines;
      if (auto r = lines.flush(spool_); !r) return r;
      if (auto r = out.append_spooled(spool_, lines.chunks()); !r) return r;
    }
    if (auto r = out.append_spooled(spool_, tail.chunks()); !r) return r;
  }
  return {};
}

// Numbered file by file: the analyses of a file, then the summary, which is the same in all.
Result<> RankWriter::add_autotune() {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_file;
  for (ReferenceAutotune::Event& event : rank_.autotune.analyses(run_)) {
    const auto kernel = rank_.kernel_of.find(event.kernel_hash);
    if (kernel == rank_.kernel_of.end() || rank_.kernels[kernel->second].heads.empty()) continue;
    const std::string& name = rank_.kernels[kernel->second].heads[0].file;
    auto at =
        std::find_if(by_file.begin(), by_file.end(), [&](auto& f) { return f.first == name; });
    if (at == by_file.end()) at = by_file.insert(by_file.end(), {name, {}});
    at->second.push_back(std::move(event.json));
  }
  const std::string summary = rank_.autotune.summary(run_);
  for (auto& [name, events] : by_file) {
    if (!summary.empty()) events.push_back(summary);
    for (const std::string& event : events) {
      if (auto r = file(name).append(spool_, event, occurrence()); !r) return r;
    }
  }
  return {};
}

Result<> RankWriter::write_gzip(const std::filesystem::path& path, const LineBuffer& lines) {
  OutputFile out(path);
  io::GzipTrailer trailer;
  out.add(io::gzip_header());
  for (const SpooledChunk& chunk : lines.chunks()) {
    auto bytes = spool_.read(chunk);
    if (!bytes) return tl::make_unexpected(bytes.error());
    out.add(*bytes);
    trailer.add(chunk.crc, chunk.plain_size);
  }
  out.add(trailer.bytes());
  return out.close();
}

Result<std::vector<std::string>> RankWriter::write(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return fail(ErrorKind::io, fmt::format("cannot make {}: {}", folder.string(), error.message()));
  }
  settle_groups();
  // Stand-ins come first, then kernels in order of first sight (docs/trace-format.md).
  std::vector<KernelOutput*> order;
  for (KernelOutput& kernel : rank_.kernels) order.push_back(&kernel);
  std::stable_partition(order.begin(), order.end(), [](auto* kernel) { return !kernel->compiled; });
  for (KernelOutput* kernel : order) {
    if (!kernel->compiled) {
      if (auto r = add_stand_in(*kernel); !r) return tl::make_unexpected(r.error());
    }
    if (auto r = add_kernel(*kernel); !r) return tl::make_unexpected(r.error());
  }
  if (auto r = add_autotune(); !r) return tl::make_unexpected(r.error());

  std::vector<std::string> names;
  for (auto& [name, lines] : files_) {
    if (auto r = lines.flush(spool_); !r) return tl::make_unexpected(r.error());
    names.push_back(name + ".gz");
    if (auto r = write_gzip(folder / names.back(), lines); !r)
      return tl::make_unexpected(r.error());
  }
  return names;
}

void append_listing(JsonWriter& w, const std::string& key, const std::vector<std::string>& files,
                    const std::string& suffix) {
  const auto is_mapped = [](const std::string& name) {
    return name.find("mapped") != std::string::npos;
  };
  w.key(key).begin_object().key("regular_files").begin_array();
  for (const std::string& name : files) {
    if (!is_mapped(name)) w.value(name);
  }
  w.end_array();
  for (const std::string& name : files) {
    if (is_mapped(name)) w.field("mapped_file", name);
  }
  w.field("rank_suffix", suffix).end_object();
}

std::string indented(const std::string& json) {
  std::string out;
  size_t depth = 0;
  bool in_string = false;
  const auto line = [&] { out.append("\n").append(2 * depth, ' '); };
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      out += c;
      if (c == '\\') out += json[++i];
      in_string = c != '"';
      continue;
    }
    const bool opens = c == '{' || c == '[', closes = c == '}' || c == ']';
    if (closes) {
      --depth;
      if (json[i - 1] != '{' && json[i - 1] != '[') line();
    }
    out += c;
    in_string = c == '"';
    if (opens) {
      ++depth;
      if (json[i + 1] != '}' && json[i + 1] != ']') line();
    }
    if (c == ',') line();
    if (c == ':') out += ' ';
  }
  return out + "\n";
}

}  // namespace ks::ndjson
