// Any text as a kernel file, a wrapper, a literal and a metadata table. Whatever the bytes, what is
// read out of a text is part of it, and a table is a rectangle.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "inductor/best_config.h"
#include "inductor/kernel_json.h"
#include "inductor/metadata_table.h"
#include "inductor/py_literal.h"

namespace {

using namespace ks::inductor;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_table(std::string_view text) {
  const auto table = read_metadata(text);
  if (!table) return;
  for (const auto& row : table->rows) require(row.size() == table->columns.size());
  const auto again = read_metadata(metadata_csv(*table));
  require(again.has_value() && again->columns == table->columns);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<Kernel> kernels = read_kernels(text, "fuzz.py");
  for (const Kernel& kernel : kernels) {
    require(!kernel.name.empty() && kernel.source_hash.size() == 32);
    require(upstream_cells(kernel).size() == 15);
  }
  kernels_json(kernels, "");
  require(read_py_value(text).source.size() <= size);
  best_config_text(text);
  check_table(text);
  return 0;
}
