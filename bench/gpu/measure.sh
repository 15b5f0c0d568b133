#!/usr/bin/env bash
# All measurements on a GPU machine, in under 10 minutes: measure.sh KIT WORK OUT [PART...]
# KIT: made by `./run gpu-kit`. WORK: a scratch folder; kernels made there stay for a second call. OUT: results.
# PARTS: kernels workers sets agreement script gpus; without any: all but the last, which needs several GPUs
# KS_NCU_KERNELS: at most so many kernels under ncu, which takes 0.3 s for each
set -uo pipefail
kit=$(realpath "$1") work=$2 out=$(realpath "$3")
shift 3
(($#)) || set -- kernels workers sets agreement script
mkdir -p "$work" "$out"
work=$(realpath "$work")
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
export TORCHINDUCTOR_CACHE_DIR=$work/inductor TRITON_CACHE_DIR=$work/triton
export TORCHINDUCTOR_BENCHMARK_KERNEL=1 TORCHINDUCTOR_UNIQUE_KERNEL_NAMES=1 PYTHONUNBUFFERED=1
ks=$kit/kernelscope
caches=0

say() { printf '== %s\n' "$*" | tee -a "$out/summary.txt"; }
seconds() { date +%s.%N; }
# profile NAME ARGUMENT...: a fresh cache each time; NAME.csv and one line in the summary
profile() {
  local name=$1 began ended code
  shift
  began=$(seconds)
  "$ks" profile "$TORCHINDUCTOR_CACHE_DIR" --cache "$work/cache-$((++caches))" -o "$out/$name.csv" --overwrite "$@" \
    >"$out/$name.log" 2>&1
  code=$?
  ended=$(seconds)
  python3 - "$out/$name.csv" "$name" "$began" "$ended" "$code" <<'PY' | tee -a "$out/summary.txt"
import collections, csv, sys
path, name, began, ended, code = sys.argv[1:]
rows = list(csv.DictReader(open(path))) if code in "01" else []
wall = float(ended) - float(began)
counts = ", ".join(f"{n} {s}" for s, n in collections.Counter(r["status"] for r in rows).most_common())
print(f"{name}: exit {code}, {wall:.1f} s, {wall / max(len(rows), 1):.4f} s per kernel; {counts}")
PY
}

kernels() {
  local began=$SECONDS model
  for model in bert gpt2 llama resnet vit; do
    python3 "$here/make_kernels.py" "$model" >"$out/make_$model.log" 2>&1 &
  done
  wait
  tail -qn 1 "$out"/make_*.log | tee -a "$out/summary.txt"
  "$ks" inductor scan "$TORCHINDUCTOR_CACHE_DIR" -o "$out/kernels.csv" --overwrite 2>&1 | tail -n 3 | tee -a "$out/summary.txt"
  say "kernels made in $((SECONDS - began)) s"
}
workers() {
  local n
  profile cold  # what this process has to compile, and the winners that Inductor writes down
  profile warm
  for n in 1 2 4; do profile "workers_$n" --workers "$n"; done
}
sets() {
  profile sol --metrics sol
  profile flops --metrics flops
  profile latency --latency
  profile time --source time
}
agreement() {
  local i
  for i in 1 2 3; do
    profile "ours_$i"
    profile "ncu_$i" --source ncu --limit "${KS_NCU_KERNELS:-1000000}"
  done
  python3 "$here/agreement.py" "$out"/ours_[123].csv -- "$out"/ncu_[123].csv | tee -a "$out/summary.txt"
}
# The script's way: a process for each kernel, everything that ncu has.
script() {
  local began ended path
  mapfile -t paths < <(python3 -c 'import csv,sys; print(*[r["kernel_path"] for r in csv.DictReader(open(sys.argv[1])) if r["has_harness"] in ("true","True","1")][::40][:5], sep="\n")' "$out/kernels.csv")
  began=$(seconds)
  for path in "${paths[@]}"; do
    ncu --clock-control none -k regex:triton -c 1 --set full python3 "$path" >"$out/script_$(basename "$path" .py).ncu" 2>&1
  done
  ended=$(seconds)
  say "the script's way, ${#paths[@]} kernels: $(python3 -c "print(f'{($ended - $began) / ${#paths[@]}:.2f}')") s per kernel"
}
gpus() {
  profile gpus_cold
  profile one_gpu --gpus 0
  profile all_gpus
}

for part in "$@"; do "$part"; done
