#!/usr/bin/env bash
# update_goldens.sh [CASE...]: builds the test preset and rewrites the expected output of the named cases, or of all.
# Read `git diff tests/cases` afterwards: every changed line is a changed behaviour.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cmake --preset test >/dev/null
cmake --build build/test --target kernelscope -- --quiet
(($#)) || set -- $(cd tests/cases && echo */)
exec python3 tests/run_cases.py --ks build/test/kernelscope --update "${@/#/tests/cases/}"
