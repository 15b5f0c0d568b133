#pragma once
// The values that were compiled into a kernel: tl.constexpr parameters (BLOCK sizes), arguments
// that Triton specialised on, and constants in the body, which is where Inductor's templates have
// theirs.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/table.h"
#include "store/kernel_queries.h"

namespace ks::report {

using Constants = std::vector<std::pair<std::string, std::string>>;  // name, value as text
using KernelConstants = std::map<uint64_t, Constants>;               // by kernel id

// `metadata` has the values by position ("src_constants"), the Python text the names. A value whose
// name is not found is "#7". Linear; any text may come in.
Constants constants_of(std::string_view kernel, std::string_view metadata, std::string_view python);

KernelConstants constants_of(const std::vector<store::KernelText>& texts);

// Names of the constants that do not have one value in all of `kernels`, in order of first sight.
std::vector<std::string> differing_constants(const KernelConstants& constants,
                                             const std::vector<uint64_t>& kernels);

// A column for such a constant; its values may be shortened, its name hardly.
Column constant_column(const std::string& name, int priority);

// Empty where the kernel has no such constant.
std::string constant_value(const KernelConstants& constants, uint64_t kernel,
                           const std::string& name);

}  // namespace ks::report
