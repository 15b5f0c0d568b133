#!/usr/bin/env bash
# Packs what a GPU machine needs that reaches no registry: gpu_kit.sh BUILD_FOLDER OUTPUT_FOLDER
# OUTPUT_FOLDER and OUTPUT_FOLDER.tar.gz: the binary with its libraries (no database: CSV and JSON only), the collector,
# tests and measurements that need only python3, and the kernel files that they read.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$1 kit=$2
limit=$((40 << 20))

[[ -f $build/libkernelscope_collector.so ]] || {
  echo "gpu_kit: $build has no collector; ./run deps fetches the headers it is built with" >&2
  exit 2
}
rm -rf "$kit" "$kit.tar.gz"
mkdir -p "$kit/lib" "$kit/tests/data"
cp "$build/kernelscope" "$build/libkernelscope_collector.so" "$kit"
# libc and the like are the machine's own; libstdc++ is at least as new there (Debian 12 has GCC 12).
ldd "$build/kernelscope" | awk '$3 ~ /^\// {print $3}' |
  grep -vE '/(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)\.so' | xargs -I{} cp -L {} "$kit/lib"
cp -r tests/gpu "$kit/tests/gpu"
cp -r bench/gpu "$kit/bench"
cp -r tests/data/inductor "$kit/tests/data/inductor"
git describe --always --dirty >"$kit/commit"
tar -czf "$kit.tar.gz" -C "$(dirname "$kit")" "$(basename "$kit")"
size=$(stat -c %s "$kit.tar.gz")
((size < limit)) || {
  echo "gpu_kit: $kit.tar.gz has $size bytes; the limit is $limit" >&2
  exit 1
}
echo "$kit.tar.gz: $((size >> 10)) kB"
