# ccache and mold when they are there (neither is needed), and the sanitizers for the whole tree.
find_program(KS_CCACHE ccache)
if(KS_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness is what ccache asks for before it works with precompiled headers.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime ${KS_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

find_program(KS_MOLD mold)
if(KS_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

if(KS_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  message(FATAL_ERROR "KS_FUZZ needs clang: use `./run fuzz` or the preset `fuzz`.")
endif()

if(KS_SANITIZE)
  # A finding ends the process, so that ctest sees it; UBSan would only print.
  add_compile_options(-fsanitize=${KS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${KS_SANITIZE})
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()
if(KS_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
