// Any bytes as a trace: lines, decoding, and the run that they make. The first byte picks the
// sizes of block and depth limit. Whatever the bytes, each launch is in one class and each class's
// launches are numbered without gaps.

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "io/lines.h"
#include "run/builder.h"
#include "run/digest.h"
#include "run/launch_diff.h"

namespace {

using namespace ks;

void require(bool condition) {
  if (!condition) std::abort();
}

class Counter : public run::Observer {
 public:
  Result<> launch(const run::Run& run, const run::LaunchRow& row, std::span<const uint64_t>,
                  size_t) override {
    require(row.id == launches_++);
    require(row.launch_class < run.classes.size() && row.group < run.groups.size());
    return {};
  }
  uint64_t launches() const { return launches_; }

 private:
  uint64_t launches_ = 0;
};

void add_block(run::Builder& builder, run::Id process, trace::DecodedBlock& block, bool analyse) {
  for (size_t i = 0; i < block.records.size(); ++i) {
    trace::Event& event = block.records[i].event;
    if (std::holds_alternative<trace::Launch>(event)) {
      require(builder.launch(process, block, block.records[i], i, "f").has_value());
    } else if (const auto* autotune = std::get_if<trace::Autotune>(&event)) {
      require(builder.autotune(process, *autotune, i).has_value());
    } else {
      auto digested = run::digest(std::move(std::get<trace::Compilation>(event)), analyse, "f");
      digested.index = i;
      require(builder.compilation(process, std::move(digested)).has_value());
    }
  }
}

void check(const run::Run& run, uint64_t launches) {
  require(run.launches == launches);
  uint64_t of_kernels = 0;
  for (run::Id k = 0; k < run.kernels.size(); ++k) {
    const run::Kernel& kernel = run.kernels[k];
    of_kernels += kernel.user_launches() + kernel.other_launches();
    const run::LaunchDiff diff = run::launch_diff(run, k);
    require(diff.launches == kernel.user_launches());
    std::vector<run::Range> all;
    for (const run::Configuration& c : diff.configurations) {
      all.insert(all.end(), c.launches.begin(), c.launches.end());
    }
    all = run::union_of(std::move(all));
    require(diff.launches == 0
                ? all.empty()
                : all.size() == 1 && all[0].start == 0 && all[0].end + 1 == diff.launches);
  }
  require(of_kernels == launches);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  io::Limits limits{.max_line = 1U << 16, .max_member = 1U << 20, .max_expansion = 1000};
  limits.max_depth = 4U << (data[0] % 8);
  Diagnostics diagnostics;
  io::BlockReader reader(io::decoded(io::from_memory(bytes), limits, "f", diagnostics), "f", limits,
                         size_t{64} << (data[0] / 16));
  trace::Decoder decoder(limits.max_depth);
  Counter counter;
  run::Observer* const observers[] = {&counter};
  run::BuildOptions options;
  options.flatten.exact = (data[0] & 8) != 0;
  options.max_depth = limits.max_depth;
  run::Builder builder(options, observers);
  const run::Id process = builder.add_process({"f", "f", {}}, std::nullopt);
  builder.add_file("f", process);
  for (;;) {
    io::Block block;
    const Result<bool> more = reader.next(block);
    require(more.has_value());
    if (!*more) break;
    trace::DecodedBlock decoded = decoder.decode(std::move(block), "f", 1);
    add_block(builder, process, decoded, (data[0] & 1) != 0);
  }
  check(builder.finish(), counter.launches());
  return 0;
}
