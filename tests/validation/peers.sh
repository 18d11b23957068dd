#!/usr/bin/env bash
# Makes the folder that wavesmith_validate takes as --peers: code objects of kernels of others, from checkouts of their
# sources. docs/reference/timing.md states what wavesmith_validate prints with it.
#   peers.sh OUT HIP CLR HIPKITTENS HIPBLASLT SGEMM WMMA
# HIP, CLR: ROCm/HIP and ROCm/clr of one version (headers); HIPKITTENS: HazyResearch/HipKittens at f09e9685, with its
# history; HIPBLASLT: ROCm/hipBLASLt at 7d9fb683; SGEMM: seb-v/fp32_sgemm_amd; WMMA: adelj88/rocm_wmma_gemm at ef1b647a.
# What is in OUT already is not made again. JOBS (2): compilers at once.
set -euo pipefail
mkdir -p "$1"
facts=$(dirname "$(realpath "$0")")/../facts
export out=$(realpath "$1") hip=$(realpath "$2") clr=$(realpath "$3") kittens=$(realpath "$4") tensile=$(realpath "$5") sgemm=$(realpath "$6") wmma=$(realpath "$7")
export tools=/usr/lib/llvm-22/bin device_library=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode
mkdir -p "$out"/{hipkittens,hipblaslt,sgemm,wmma,made/{include/hip,include/pyutils,bitcode}}
cd "$out/made"

# Debian's device library of ROCm 5.2 does not have these targets, nor clang 22 the choice of denormals that it needs.
ln -sf "$device_library"/* bitcode/
for isa in 950:9500 1100:11000 1151:11501; do
  "$tools/llvm-as" -o "bitcode/oclc_isa_version_${isa%:*}.bc" <<END
target triple = "amdgcn-amd-amdhsa"
@__oclc_ISA_version = linkonce_odr hidden addrspace(4) constant i32 ${isa#*:}, align 4
@__oclc_daz_opt = linkonce_odr hidden addrspace(4) constant i8 0, align 1
END
done
: >include/pyutils/pyutils.cuh    # the kernels' modules for Python are cut off
# The kernels with producers and consumers need the library as it was then.
[ -d roles ] || { mkdir roles && git -C "$kittens" archive 45387dda~1 include | tar x -C roles; }
printf '#define HIP_VERSION_MAJOR 6\n#define HIP_VERSION_MINOR 3\n#define HIP_VERSION_PATCH 0\n#define HIP_VERSION 60300000\n' \
  >include/hip/hip_version.h

# compile OUTPUT SOURCE TARGET LANES OPTIONS...
compile() {
  local to=$1 from=$2 target=$3 lanes=$4
  shift 4
  [ ! -f "$to" ] || return 0
  nice "$tools/clang++" -x hip --cuda-device-only --no-gpu-bundle-output --offload-arch="$target" -O3 -w -Wno-error -Wno-invalid-constexpr \
    -mcode-object-version=5 --rocm-path="$out/made" --rocm-device-lib-path="$out/made/bitcode" -nogpuinc \
    -include "$tools/../lib/clang/22/include/__clang_hip_runtime_wrapper.h" -D__HIP_PLATFORM_AMD__ -D__AMDGCN_WAVEFRONT_SIZE="$lanes" \
    -Iinclude -I"$hip/include" -I"$hip/include/hip" -I"$clr/hipamd/include" -I"$clr/hipamd/include/hip/amd_detail" "$@" "$from" -o "$to.part" 2>"$to.log" ||
    { printf '%s: %s\n' "$to" "$(grep -m1 error "$to.log")" >&2; return 1; }
  "$tools/llvm-readelf" -Ws "$to.part" | grep -q '\.kd$' || { printf '%s: no kernel in it\n' "$to" >&2; return 1; }
  mv "$to.part" "$to"
  rm "$to.log"
}

# A kernel of HipKittens: NAME SOURCE [sed script that sets its sizes] [compiler options]
kitten() {
  local source=made_$1.cpp library=$kittens
  [[ $2 != */producer_consumer/* ]] || library=roles
  sed -e '/PYBIND11_MODULE/,$d' -e "${3:-}" "$kittens/$2" >"$source"
  # The module for Python, which is cut off, is what asks for this template.
  ! grep -q attend_ker "$source" || echo 'template __global__ void attend_ker<ATTN_D>(const attn_globals<ATTN_D>);' >>"$source"
  compile "$out/hipkittens/$1.co" "$source" gfx950 64 -std=c++20 -DKITTENS_CDNA4 -I"$library/include" ${4:-}
}
gemm() {  # NAME SOURCE MxNxK [sed script]
  local m n k
  IFS=x read -r m n k <<<"$3"
  kitten "$1.$3" "$2" "s/^#define M .*/#define M $m/; s/^#define N .*/#define N $n/; s/^#define K .*/#define K $k/; ${4:-}"
}
# The orders of analysis/paper_experiments/grid_micro, whose library is not public, in today's kernel: each die has a
# part of the tiles, in bands of that many rows; 0: no parts, row by row.
order() {  # BAND SOURCE MxNxK
  local dies='(wgid % 8) * (NUM_WGS / 8) + wgid / 8' band=$1
  [ "$band" != 0 ] || dies=wgid band=1
  gemm "bf16_order_w$1" "$2" "$3" "s/WGM = .*/WGM = $band;/; s#wgid = chiplet.*#wgid = $dies;#"
}
attention() {  # FOLDER DIM HEADSxKV_HEADSxLENGTH SUFFIX
  local heads kv_heads length
  IFS=x read -r heads kv_heads length <<<"$3"
  kitten "attention${4:-}_d$2.$3" "kernels/attn/$1/kernel$([ "$2" != 64 ] || echo _d64).cpp" "" \
    "-DATTN_B=16 -DATTN_H=$heads -DATTN_H_KV=$kv_heads -DATTN_N=$length -DATTN_D=$2"
}
f32() {  # SOURCE [option]
  compile "$out/sgemm/kernel${1%%_*}.co" "$sgemm/src/kernel$1.cpp" gfx1100 32 -std=c++17 ${2:-}
}
# Sums and C are of TYPE; LAYOUT: r (row-major) or c of A, of B and of C.
rdna3() {  # TARGET TYPE LAYOUT WAVES_M WAVES_N TILES_M TILES_N SWIZZLE BITS
  local name=$1_$2_$3_$4x$5_$6x$7_$8_$9 order='m_layout::row_major m_layout::col_major' layout=() i
  for i in 2 0 1; do [ "${3:i:1}" = r ] && layout+=(${order% *}) || layout+=(${order#* }); done
  cat >"made_$name.cpp" <<END
#include <rocm_wmma_gemm/kernel/kernel.hpp>
using namespace rocm_wmma_gemm;
template struct rocm_wmma_gemm::kernel_gemm_impl<$2, half, ${layout[0]}, ${layout[1]}, ${layout[2]}, $4, $5, $6, $7, $8, $9, 1>;
END
  compile "$out/wmma/$name.co" "made_$name.cpp" "$1" 32 -std=c++20 -ffast-math -mcumode -I"$wmma/rocm_wmma_gemm/include"
}
assemble() {  # OUTPUT SOURCE TARGET
  [ -f "$out/$1" ] || "$tools/clang" -target amdgcn-amd-amdhsa -mcpu="$3" -x assembler "$2" -o "$out/$1"
}
export -f compile kitten gemm order attention assemble f32 rdna3

# The commands, one a line.
work() {
  local large=kernels/gemm/bf16fp32/mi350x small=analysis/bf16_gemm/mi350x/kernel_2048.cpp
  local roles=$large/micros/producer_consumer/32x16 s t w d causal heads length
  # The ablations.
  for s in 7680x8192x8192 9216x8192x8192 8192x8192x8192; do echo "gemm bf16_8wave_16x16 $large/256_256_64_32_with16x32.cpp $s"; done
  echo "gemm bf16_8wave_32x32 $large/256_256_64_32_with32x16.cpp 8192x8192x8192"
  for s in 7680x8192x8192 9216x8192x8192 3072x4096x4096 3072x3072x3072; do
    echo "gemm bf16_8c4p $roles/micro_02_2stage_8c4p.cpp $s"
    echo "gemm bf16_12c4p $roles/micro_04_2stage_12c4p.cpp $s"
  done
  for w in 0 2 4 8 32; do echo "order $w $large/256_256_64_32_with16x32.cpp 8192x8192x8192"; done
  for s in 1_naive 2_lds 3_registers 4_gmem_df "5_lds_optim -mcumode"; do echo "f32 $s"; done
  for s in 5:6_valu_optim_reference 6:6_valu_optim 7:7_unroll 8:8_batched_gmem; do
    echo "assemble sgemm/kernel${s%%:*}$([ ${s%%:*} != 5 ] || echo _published).co $sgemm/src/kernel${s#*:}.s gfx1100"
  done
  # hipBLASLt's kernels.
  for s in BBS_BH_Bias_AS_SAV:x64 F8BS_BH_BiasSB_AS_SABV_SAV:x128; do
    for t in 256x256%_MI16x16x1_SN_K1_MIWT4_16_DTVA 256x224%_MI16x16x1_SN_K1_MIWT4_14_DTVA; do
      t=Custom_Cijk_Alik_Bljk_${s%%:*}_UserArgs_MT${t/\%/${s#*:}}
      echo "assemble hipblaslt/$t.co $tensile/tensilelite/Tensile/CustomKernels/$t.s gfx942"
    done
  done
  # The competition.
  for s in 2048x2048x2048 4096x4096x4096 8192x8192x8192 16384x16384x16384 8192x6144x18432 16384x1280x8192; do
    echo "gemm bf16_gfx950_256x256 $large/256_256_64_32_with16x32.cpp $s"
    echo "gemm bf16_gfx950_128x128 $small $s"
  done
  # Those with published rates, C row-major; the order with the best of them also with sums in f32.
  awk -F, 'BEGIN { target["RX 7900 GRE"] = "gfx1100"; target["Radeon 8060S"] = "gfx1151" }
    $7 == "row" && $1 in target {
      of = " " substr($5, 1, 1) substr($6, 1, 1) "r " $8 " " $9 " " $10 " " $11 " " $12 " " $13
      print "rdna3 " target[$1] " half" of
      if (of ~ /^ crr/) print "rdna3 " target[$1] " float" of
    }' "$facts/rocm_wmma_gemm.csv" | sort -u
  for heads in 16x16 64x8; do
    for length in 1024 2048 4096 8192 16384; do
      for d in 64 128; do
        for causal in "" _causal; do echo "attention gqa$causal $d ${heads}x$length $causal"; done
      done
    done
  done
}
work | xargs -P "${JOBS:-2}" -d '\n' -I {} bash -c 'set -eu; {}'
