#pragma once
// What is known of each row's kernel before anything is measured.

#include <string>
#include <string_view>
#include <vector>

#include "inductor/metadata_table.h"
#include "profile/derive.h"
#include "profile/parallel.h"

namespace ks::profile {

struct RowKernel {
  std::string kernel, category;
  std::string path;         // to import; empty: the text below is all there is
  std::string named_path;   // as the row has it: logs are matched by its stem
  std::string source_hash;  // empty: not known
  std::string source;       // of a kernel that stands in a wrapper only
  KernelNeeds needs;
  Status blocked = Status::ok;  // no_file, no_harness: cannot be run here
  std::string reason;
};

struct LoadOptions {
  std::string kernel_root;  // folder to look for files by stem first; empty: none
  bool read_files = true;   // false: take the row's word for everything
  unsigned threads = kFileThreads;
};

// One for each row of a table that the user gave: its kernel_path is opened, each file once.
std::vector<RowKernel> load_rows(const inductor::MetadataTable& table, const LoadOptions& options);

// One for each kernel of a scan of `inputs`. A path that only a wrapper names is not opened, unless
// it lies in one of the inputs.
std::vector<RowKernel> rows_of_scan(const std::vector<inductor::Kernel>& kernels,
                                    const std::vector<std::string>& inputs);

// "cabc" of "/tmp/ab/cabc.py"
std::string_view path_stem(std::string_view path);

}  // namespace ks::profile
