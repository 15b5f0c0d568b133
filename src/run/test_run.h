#pragma once
// For tests: a Run from texts and files. Every read is checked for what must hold of every run.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "run/launch_diff.h"
#include "run/read.h"

namespace ks::run::testing {

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ks_run_XXXXXX").string();
    if (const char* made = mkdtemp(name.data())) path_ = made;
  }
  ~TempFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// The decoded bytes of a file.
inline std::string file_text(const std::filesystem::path& path) {
  auto source = io::open_file(path);
  EXPECT_TRUE(source) << path;
  if (!source) return {};
  Diagnostics diagnostics;
  const auto decoded = io::decoded(std::move(*source), {}, path.filename().string(), diagnostics);
  std::string text;
  std::vector<char> buffer(1U << 16);
  for (;;) {
    const auto n = decoded->read(buffer);
    if (!n || *n == 0) break;
    text.append(buffer.data(), *n);
  }
  return text;
}

inline uint64_t lines_left_out(const Diagnostics& d) {
  uint64_t sum = 0;
  for (Diag diag :
       {Diag::bad_json, Diag::not_an_object, Diag::bad_utf8, Diag::too_deep, Diag::truncated_line,
        Diag::unknown_event, Diag::derived_event, Diag::compilation_without_hash}) {
    sum += d[diag].count;
  }
  return sum;
}

inline uint64_t launches_left_out(const Diagnostics& d) {
  return d[Diag::bad_json].count + d[Diag::bad_utf8].count + d[Diag::too_deep].count +
         d[Diag::launch_without_name].count;
}

// Counts what goes by, and checks each text's map.
class Witness : public Observer {
 public:
  Result<> begin_block(const Run&, Id, const trace::DecodedBlock& block, Prepared*) override {
    EXPECT_EQ(block.block.lines.size(), block.records.size() + lines_left_out(block.diagnostics));
    launches_left_out_by_decoder_ += launches_left_out(block.diagnostics);
    for (const trace::Record& record : block.records) {
      decoded_launches_ += std::holds_alternative<trace::Launch>(record.event);
    }
    return {};
  }
  Result<> kernel(const Run&, Id, std::vector<StageText>& texts) override {
    ++kernels_;
    for (const StageText& stage : texts) {
      const auto lines = 1 + std::count(stage.text.begin(), stage.text.end(), '\n');
      for (const auto& mapped : stage.map.lines) {
        EXPECT_GE(mapped.line, 1u) << stage.name;
        EXPECT_LE(mapped.line, lines) << stage.name;
        EXPECT_LT(mapped.chain, stage.map.chains.size()) << stage.name;
      }
      mapped_lines_ += stage.map.lines.size();
    }
    return {};
  }
  Result<> compilation(const Run&, Id, const trace::Compilation&, size_t) override {
    ++compilations_;
    return {};
  }
  Result<> launch(const Run& run, const LaunchRow& row, std::span<const uint64_t>,
                  size_t) override {
    EXPECT_EQ(row.id, launches_++);
    EXPECT_EQ(run.classes[row.launch_class].group, row.group);
    EXPECT_EQ(row.position != kNone, is_user(run.classes[row.launch_class].kind));
    return {};
  }
  size_t mapped_lines() const { return mapped_lines_; }

  void check(const Run& run) const {
    EXPECT_EQ(run.launches, launches_);
    const uint64_t left_out = launches_left_out(run.diagnostics) - launches_left_out_by_decoder_;
    EXPECT_EQ(run.launches + left_out, decoded_launches_) << "launches in = taken + left out";
    EXPECT_EQ(run.compilations.size(), compilations_);
    EXPECT_EQ(std::count_if(run.kernels.begin(), run.kernels.end(),
                            [](const Kernel& k) { return k.compilation_seen; }),
              static_cast<std::ptrdiff_t>(kernels_));
  }

 private:
  uint64_t decoded_launches_ = 0, launches_left_out_by_decoder_ = 0, launches_ = 0;
  size_t compilations_ = 0, kernels_ = 0, mapped_lines_ = 0;
};

// 0..count-1, each once.
inline void expect_cover(std::vector<Range> ranges, uint64_t count, const std::string& what) {
  std::sort(ranges.begin(), ranges.end(), [](Range a, Range b) { return a.start < b.start; });
  uint64_t next = 0;
  for (Range r : ranges) {
    EXPECT_EQ(r.start, next) << what;
    EXPECT_LE(r.start, r.end) << what;
    next = uint64_t{r.end} + 1;
  }
  EXPECT_EQ(next, count) << what;
}

inline void check_launch_diff(const Run& run, Id kernel) {
  const LaunchDiff diff = launch_diff(run, kernel);
  const std::string& name = run.kernels[kernel].name;
  EXPECT_EQ(diff.launches, run.kernels[kernel].user_launches());
  std::vector<Range> all;
  for (const Configuration& c : diff.configurations) {
    EXPECT_EQ(c.values.size(), diff.varying.size());
    uint64_t sites = 0;
    for (const CallSite& site : c.call_sites) sites += site.count;
    EXPECT_EQ(sites, c.count) << name;
    EXPECT_GT(c.count, 0u);
    all.insert(all.end(), c.launches.begin(), c.launches.end());
  }
  expect_cover(all, diff.launches, name + ": configurations");
  size_t grouped = 0;
  for (const LockStep& step : diff.lock_steps) grouped += step.paths.size();
  EXPECT_EQ(grouped, diff.varying.size());
  for (const FieldDiff& field : diff.fields) {
    EXPECT_LE(field.present, diff.launches);
    EXPECT_LE(field.aligned, field.present);
    uint64_t count = 0;
    for (const FieldValue& v : field.values) count += v.count;
    const bool pointer = run.paths[field.path].is_pointer;
    if (pointer) continue;
    EXPECT_EQ(count, field.present) << name << run.paths[field.path].dotted();
    EXPECT_EQ(field.distinct, field.values.size());
  }
}

inline void check_run(const Run& run) {
  uint64_t of_classes = 0, of_kernels = 0, of_processes = 0;
  std::vector<std::vector<Range>> positions(run.kernels.size());
  for (const LaunchClass& c : run.classes) {
    if (!c.valid) continue;
    of_classes += c.count;
    ASSERT_LT(c.group, run.groups.size());
    const LaunchGroup& group = run.groups[c.group];
    ASSERT_LT(group.kernel, run.kernels.size());
    EXPECT_EQ(c.positions.empty(), !is_user(c.kind));
    for (Range r : c.positions) {
      positions[group.kernel].push_back(
          {r.start + group.position_offset, r.end + group.position_offset});
    }
    for (const Part& part : c.parts) {
      ASSERT_LT(part.path, run.paths.size());
      ASSERT_LT(part.content, run.contents.size());
    }
  }
  for (const Process& p : run.processes) of_processes += p.launches;
  for (Id k = 0; k < run.kernels.size(); ++k) {
    const Kernel& kernel = run.kernels[k];
    of_kernels += kernel.user_launches() + kernel.other_launches();
    expect_cover(positions[k], kernel.user_launches(), kernel.name + ": positions");
    std::array<uint64_t, kLaunchKinds> kinds{};
    for (Id g : kernel.groups) {
      EXPECT_EQ(run.groups[g].kernel, k);
      for (size_t i = 0; i < kLaunchKinds; ++i) kinds[i] += run.groups[g].launches[i];
      for (const auto& [path, stats] : run.groups[g].pointers) {
        EXPECT_TRUE(run.paths[path].is_pointer);
        EXPECT_LE(stats.distinct, stats.count);
        EXPECT_LE(stats.aligned, stats.count);
      }
    }
    EXPECT_EQ(kinds, kernel.launches) << kernel.name;
    for (Id c : kernel.candidates) EXPECT_LT(c, run.kernels.size());
    check_launch_diff(run, k);
  }
  EXPECT_EQ(of_classes, run.launches);
  EXPECT_EQ(of_kernels, run.launches);
  EXPECT_EQ(of_processes, run.launches);
  for (const AutotuneSession& session : run.sessions) {
    for (const AutotuneConfig& config : session.configs) {
      EXPECT_TRUE(config.kernel == kNone || config.kernel < run.kernels.size());
    }
  }
  for (const Stack& stack : run.stacks) {
    EXPECT_TRUE(stack.session == kNone || stack.session < run.sessions.size());
    EXPECT_TRUE(stack.call_site == kNone || stack.call_site < run.frames.size());
  }
}

inline Run read_paths(const std::vector<std::string>& arguments, const ReadOptions& options = {},
                      std::vector<Observer*> observers = {}) {
  Diagnostics diagnostics;
  const auto found = io::find_inputs(arguments, diagnostics);
  EXPECT_TRUE(found) << (found ? "" : found.error().message);
  if (!found) return {};
  Witness witness;
  observers.push_back(&witness);
  auto run = read(io::group_by_rank(*found, true, diagnostics), options, observers);
  EXPECT_TRUE(run) << (run ? "" : run.error().message);
  if (!run) return {};
  run->diagnostics.merge(diagnostics);
  witness.check(*run);
  check_run(*run);
  return std::move(*run);
}

struct TextFile {
  std::string name;
  std::string bytes;
};

inline constexpr const char* kTraceName =
    "dedicated_log_triton_trace_u_rank_none_pid_7_host_h_.ndjson";

inline Run read_files(const std::vector<TextFile>& files, const ReadOptions& options = {},
                      std::vector<Observer*> observers = {}) {
  const TempFolder folder;
  for (const TextFile& file : files) write_bytes(folder.path() / file.name, file.bytes);
  return read_paths({folder.path().string()}, options, std::move(observers));
}

inline Run read_text(const std::string& text, const ReadOptions& options = {}) {
  return read_files({{kTraceName, text}}, options);
}

inline std::string committed(const std::string& path) {
  return std::string(KS_SOURCE_DIR) + "/tests/data/" + path;
}

// Empty where the folder beside the repository is not there.
inline std::string shared_data(const std::string& path) {
  const std::string full = std::string(KS_SOURCE_DIR) + "/../shared/data/" + path;
  return std::filesystem::exists(full) ? full : std::string();
}

// Records. `fields` are further members: "\"grid\":[1]".
inline std::string launch_line(const std::string& fields, const std::string& hash = "h",
                               const std::string& name = "k", int second = 0) {
  return fmt::format(
      R"({{"event_type":"launch","pid":7,"name":"{}","compilation_metadata":{{"hash":"{}"}}{}{},)"
      R"("timestamp":"2026-01-01T00:00:{:02}.%fZ"}})"
      "\n",
      name, hash, fields.empty() ? "" : ",", fields, second);
}

inline std::string launch_with_args(const std::string& arguments, const std::string& more = "") {
  return launch_line(R"("extracted_args":{)" + arguments + "}" + (more.empty() ? "" : "," + more));
}

// As Inductor's default trace has it: neither metadata nor arguments.
inline std::string bare_launch(const std::string& name, const std::string& function) {
  return fmt::format(
      R"({{"event_type":"launch","pid":7,"name":"{}","function":{},"stream":0,"stack":[],)"
      R"("timestamp":"2026-01-01T00:00:00.%fZ"}})"
      "\n",
      name, function);
}

inline std::string compilation_line(const std::string& hash, const std::string& name = "k",
                                    const std::string& payload = "") {
  return fmt::format(
      R"({{"event_type":"compilation","pid":7,"stack":[],"timestamp":"2026-01-01T00:00:00.%fZ",)"
      R"("payload":{{"metadata":{{"hash":"{}","name":"{}"}},"file_path":{{}},"file_content":{{}}{}{}}}}})"
      "\n",
      hash, name, payload.empty() ? "" : ",", payload);
}

inline Id kernel_with_hash(const Run& run, std::string_view hash) {
  for (Id k = 0; k < run.kernels.size(); ++k) {
    if (run.kernels[k].hash == hash) return k;
  }
  ADD_FAILURE() << "no kernel " << hash;
  return 0;
}

inline std::array<uint64_t, kLaunchKinds> launch_kinds(const Run& run) {
  std::array<uint64_t, kLaunchKinds> sum{};
  for (const Kernel& kernel : run.kernels) {
    for (size_t i = 0; i < kLaunchKinds; ++i) sum[i] += kernel.launches[i];
  }
  return sum;
}

}  // namespace ks::run::testing
