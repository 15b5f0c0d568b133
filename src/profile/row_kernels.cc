#include "profile/row_kernels.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <unordered_map>

#include "profile/file_text.h"
#include "profile/parallel.h"

namespace ks::profile {
namespace {

namespace fs = std::filesystem;
using inductor::Kernel;

constexpr size_t kFileLimit = 64u << 20;

struct LoadedFile {
  std::string path;     // that was opened
  std::string problem;  // empty: read
  std::vector<Kernel> kernels;
};

std::optional<double> number(std::string_view cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (cell.empty() || error != std::errc() || end != cell.data() + cell.size()) return std::nullopt;
  return value;
}

std::optional<double> positive(std::string_view cell) {
  const std::optional<double> value = number(cell);
  return value && *value > 0 ? value : std::nullopt;
}

// Stem to path of every .py file below a folder; of two with one stem the first in sorted order.
std::unordered_map<std::string, std::string> files_by_stem(const std::string& root) {
  std::vector<std::string> paths;
  std::error_code error;
  const auto skip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator it(root, skip, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".py") paths.push_back(it->path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::unordered_map<std::string, std::string> found;
  for (const std::string& path : paths) found.emplace(path_stem(path), path);
  return found;
}

LoadedFile load(const std::string& path) {
  LoadedFile file{path, "", {}};
  const Result<std::string> text = read_text_file(path, kFileLimit);
  if (!text) {
    file.problem = text.error().message;
  } else {
    file.kernels = inductor::read_kernels(*text, path);
    if (file.kernels.empty()) file.problem = path + ": holds no Inductor kernel";
  }
  return file;
}

std::vector<LoadedFile> load_all(const std::vector<std::string>& paths, unsigned threads) {
  std::vector<LoadedFile> files(paths.size());
  for_each_index(paths.size(), threads, [&](size_t i) { files[i] = load(paths[i]); });
  return files;
}

const Kernel* kernel_of(const LoadedFile& file, std::string_view name) {
  for (const Kernel& kernel : file.kernels) {
    if (kernel.name == name) return &kernel;
  }
  // Without unique names the table says triton_poi_... and the file triton_, or the other way.
  return file.kernels.size() == 1 ? &file.kernels.front() : nullptr;
}

void block(RowKernel& row, Status status, std::string reason) {
  row.blocked = status;
  row.reason = std::move(reason);
}

void take_kernel(RowKernel& row, const Kernel& kernel) {
  row.kernel = kernel.name;
  row.source_hash = kernel.source_hash;
  if (row.category.empty() || row.category == "unknown") row.category = kernel.category;
  if (kernel.num_gb && *kernel.num_gb > 0) row.needs.bytes = *kernel.num_gb * 1e9;
  if (kernel.num_gb) row.needs.bytes_from_csv = false;
  if (kernel.flop) row.needs.flop = kernel.flop;
  if (!kernel.has_harness)
    block(row, Status::no_harness, std::string(status_text(Status::no_harness)));
}

RowKernel row_alone(const inductor::MetadataTable& table, size_t r) {
  RowKernel row;
  row.kernel = table.cell(r, "kernel_name");
  row.category = table.cell(r, "kernel_category");
  row.named_path = table.cell(r, "kernel_path");
  row.source_hash = table.cell(r, "source_hash");
  const auto exact = positive(table.cell(r, "kernel_num_gb"));
  const auto upstream = positive(table.cell(r, "kernel_args_num_gb"));
  if (exact || upstream) row.needs.bytes = *(exact ? exact : upstream) * 1e9;
  row.needs.bytes_from_csv = !exact && upstream;
  row.needs.flop = positive(table.cell(r, "kernel_flop"));
  return row;
}

void take_file(RowKernel& row, const LoadedFile& file) {
  if (!file.problem.empty()) return block(row, Status::no_file, file.problem);
  const Kernel* kernel = kernel_of(file, row.kernel);
  if (!kernel) {
    return block(row, Status::no_file, fmt::format("{}: holds no {}", file.path, row.kernel));
  }
  row.path = file.path;
  take_kernel(row, *kernel);
}

bool lies_in(const fs::path& path, const std::string& input) {
  const fs::path inside = path.lexically_normal(), folder = fs::path(input).lexically_normal();
  const auto [a, b] = std::mismatch(folder.begin(), folder.end(), inside.begin(), inside.end());
  // "x/" ends in an empty part.
  return a == folder.end() || (a->empty() && std::next(a) == folder.end());
}

bool may_open(const Kernel& kernel, const std::vector<std::string>& inputs) {
  if (kernel.wrapper.empty()) return true;
  if (kernel.path.empty() || kernel.path == kernel.wrapper) return false;
  const bool ours = std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) {
    return lies_in(kernel.path, input);
  });
  struct stat about{};
  return ours && stat(kernel.path.c_str(), &about) == 0 && S_ISREG(about.st_mode);
}

}  // namespace

std::string_view path_stem(std::string_view path) {
  path.remove_prefix(path.find_last_of("/\\") + 1);  // npos + 1 is 0
  const size_t dot = path.rfind('.');
  return dot == path.npos || dot == 0 ? path : path.substr(0, dot);
}

std::vector<RowKernel> load_rows(const inductor::MetadataTable& table, const LoadOptions& options) {
  std::vector<RowKernel> rows;
  std::unordered_map<std::string, size_t> index;
  std::vector<std::string> paths;
  std::vector<size_t> file_of_row;
  const auto by_stem = options.kernel_root.empty() ? decltype(files_by_stem("")){}
                                                   : files_by_stem(options.kernel_root);
  for (size_t r = 0; r < table.rows.size(); ++r) {
    rows.push_back(row_alone(table, r));
    const auto moved = by_stem.find(std::string(path_stem(rows.back().named_path)));
    const std::string& path = moved == by_stem.end() ? rows.back().named_path : moved->second;
    const auto [entry, is_new] = index.emplace(path, paths.size());
    if (is_new) paths.push_back(path);
    file_of_row.push_back(entry->second);
  }
  if (!options.read_files) return rows;
  const std::vector<LoadedFile> files = load_all(paths, options.threads);
  for (size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].named_path.empty()) {
      block(rows[r], Status::no_file, "the row has no kernel_path");
    } else {
      take_file(rows[r], files[file_of_row[r]]);
    }
  }
  return rows;
}

std::vector<RowKernel> rows_of_scan(const std::vector<Kernel>& kernels,
                                    const std::vector<std::string>& inputs) {
  std::vector<RowKernel> rows;
  for (const Kernel& kernel : kernels) {
    RowKernel row;
    row.named_path = kernel.path;
    take_kernel(row, kernel);
    if (may_open(kernel, inputs)) {
      row.path = kernel.path;
    } else {
      row.source = kernel.source;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace ks::profile
