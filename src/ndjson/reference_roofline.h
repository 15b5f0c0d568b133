#pragma once
// The `roofline` event's object as tritonparse 4e5fbc4 computes it: static bytes and FLOPs of one
// CTA from the TTIR, times each launch's grid. Its gaps are kept (loops count once, scalar loads
// make the kernel null); ours is ir::facts_from_ttir.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ndjson/reference_stages.h"

namespace ks::ndjson {

// An argument of `extracted_args` whose numel and element_size are both integers.
struct TensorArg {
  std::string_view name;
  int64_t numel = 0, element_size = 0;
};

struct LaunchForRoofline {
  uint64_t launch_index = 0;  // position among all launches of the rank
  uint64_t occurrence_id = 0;
  std::string_view grid_json;  // the list's JSON text as it is to be written; empty: no list
  std::optional<std::vector<int64_t>> grid;  // empty: no list, or an element that is no integer
  std::span<const TensorArg> tensors;
};

// What does not depend on the launch.
struct CtaCost {
  bool is_gemm = false;
  std::optional<uint64_t> load_bytes, store_bytes;  // both or none
  std::optional<uint64_t> flops;
  std::vector<std::string> notes;
};
CtaCost reference_cta_cost(std::string_view ttir);

// The entry of one launch in `per_launch`, appended to `out`. To write launches as they stream by.
void append_roofline_launch(std::string& out, const CtaCost& cost, const LaunchForRoofline& launch);

// The object, given the text of the `per_launch` list. Empty if no event is to be made.
std::string roofline_json(const CtaCost& cost, std::string_view per_launch_json);

// Whether the kernel has a roofline event at all; the TTIR it is made from. It also needs at least
// one launch.
std::optional<std::string_view> roofline_ttir(const ReferenceInput& input);

// All of it at once; empty text: no event.
std::string reference_roofline(const ReferenceInput& input,
                               std::span<const LaunchForRoofline> launches);

}  // namespace ks::ndjson
