#pragma once
// Stage texts with their source lines: one in full, or several side by side.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/style.h"
#include "store/kernel_queries.h"

namespace ks::report {

// The lines of a stage as people read them: indentation in spaces, locations and debug sections,
// which the margin shows better, taken away. None: the line is hidden.
std::vector<std::optional<std::string>> readable_lines(std::string_view stage,
                                                       std::string_view text);

// Lines of the stage text that belong to a line of the kernel's source file, in order.
std::vector<uint64_t> lines_of(const store::StageText& stage, const store::KernelSource& source,
                               int64_t source_line);

// The whole text; in the margin the line of the kernel's source, and where else the operation was
// written if it was inlined.
std::string stage_listing(const store::StageText& stage, const store::KernelSource& source,
                          const Style& style);

// Source lines that any of the stages has, in order.
std::vector<int64_t> source_lines(const std::vector<store::StageText>& stages,
                                  const store::KernelSource& source);

// What the stages have for each of the source lines. At most `limit` lines of each (0: all).
std::string side_by_side(const std::vector<store::StageText>& stages,
                         const store::KernelSource& source, const std::vector<int64_t>& lines,
                         uint64_t limit, const Style& style);

// Without `lines` whole texts, else the lines that belong to one of these source lines.
std::string stages_json(const store::KernelRow& kernel, const std::vector<store::StageText>& stages,
                        const store::KernelSource& source, const std::vector<int64_t>& lines);

}  // namespace ks::report
