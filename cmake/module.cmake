# ks_module(NAME SOURCES ... DEPS ... LIBS ... TESTS ...)
#   One folder of src/ is one static library ks_NAME and, with KS_TESTS, one test binary NAME_test.
#   DEPS are other modules (public), LIBS third-party targets (private to the folder).
#   Tests carry the folder's name as a label, NAME-threads where the folder starts threads.
function(ks_module name)
  cmake_parse_arguments(M "" "" "SOURCES;DEPS;LIBS;PUBLIC_LIBS;TESTS;TEST_LIBS" ${ARGN})
  set(target ks_${name})
  list(TRANSFORM M_DEPS PREPEND ks_)
  add_library(${target} STATIC ${M_SOURCES})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/generated)
  target_link_libraries(${target} PUBLIC ${M_DEPS} ${M_PUBLIC_LIBS} PRIVATE ${M_LIBS})
  ks_compile_options(${target})
  if(KS_TESTS AND M_TESTS)
    ks_module_test(${name} "${M_TESTS}" "${M_TEST_LIBS}" "${M_SOURCES}")
  endif()
endfunction()

function(ks_module_test name tests libs sources)
  add_executable(${name}_test ${tests})
  target_link_libraries(${name}_test PRIVATE ks_${name} ${libs} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name}_test PRIVATE KS_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  ks_compile_options(${name}_test)
  set(labels ${name})
  ks_starts_threads(threads ${sources} ${tests})
  if(threads)
    # One label, as gtest_discover_tests cannot pass a list of them; `ctest -L threads` finds it.
    string(APPEND labels -threads)
    set_property(GLOBAL APPEND PROPERTY KS_THREAD_TESTS ${name}_test)
  endif()
  gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${labels} TIMEOUT 300)
endfunction()

# Sets OUT to whether one of the files includes <thread> or the pipeline, which is what TSan runs are for.
function(ks_starts_threads out)
  set(${out} OFF PARENT_SCOPE)
  foreach(file ${ARGN})
    get_filename_component(path ${file} ABSOLUTE)
    if(NOT EXISTS ${path})
      continue()  # CMake names what is missing, and better
    endif()
    file(STRINGS ${path} hits REGEX "^#include (<thread>|\"base/ordered_pipeline.h\")")
    if(hits)
      set(${out} ON PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# ks_executable(NAME SOURCES ... DEPS ... LIBS ...): a program at the top of the build folder.
function(ks_executable name)
  cmake_parse_arguments(E "" "" "SOURCES;DEPS;LIBS" ${ARGN})
  list(TRANSFORM E_DEPS PREPEND ks_)
  add_executable(${name} ${E_SOURCES})
  target_link_libraries(${name} PRIVATE ${E_DEPS} ${E_LIBS})
  # lib: what `./run gpu-kit` puts beside the binary.
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} BUILD_RPATH "$ORIGIN/lib")
  ks_compile_options(${name})
  if(KS_BUNDLE_DUCKDB)
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/libduckdb.so
      COMMAND ${CMAKE_COMMAND} -E copy_if_different ${KS_DUCKDB_LIBRARY} ${CMAKE_BINARY_DIR}/libduckdb.so
      DEPENDS ${KS_DUCKDB_LIBRARY})
    add_custom_target(${name}_duckdb ALL DEPENDS ${CMAKE_BINARY_DIR}/libduckdb.so)
  endif()
endfunction()

function(ks_compile_options target)
  ks_precompile(${target})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
    # GCC 12 sees overlaps and overflows in std::string that are not there (its bug 105651 and kin).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow>
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-stringop-overread>)
  if(KS_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
