#pragma once
// Two result tables compared, kernel by kernel. Needs nothing but their columns, so tables of the
// script (ncu_duration_us) compare too.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inductor/metadata_table.h"

namespace ks::profile {

enum class Change { slower, faster, same, not_comparable, only_before, only_after };
std::string_view change_name(Change change);

struct DiffRow {
  Change change = Change::same;
  std::string kernel, category, source_hash;  // of the table after, where it is there
  std::string matched_by;                     // source hash; name, category and shape
  std::optional<double> before_us, after_us;
  std::optional<double> delta_us;  // after - before: below zero is gained
  std::optional<double> before_bytes, after_bytes;
  std::string why;  // not comparable: what differs; else what else changed (bytes, spills, config)
};

struct TableDiff {
  std::vector<DiffRow> rows;  // the largest change first, then the rest in order of the tables
  size_t slower = 0, faster = 0, same = 0, not_comparable = 0, only_before = 0, only_after = 0;
  double before_us = 0, after_us = 0;  // sums over the kernels that compare
};

struct NoiseGate {
  // Three runs of 47 kernels on an H200 at free clocks: 92 of 94 pairs are within one of the two.
  double share = 0.05;
  double least_us = 0.35;
};

TableDiff diff_tables(const inductor::MetadataTable& before, const inductor::MetadataTable& after,
                      const NoiseGate& noise);

std::string diff_csv(const TableDiff& diff);
std::string diff_json(const TableDiff& diff);
std::string diff_text(const TableDiff& diff, size_t limit, size_t width);

}  // namespace ks::profile
