#!/usr/bin/env bash
# check_format.sh [CLANG_FORMAT]: fails and names each C++ file, with its first place, that is not as .clang-format says.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
files=$(find src tests -regextype posix-extended -regex '.*\.(cc|h|cu)' | sort)
wrong=$(xargs "${1:-clang-format-19}" --dry-run <<<"$files" 2>&1 | grep -F '[-Wclang-format-violations]' | sort -t: -u -k1,1 || true)
[[ -z $wrong ]] && exit 0
cut -d: -f1,2 <<<"$wrong"
echo "./run format mends this"
exit 1
