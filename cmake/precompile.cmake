# The headers that nearly every file includes, parsed once instead of in each. Every file still
# includes what it uses; `./run lint` compiles without this. Off for clang, whose users are the fuzzers and the linter.
option(KS_PCH "Precompile common headers" ON)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(KS_PCH OFF)
endif()

if(KS_PCH)
  file(WRITE ${CMAKE_BINARY_DIR}/generated/precompiled.cc "// Compiled for its precompiled header only.\n")
  add_library(ks_precompiled OBJECT ${CMAKE_BINARY_DIR}/generated/precompiled.cc)
  target_link_libraries(ks_precompiled PRIVATE fmt::fmt tl::expected Threads::Threads)
  target_compile_options(ks_precompiled PRIVATE $<$<BOOL:${KS_CCACHE}>:-fpch-preprocess>)
  target_precompile_headers(ks_precompiled PRIVATE <algorithm> <array> <functional> <map> <memory> <optional> <span>
    <string> <string_view> <unordered_map> <variant> <vector> <fmt/format.h> <tl/expected.hpp>)
endif()

function(ks_precompile target)
  if(KS_PCH)
    target_precompile_headers(${target} REUSE_FROM ks_precompiled)
    target_compile_options(${target} PRIVATE $<$<BOOL:${KS_CCACHE}>:-fpch-preprocess>)
  endif()
endfunction()
