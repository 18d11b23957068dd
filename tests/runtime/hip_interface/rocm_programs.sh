#!/usr/bin/env bash
# Programs of others on libwavesmith_hip: ROCm's examples and HIP's own tests, compiled by clang 22 for gfx942 as their
# own build files say, ggml's HIP backend, rocWMMA's samples, VkFFT's kernels and HeCBench for any target that make_tree()
# names or Debian's library has, and run.
# docs/guide/hip_programs.md states what does not pass.
#   rocm_programs.sh BUILD HIP CLR examples FOLDER [HIP-Basic/saxpy/ ...]   ROCm/rocm-examples: each program once
#   rocm_programs.sh BUILD HIP CLR tests FOLDER [EventTest ...]             ROCm/hip-tests: each test case by itself
#   rocm_programs.sh BUILD HIP CLR ggml FOLDER [TARGET [ADD ...]]           ggml-org/ggml: test-backend-ops, each operation
#   rocm_programs.sh BUILD HIP CLR rocwmma FOLDER [TARGET ...]              ROCm/rocWMMA: its samples simple_*.cpp
#   rocm_programs.sh BUILD HIP CLR vkfft FOLDER [TARGET ...]                DTolm/VkFFT: transforms (libraries/vkfft.cpp)
#   rocm_programs.sh BUILD HIP CLR hecbench FOLDER [TARGET [NAME-hip ...]]  zjin-lcf/HeCBench: what checks itself
# BUILD has wavesmith_hip built. HIP and CLR are checkouts of ROCm/HIP and ROCm/clr of one version (the headers), FOLDER
# is one of what is run. Everything is compiled in BUILD/hip_programs, where it stays.
# The tests run with their own options for few iterations, random arguments and little memory (-I 1 -C 1 -A 4096 -M 1).
# SECONDS_EACH (40): processor seconds of a test case; its time may be four times as long. JOBS (2): compilers at once.
# EACH (1): of programs of HIP's tests that have more than 16 files each file of that many, of programs with more than 100
# cases each case. The math tests need Boost, VkFFT needs libfftw3-dev.
# INSTANCES: the files of ggml's template-instances/ that are compiled, which take longest; what needs another aborts.
set -euo pipefail
source=$(realpath "$(dirname "$0")/../../..")
build=$(realpath "$1") hip=$(realpath "$2") clr=$(realpath "$3") what=$4 folder=$(realpath "$5")
shift 5
out=$build/hip_programs rocm=$build/hip_programs/rocm limit=${SECONDS_EACH:-40} jobs=${JOBS:-2}
tools=/usr/lib/llvm-22/bin device_library=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode

# A tree as ROCm installs it.
make_tree() {
  mkdir -p "$rocm"/{bin,llvm,lib,share/hip,include,amdgcn/bitcode}
  cp -r "$hip/include/." "$clr/hipamd/include/." "$rocm/include/"
  ln -s "$tools" "$rocm/llvm/bin"
  ln -s "$device_library"/* "$rocm/amdgcn/bitcode/"
  # What Debian's device library of ROCm 5.2 has not: targets since gfx942, and the counter of wall_clock64(). What it
  # needs and clang 22 no longer links: the choice of denormals.
  local target
  for target in 942:9402 950:9500 1100:11000 1151:11501 1201:12001 1250:12500; do
    "$tools/llvm-as" -o "$rocm/amdgcn/bitcode/oclc_isa_version_${target%:*}.bc" <<END
target triple = "amdgcn-amd-amdhsa"
@__oclc_ISA_version = linkonce_odr hidden addrspace(4) constant i32 ${target#*:}, align 4
@__oclc_daz_opt = linkonce_odr hidden addrspace(4) constant i8 0, align 1
declare i64 @llvm.readsteadycounter()
define linkonce_odr hidden i64 @__ockl_steadyctr_u64() alwaysinline {
  %now = call i64 @llvm.readsteadycounter()
  ret i64 %now
}
END
  done
  ln -s "$build"/hip/* "$rocm/lib/"
  mapfile -t version < <(grep -v '^#' "$hip/VERSION")
  printf 'HIP_VERSION_MAJOR=%s\nHIP_VERSION_MINOR=%s\nHIP_VERSION_PATCH=%s\n' "${version[@]}" >"$rocm/share/hip/version"
  {
    printf '#define HIP_VERSION_MAJOR %s\n#define HIP_VERSION_MINOR %s\n#define HIP_VERSION_PATCH %s\n' "${version[@]}"
    printf '#define HIP_VERSION_GITHASH ""\n#define HIP_VERSION_BUILD_ID 0\n#define HIP_VERSION_BUILD_NAME ""\n'
    printf '#define HIP_VERSION (HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH)\n'
  } >"$rocm/include/hip/hip_version.h"
  printf '#!/bin/sh\necho gfx942\n' >"$rocm/bin/rocm_agent_enumerator"
  printf '#!/bin/sh\necho %s.%s.%s-0\n' "${version[@]}" >"$rocm/bin/hipconfig"
  cat >"$rocm/bin/hipcc" <<'END'
#!/usr/bin/env bash
# What hipcc adds to clang's command line. Code object version 5: the newest that Debian's device library knows.
# __AMDGCN_WAVEFRONT_SIZE: HIP 6.3's headers need it on the host, clang 22 no longer has it.
rocm=$(dirname "$(dirname "$0")")
link=(--hip-link -L"$rocm/lib" -lamdhip64) args=()
for a in "$@"; do
  case ${previous:-} in -o | -MT | -MF | -MQ) args+=("$a") previous=; continue ;; esac
  previous=$a
  case $a in
    --genco) args+=(--cuda-device-only) link=() ;;
    --cuda-host-only) args+=("$a" -fuse-cuid=none) link=() ;;  # the device's part is __hip_fatbin, as examples expect
    -c | -E | -S | -M | --emit-static-lib | --cuda-device-only) args+=("$a") link=() ;;
    -fallow-half-arguments-and-returns) unset 'args[-1]' ;;  # after -Xclang; clang's default by now
    *.o | *.a) args+=(-x none "$a" -x hip) ;;
    *) args+=("$a") ;;
  esac
done
[[ " $* " == *--offload-arch=* ]] || args=(--offload-arch=gfx942 "${args[@]}")
lanes=64
[[ " $* " != *--offload-arch=gfx1???* ]] || lanes=32
exec "$rocm/llvm/bin/clang++" -w -Wno-error -D__AMDGCN_WAVEFRONT_SIZE=$lanes -mcode-object-version=5 --rocm-path="$rocm" -isystem "$rocm/include" -x hip "${args[@]}" "${link[@]}"
END
  cat >"$rocm/bin/clang-offload-bundler" <<'END'
#!/usr/bin/env bash
# The examples' makefiles name the host without the environment that clang 22 asks for.
exec "$(dirname "$(dirname "$0")")/llvm/bin/clang-offload-bundler" "${@/host-x86_64-unknown-linux,/host-x86_64-unknown-linux-gnu,}"
END
  chmod +x "$rocm"/bin/*
}
[ -d "$rocm" ] || make_tree
export LD_LIBRARY_PATH=$rocm/lib

case $what in
rocwmma)
  [ $# -gt 0 ] || set -- gfx908 gfx90a gfx942 gfx1100 gfx1201
  mkdir -p "$out/rocwmma"
  for target; do
    for sample in "$folder"/samples/simple_*.cpp; do
      name=$(basename "$sample" .cpp).$target rc=0
      "$rocm/bin/hipcc" "--offload-arch=$target" -O2 -std=c++17 -I"$folder/library/include" "$sample" \
        -o "$out/rocwmma/$name" >"$out/rocwmma/$name.log" 2>&1 || { printf 'not compiled  %s\n' "$name"; continue; }
      timeout $((4 * limit)) "$out/rocwmma/$name" >"$out/rocwmma/$name.log" 2>&1 || rc=$?
      printf 'status %-3s %-24s %s\n' $rc "$name" "$(grep -aE 'PASSED|FAILED|^wavesmith: ' "$out/rocwmma/$name.log" | grep -v warning | cut -c1-200 | tr '\n' ' ')"
    done
  done
  ;;
hecbench)
  target=${1:-gfx942}
  shift || true
  mkdir -p "$out/hecbench/$target"
  cd "$folder/src"
  [ $# -gt 0 ] || set -- $(grep -l PASS ./*-hip/*.cu | cut -d/ -f2 | sort -u)
  shopt -s nullglob
  for name; do
    cd "$folder/src/$name"
    program=$out/hecbench/$target/$name rc=0
    mapfile -t flags < <(grep -oE -- ' -(D[^ $]+|I[^ $]+|std=[^ $]+)' Makefile | tr -d ' ')
    "$rocm/bin/hipcc" "--offload-arch=$target" -O2 -std=c++17 "${flags[@]}" "-I../${name%-hip}-cuda" -I../include ./*.cu ./*.cpp \
      -o "$program" >"$program.log" 2>&1 || { printf 'not compiled  %s: %s\n' "$name" "$(grep -m1 error "$program.log")"; continue; }
    # Its own arguments, smaller: 1024 and 64 instead of larger numbers, and 1 as the last one, which says how often.
    read -ra arguments < <(sed -nE 's/.*\.\/\$\(program\)(.*)/\1/p' Makefile | head -n 1 |
      awk '{ for (i = 1; i <= NF; ++i) if ($i ~ /^[0-9]+$/) { $i = $i > 1024 ? 1024 : $i > 64 ? 64 : $i; last = i }
             if (last) $last = 1; print }') || true
    (ulimit -t "$limit"; WAVESMITH_HIP_DEVICE=$target timeout $((4 * limit)) "$program" "${arguments[@]}") >"$program.log" 2>&1 </dev/null || rc=$?
    printf 'status %-3s %-24s %s right, %s wrong  %s\n' $rc "$name" "$(grep -ac PASS "$program.log")" "$(grep -ac FAIL "$program.log")" \
      "$(grep -a '^wavesmith: ' "$program.log" | grep -v ' warning: ' | head -n 1 | cut -c1-200)"
  done
  ;;
vkfft)
  [ $# -gt 0 ] || set -- gfx908 gfx90a gfx942 gfx950 gfx1100 gfx1201 gfx1250
  mkdir -p "$out/vkfft/kernels"
  compile=("$tools/clang++" -O1 -w -std=c++20 -D__HIP_PLATFORM_AMD__ -isystem "$rocm/include")
  "${compile[@]}" -shared -fPIC "$source/tests/support/hip/hiprtc.cpp" -o "$out/vkfft/libhiprtc.so"
  "${compile[@]}" -DVKFFT_BACKEND=2 -I"$folder/vkFFT" "$source/tests/runtime/hip_interface/libraries/vkfft.cpp" \
    -o "$out/vkfft/vkfft" -L"$out/vkfft" -lhiprtc -L"$rocm/lib" -lamdhip64 -lfftw3
  export LD_LIBRARY_PATH=$rocm/lib:$out/vkfft HIPCC=$rocm/bin/hipcc HIPRTC_CACHE=$out/vkfft/kernels
  printf '%s\0' "$@" | xargs -0 -P "$jobs" -I {} sh -c 'log=$2/$1.log rc=0; WAVESMITH_HIP_DEVICE=$1 "$2/vkfft" >"$log" 2>&1 || rc=$?
    printf "status %-3s %-8s %s\n" $rc "$1" "$(tail -n 1 "$log")"' sh {} "$out/vkfft"
  ;;
ggml)
  target=${1:-gfx942}
  shift || true
  at=$out/ggml/$target cpu=$out/ggml/cpu cuda=$folder/src/ggml-cuda
  mkdir -p "$at/hipblas"
  cp "$source/tests/support/hip/hipblas.h" "$at/hipblas/"
  "$tools/clang++" -O2 -fPIC -shared -D__HIP_PLATFORM_AMD__ -I"$at" -isystem "$rocm/include" "$source/tests/support/hip/hipblas.cpp" \
    -o "$at/libhipblas.so" -lopenblas
  cmake -S "$folder" -B "$cpu" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DGGML_BUILD_TESTS=ON -DGGML_BUILD_EXAMPLES=OFF \
    -DGGML_NATIVE=OFF -DGGML_OPENMP=OFF >"$out/ggml/cmake.log" 2>&1
  ninja -C "$cpu" -j "$jobs" test-backend-ops >"$out/ggml/build.log" 2>&1
  files=("$cuda"/*.cu)
  for i in ${INSTANCES:-mmq-instance-q4_0 mmq-instance-q4_k mmf-instance-ncols_1 mmf-instance-ncols_8 mmf-instance-ncols_16 fattn-vec-instance-f16-f16}; do
    files+=("$cuda/template-instances/$i.cu")
  done
  printf '%s\0' "${files[@]}" | xargs -0 -P "$jobs" -I {} sh -c 'o=$1/$(basename "$2" .cu).o; f=$2; shift 2; [ -f "$o" ] || "$@" -c "$f" -o "$o" 2>"$o.log" ||
      echo "not compiled  $f: $(grep -m1 error "$o.log")"' sh "$at" {} "$rocm/bin/hipcc" "--offload-arch=$target" -O2 -DNDEBUG -fPIC -std=c++17 \
    -DGGML_USE_HIP -DGGML_BACKEND_DL -DGGML_BACKEND_BUILD -DGGML_BACKEND_SHARED -DGGML_SHARED -DGGML_HIP_NO_VMM -DGGML_CUDA_NO_PEER_COPY \
    -I"$at" -I"$folder/include" -I"$folder/src" -I"$cuda"
  link=("$rocm/bin/hipcc" "--offload-arch=$target" -shared -o "$at/libggml-hip.so" "$at"/*.o -L"$cpu/src" -lggml-base -L"$at" -lhipblas
    -Wl,--unresolved-symbols=ignore-all)
  "${link[@]}"
  # What other files of template-instances/ define.
  { echo .text
    nm -Du "$at/libggml-hip.so" | sed -nE 's/^ *U (_Z.*(ggml_cuda_|mul_mat_).*)/.globl \1\n\1:/p'
    echo 'jmp abort@PLT'; echo '.section .note.GNU-stack'; } >"$at/missing.s"
  cc -c -o "$at/missing.a" "$at/missing.s"
  "${link[@]}" "$at/missing.a"
  export LD_LIBRARY_PATH=$rocm/lib:$at:$cpu/src GGML_BACKEND_PATH=$at/libggml-hip.so OPENBLAS_NUM_THREADS=1
  [ $# -gt 0 ] || mapfile -t operations < <("$cpu/bin/test-backend-ops" --list-ops 2>/dev/null | sed -nE 's/^ +([A-Z0-9_]+) *$/\1/p')
  for op in "${@:-${operations[@]}}"; do
    rc=0
    (ulimit -t "$limit"; timeout $((4 * limit)) "$cpu/bin/test-backend-ops" test -o "$op") >"$at/$op.log" 2>&1 </dev/null || rc=$?
    printf 'status %-3s %-24s %4s right, %s wrong  %s\n' $rc "$op" "$(grep -ac '): .*OK' "$at/$op.log")" "$(grep -ac '): .*FAIL' "$at/$op.log")" \
      "$(grep -a '^wavesmith: ' "$at/$op.log" | grep -v 'warning' | head -n 1 | cut -c1-200)"
  done
  ;;
examples)
  make_flags=(ROCM_INSTALL_DIR="$rocm" HIPCXX="$rocm/bin/hipcc" CXX=g++ HIP_ARCHITECTURES=gfx942 CXXFLAGS=-O1
    CLANG="$rocm/llvm/bin/clang -nogpulib" CLANG_OFFLOAD_BUNDLER="$rocm/bin/clang-offload-bundler"
    LLVM_MC="$rocm/llvm/bin/llvm-mc" LLVM_DIS="$rocm/llvm/bin/llvm-dis")
  [ $# -gt 0 ] || set -- $(cd "$folder" && printf '%s ' HIP-Basic/*/ Applications/*/ Tutorials/reduction/example/)
  rm -rf "$out/examples"
  mkdir -p "$out/examples"
  cp -r "$folder"/{Common,External,HIP-Basic,Applications,Tutorials} "$out/examples/"
  cd "$out/examples"
  # No makefiles there.
  printf 'hip_hello_world_cuda: main.hip\n\t$(HIPCXX) -I ../../Common -o $@ $<\n' >HIP-Basic/hello_world_cuda/Makefile
  printf 'all: $(basename $(wildcard v*.hip))\n%%: %%.hip\n\t-$(HIPCXX) -std=c++20 -O1 -I ../include -o $@ $<\n' \
    >Tutorials/reduction/example/Makefile
  printf '%s\0' "$@" |
    xargs -0 -P "$jobs" -I {} sh -c 'd=$1; shift; make -s -C "$d" "$@" >"$d/make.log" 2>&1' sh {} "${make_flags[@]}" || true
  for d in "$@"; do
    mapfile -t programs < <(find "$d" -maxdepth 1 -type f -executable ! -name '*.*')
    [ ${#programs[@]} -gt 0 ] || printf 'not compiled  %s: %s\n' "$d" "$(grep -m1 -iE 'error|not found' "$d/make.log")"
    for p in "${programs[@]}"; do
      rc=0
      (cd "$d" && timeout $((4 * limit)) "./${p##*/}" >"${p##*/}.log" 2>&1) || rc=$?
      [ $rc = 0 ] && printf 'pass          %s\n' "$p" || printf 'status %-6s %s: %s\n' $rc "$p" "$(tail -n 1 "$p.log")"
    done
  done
  ;;
tests)
  [ $# -gt 0 ] || set -- EventTest StreamTest DeviceTest OccupancyTest ErrorHandlingTest KernelTest MultiThreadTest CallbackTest \
    ExecutionControlTest MemoryTest1 MemoryTest2 AtomicsTest WarpTest coopGrpTest UnitDeviceTests MathsTest ModuleTest \
    VirtualMemoryManagementTest StreamPerThreadTest SyncthreadsTest ThreadfenceTest PrintfTest VectorTypesTest ComplexTest \
    ClockCheckTest CompilerTest Context CTests ChannelDescriptorTest DeviceMemoryTest dynamicLoading gppTests gccTests \
    HipSpecificTest LaunchBoundsTest p2pTests synchronizationTests AssertionTest
  if [ ! -f "$out/tests/build.ninja" ]; then
    rm -rf "$out/catch"
    cp -r "$folder/catch" "$folder/LICENSE.txt" "$out/"
    # Without the folders of graphs and textures, and those that need OpenGL, Vulkan and hipRTC. Calls of hipRTC in others
    # fail (11: internal error).
    sed -i '/add_subdirectory(\(graph\|texture\|surface\|gl_interop\|vulkan_interop\|rtc\))/d' "$out/catch/unit/CMakeLists.txt"
    cat >"$out/each.cmake" <<END
  list(LENGTH _TEST_SRC many)
  if(many GREATER 16)
    set(number 0)
    set(TEST_SRC)
    foreach(file \${_TEST_SRC})
      math(EXPR rest "\${number} % ${EACH:-1}")
      math(EXPR number "\${number} + 1")
      if(rest EQUAL 0)
        list(APPEND TEST_SRC \${file})
      endif()
    endforeach()
  endif()
END
    sed -i "/^function(hip_add_exe_to_target)/,/^endfunction/{/^  foreach(SRC_NAME/e cat '$out/each.cmake'
      }" "$out/catch/external/Catch2/cmake/Catch2/Catch.cmake"
    for f in CreateProgram CompileProgram DestroyProgram AddNameExpression GetLoweredName GetCode GetCodeSize GetProgramLog \
      GetProgramLogSize; do echo "int hiprtc$f(void) { return 11; }"; done | cc -shared -fPIC -x c - -o "$rocm/lib/libhiprtc.so"
    ROCM_PATH=$rocm cmake -S "$out/catch" -B "$out/tests" -G Ninja -DHIP_PLATFORM=amd -DHIP_PATH="$rocm" -DROCM_PATH="$rocm" \
      -DCatch2_DIR="$out/catch/external/Catch2/cmake/Catch2" -DOFFLOAD_ARCH_STR=--offload-arch=gfx942 -DCMAKE_CXX_FLAGS=-O0 >"$out/cmake.log" 2>&1
  fi
  # What the tests load or start.
  mapfile -t files < <(ninja -C "$out/tests" -t targets all |
    sed -nE '/^cmake_/d; s/^(\w+\.(code|hsaco|so)|\w+_(exe|module|custom)|simple_kernel|getDeviceCount): phony$/\1/p')
  ninja -C "$out/tests" -j "$jobs" -k 0 "${files[@]}" >"$out/files.build.log" 2>&1 || true
  for t in "$@"; do
    ninja -C "$out/tests" -j "$jobs" -k 0 "$t" >"$out/$t.build.log" 2>&1 || true
    program=$(find "$out/tests" -type f -name "$t" -executable | head -n 1)
    [ -n "$program" ] || { printf '%s: not built\n' "$t"; continue; }
    cd "$(dirname "$program")"
    passed=0 all=0
    mapfile -t names < <("./$t" --list-test-names-only 2>/dev/null || true)
    each=1
    [ ${#names[@]} -le 100 ] || each=${EACH:-1}
    for ((n = 0; n < ${#names[@]}; n += each)); do
      name=${names[n]} rc=0
      (ulimit -t "$limit"; timeout $((4 * limit)) "./$t" "${name//,/\\,}" -I 1 -W 0 -C 1 -A 4096 -M 1) >"$out/$t.case.log" 2>&1 </dev/null || rc=$?
      all=$((all + 1))
      if [ $rc = 0 ]; then passed=$((passed + 1)); printf 'pass    %s %s\n' "$t" "$name"
      else printf 'status %s %s %s: %s\n' $rc "$t" "$name" "$(grep -m1 -A3 'FAILED:\|wavesmith:' "$out/$t.case.log" | tr '\n' ' ')"; fi
    done
    printf '%s: %s of %s\n' "$t" $passed $all
  done
  ;;
esac
