#pragma once
// The reference's reading of PTX, AMDGCN and SASS lines. Its gaps are kept: the first function
// only, no .file tables, no inline chains, `.loc ... inlined_at` taken for code.

#include "ndjson/stage_map.h"

namespace ks::ndjson {

enum class AsmDialect { ptx, amdgcn };

// A base name in a location comment is looked up among the files of the stages before, which are
// those in `files`; of several with one base name the first in sorted order is taken (the reference
// takes any, BUG 16). Linear in the size of the text.
void map_reference_asm(std::string_view text, AsmDialect dialect, FileTable& files, StageMap& map);

void map_reference_sass(std::string_view text, FileTable& files, StageMap& map);

}  // namespace ks::ndjson
