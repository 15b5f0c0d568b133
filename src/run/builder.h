#pragma once
// Events to a Run. One thread, in input order; whatever is per launch here is a few table look-ups.

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <span>

#include "run/interner.h"
#include "run/observer.h"
#include "trace/torch_trace.h"

namespace ks::run {

struct BuildOptions {
  FlattenRules flatten;
  unsigned max_depth = 1000;
  trace::KernelFrames kernel_frames;  // of torch traces, by the kernel's file
};

class Builder {
 public:
  Builder(BuildOptions options, std::span<Observer* const> observers);

  Run& run() { return run_; }

  Id add_process(const io::InputFile& file, std::optional<int> rank);
  Id add_file(const std::string& name, Id process);
  Result<> compilation(Id process, DigestedCompilation c);
  Result<> autotune(Id process, const trace::Autotune& event, size_t index);
  // `block` is the one that the launch points into; `name` its file, for messages.
  Result<> launch(Id process, const trace::DecodedBlock& block, const trace::Record& record,
                  size_t index, std::string_view name);
  // Settles what needs the whole input: launches without a hash, stand-ins, kinds, counts.
  Run finish();

 private:
  // Pointers are multiples of their alignment, and the table takes the low bits as they are.
  struct PointerHash {
    size_t operator()(uint64_t pointer) const { return (pointer * 0x9E3779B97F4A7C15) >> 20; }
  };
  using PointerSet = tsl::robin_set<uint64_t, PointerHash>;

  Id kernel_by_hash(const std::string& hash);
  Id new_class(Id process, const trace::DecodedBlock& block, const trace::Launch& launch,
               const std::string& where);
  bool add_field(LaunchClass& c, const trace::Field& field, struct GroupKey& key,
                 const std::string& where);
  void add_arguments(LaunchClass& c, const trace::Field& field, const trace::Value& value,
                     const std::string& where);
  Id group_of(Id process, const struct GroupKey& key, const std::string& where);
  struct PointerSlot {
    PointerStats* stats;  // nodes of maps: they stay where they are
    PointerSet* seen;
  };
  void count_pointers(Id id, std::span<const uint64_t> pointers);
  std::vector<PointerSlot> pointer_slots(const LaunchClass& c);
  std::optional<trace::FrameIds> frame_of(const trace::Compilation& c,
                                          bool& from_torch_trace) const;
  int64_t seconds(std::string_view timestamp);

  BuildOptions options_;
  std::vector<Observer*> observers_;
  Run run_;
  Interner interner_;
  trace::JsonReader reader_;
  tsl::robin_map<Hash128, Id, std::hash<Hash128>> classes_;
  std::unordered_map<std::string, Id> kernels_;  // by hash
  std::unordered_map<std::string, Id> groups_;
  std::unordered_map<Hash128, std::vector<Part>> arguments_;  // of a whole extracted_args text
  std::map<std::pair<Id, Id>, PointerSet> pointers_;          // group, path
  std::vector<std::vector<PointerSlot>> slots_;               // by class
  std::string last_timestamp_;
  int64_t last_seconds_ = 0;
};

// "2026-03-01T10:00:00..." to seconds since 1970, as if it were UTC; 0 if it is not of that form.
int64_t parse_seconds(std::string_view timestamp);

}  // namespace ks::run
