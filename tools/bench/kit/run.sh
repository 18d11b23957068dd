#!/bin/sh
# Compiles the host program and runs the kit's cases; options are the program's (--help). Results: results.csv.
set -eu
cd "$(dirname "$0")"
for compiler in ${CC:-} cc gcc clang hipcc /opt/rocm/bin/hipcc /opt/rocm/llvm/bin/clang; do
  command -v "$compiler" >/dev/null 2>&1 || continue
  "$compiler" -O2 -o bench bench.c -ldl -lm
  exec ./bench "$@"
done
echo "run.sh: no C compiler, looked for cc gcc clang hipcc" >&2
exit 3
