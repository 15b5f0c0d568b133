#!/usr/bin/env bash
# fuzz_once.sh BINARY SECONDS [LIBFUZZER_OPTION...]
# Runs one fuzz target from its committed seeds. New inputs go to build/fuzz-work, never into the repository.
set -euo pipefail
binary=$1 seconds=$2
shift 2
name=$(basename "$binary")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$root/build/fuzz-work/$name
seeds=$root/tests/fuzz/corpus/$name
mkdir -p "$work/found" "$work/crashes"
corpora=("$work/found")
[[ -d $seeds ]] && corpora+=("$seeds")
# A parser that needs more than 10 s or 2 GB for an input of at most 64 kB is not linear.
exec "$binary" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
  -artifact_prefix="$work/crashes/" "$@" "${corpora[@]}"
