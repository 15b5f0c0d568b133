#pragma once
// Names of kernels as rows, reports and progress lines have them.

#include <string_view>

namespace ks::profile {

// The identifier in a demangled name: "void ns::f<int>(float*)" is "f"; a plain name is itself.
std::string_view bare_kernel_name(std::string_view reported);

// "triton_" for "triton__0d1d2de": without the signature that Triton put behind the name until 2.1.
std::string_view without_signature(std::string_view name);

// Whether a report's name is the wanted kernel: equal; demangled with arguments; cut and ended by
// "..."; or with a signature.
bool same_kernel(std::string_view wanted, std::string_view reported);

}  // namespace ks::profile
