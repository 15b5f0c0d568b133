#pragma once
// One Inductor kernel, read from its source text alone: no Python, no torch, nothing is run.
// Generations and traps: docs/inductor.md.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ks::inductor {

struct Kernel {
  std::string name;         // of the jit function; "triton_" where names are not unique
  std::string unique_name;  // then: what the wrapper or inductor_meta calls it, if they say
  std::string path;         // the file it was read from, or that a wrapper names; as written there
  std::string wrapper;      // the wrapper it was found in; empty: only in a file of its own
  std::string source;       // text of the kernel's module
  std::string source_hash;  // 32 hex digits, from the text without trailing blanks: the same kernel
                            // in its own file and in a wrapper has one hash
  bool has_harness = false;  // get_args and call are there (TORCHINDUCTOR_BENCHMARK_KERNEL=1)

  std::string category;    // decorator: pointwise, reduction, ..., template, foreach, user_autotune
  std::string size_hints;  // as written: {'x': 1024, 'r0_': 128} or [1024, 128]
  std::string reduction_hint;             // DEFAULT, INNER, ...
  std::map<std::string, int64_t> numels;  // xnumel, ynumel, r0_numel, ... where they are literals
  std::optional<double> num_gb;           // kernel_num_gb with its exponent: bytes / 1e9
  std::optional<double> flop;             // kernel_flop; 0 in the file means unknown: nothing here
  std::optional<int64_t> num_load, num_store, num_reduction;  // inductor_meta
  int64_t num_args = 0;   // parameters of the function that are not constexpr
  std::string grid_type;  // Grid1D, ...
  std::vector<std::string> mutated_args;
  std::optional<int64_t> num_configs;  // where the file lists them (fixed, user, template: 1)
  std::string best_config;             // text of the .best_config beside the file; empty: none
  std::vector<std::string> aten_ops;   // Original ATen of the wrapper's comment
  std::vector<std::string> source_nodes;
};

// All kernels of one file: of a kernel file one, of a wrapper (output_code) each that it holds, of
// any other text none.
std::vector<Kernel> read_kernels(std::string_view text, std::string_view path);

}  // namespace ks::inductor
