#!/usr/bin/env bash
# demo.sh BINARY: what a first look at a trace shows, on one of the bundled traces. Called by `./run demo`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
binary=$1
run_folder=build/demo.kscope

# Shows a command as a user would type it, then runs it.
try() {
  printf '\n$ kernelscope %s\n' "$*"
  "$binary" "$@"
}

try parse tests/data/traces/triton -o "$run_folder" --overwrite
try ls "$run_folder"
try show "$run_folder" matmul_kernel --diff
try show "$run_folder" matmul_kernel --stage ttgir

cat <<EOF

The run is in $run_folder. Next:
  export PATH="\$PWD/build/release:\$PATH"
  kernelscope show $run_folder softmax_kernel --launches
  kernelscope query $run_folder "select * from kernels limit 5"
  kernelscope parse YOUR_TRACE_FOLDER -o my.kscope
EOF
