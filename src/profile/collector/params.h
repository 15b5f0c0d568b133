#pragma once
// CUPTI's calls take one struct that begins with its own size.

#include <cstddef>

#define KS_CUPTI_PARAMS(type, name) \
  type name{};                      \
  name.structSize = type##_STRUCT_SIZE
