#!/usr/bin/env bash
# Debian's GPU libraries on libwavesmith_hip, with the default checks: programs of this folder that call them, for each target.
# docs/guide/hip_programs.md has the results.
#   run.sh BUILD [TARGET ...]   BUILD has wavesmith_hip built; gfx908 and gfx90a, of which the libraries have code
# Needs librocsparse-dev (its library has 1.3 GB) and librocrand-dev.
set -euo pipefail
build=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- gfx908 gfx90a
out=$build/hip_libraries
mkdir -p "$out"
cd "$(dirname "$0")"
for library in rocsparse rocrand; do
  g++ -std=c++20 -O1 -D__HIP_PLATFORM_AMD__ "$library.cpp" -o "$out/$library" -l"$library" -lamdhip64
  for target; do
    printf '%s %s: ' "$library" "$target"
    LD_LIBRARY_PATH=$build/hip WAVESMITH_HIP_DEVICE=$target "$out/$library" >"$out/$library.$target.log" 2>&1 || true
    tail -n 1 "$out/$library.$target.log"
  done
done
