# Building a preset, and the stages of `./run test`. Sourced by ./run.

jobs=${KS_JOBS:-$(nproc)}
stage_names=()
stage_results=()

# Configures build/PRESET where it is not yet, where the presets changed, or where the checkout was moved.
configure_preset() {
  local folder=build/$1 key
  key="$root $(sha256sum <CMakePresets.json) $(cat .deps/stamps/cuda 2>/dev/null || true)"
  if [[ -f $folder/build.ninja && -f $folder/configured && $(<"$folder/configured") == "$key" ]]; then return; fi
  local home
  home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$folder/CMakeCache.txt" 2>/dev/null || true)
  [[ -z $home || $home == "$root" ]] || rm -rf "$folder"
  say "configuring build/$1"
  mkdir -p "$folder"
  cmake --preset "$1" >"$folder/configure.log" 2>&1 || {
    tail -n 30 "$folder/configure.log" >&2
    return 1
  }
  echo "$key" >"$folder/configured"
}

# build_preset PRESET [TARGET]
build_preset() {
  configure_preset "$1" || return
  say "building build/$1 with $jobs jobs"
  cmake --build "build/$1" -j "$jobs" ${2:+--target "$2"} -- --quiet >&2
}

fuzz_targets() {
  local source
  for source in tests/fuzz/fuzz_*.cc; do
    [[ ! -f $source ]] || basename "$source" .cc
  done
}

# stage NAME COMMAND...: runs one stage, keeps its output in build/logs, and goes on whatever its result.
stage() {
  local name=$1 began=$SECONDS result=ok
  shift
  say "stage $name"
  mkdir -p build/logs
  # Not a plain `|| result=`: that would switch off `set -e` for all that the stage calls.
  set +e
  (set -e; "$@") > >(tee "build/logs/$name.log") 2>&1
  (($? == 0)) || result=FAILED
  wait $!
  set -e
  stage_names+=("$name")
  stage_results+=("$result, $((SECONDS - began)) s")
}

sanitizer_options() {
  export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
  export UBSAN_OPTIONS=print_stacktrace=1
  export TSAN_OPTIONS=suppressions=$root/tools/tsan.supp:halt_on_error=1:second_deadlock_stack=1
}

run_ctest() {
  local folder=$1
  shift
  sanitizer_options
  ctest --test-dir "build/$folder" -j "$jobs" --output-on-failure --no-tests=error "$@"
}

test_stage() {
  build_preset "$1" && run_ctest "$1"
}

# Without the two longest tests, a quarter of the stage's time: the same code runs on the smaller traces.
asan_stage() {
  build_preset asan && run_ctest asan -E 'gpt2_launches_without_metadata|TheSameBytesWhateverTheThreads'
}

# Only the folders that start threads are built and run.
tsan_stage() {
  build_preset tsan thread_tests && run_ctest tsan -L threads
}

fuzz_stage() {
  if [[ -z $(fuzz_targets) ]]; then
    echo "no fuzz targets"
    return
  fi
  build_preset fuzz fuzz_programs && run_ctest fuzz
}

skips_stage() {
  python3 tools/check_skips.py ${KS_REQUIRE_SHARED:+--require-shared} build/test/Testing/Temporary/LastTest.log
}

# The results of all stages, then the closing lines of the test runner: those of the first stage that failed, else those
# of the main one.
closing_lines() {
  local i shown=tests failed=()
  for i in "${!stage_names[@]}"; do
    [[ ${stage_results[i]} == ok* ]] || failed+=("${stage_names[i]}")
    printf '%-6s %-14s %s\n' "${stage_names[i]}" "${stage_results[i]}" \
      "$(grep -h 'tests passed' "build/logs/${stage_names[i]}.log" || true)"
  done
  ((${#failed[@]} == 0)) || shown=${failed[0]}
  echo
  sed -n '/tests passed,/,$p' "build/logs/$shown.log"
  ((${#failed[@]} == 0)) && return
  grep -q 'tests passed,' "build/logs/$shown.log" || tail -n 30 "build/logs/$shown.log"
  say "FAILED: ${failed[*]}; all of it is in build/logs"
  return 1
}
