#!/usr/bin/env bash
# demo.sh BINARY: what a first look at a trace shows, on one of the bundled traces. Called by `./run demo`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
binary=$1
run_folder=demo.kscope
export COLUMNS=${COLUMNS:-100}

# Shows a command as a user would type it, then runs it.
try() {
  printf '\n$ kernelscope %s\n' "$*"
  "$binary" "$@"
}

try parse tests/data/traces/triton -o "$run_folder" --overwrite
try ls "$run_folder" --limit 12
try show "$run_folder" add_kernel --diff
try show "$run_folder" matmul_kernel --line 53 --stage ttir --stage ttgir --stage llir --stage ptx --limit 10

cat <<EOF

The run is in $PWD/$run_folder. Next:
  export PATH="$PWD/$(dirname "$binary"):\$PATH"
  kernelscope show $run_folder matmul_kernel
  kernelscope show $run_folder matmul_kernel --stage ttgir
  kernelscope query $run_folder
  kernelscope parse YOUR_TRACE_FOLDER -o my.kscope
EOF
