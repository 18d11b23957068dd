#!/usr/bin/env bash
# chroot_test.sh BUILD: installs the packages of BUILD/packages into a new Debian 12 and uses them there: the program,
# the library with nothing but the dependencies of its package and a compiler, a HIP program without ROCm.
set -euo pipefail
build=$(realpath "$1")
. "$(dirname "$0")/new_debian.sh"

new_debian "$build/packages/debootstrap.log"
mkdir "$root/packages"
cp "$build"/packages/*.deb "$build/example_launch_with_hip" "$(dirname "$0")"/../../docs/examples/double.{py,s} "$root/packages"

install '/packages/wavesmith_*.deb'
inside 'wavesmith --version; wavesmith verify gemm --arch gfx942 --a f16 --tile 128x128x64 -m 100 -n 70 -k 40 --no-cache'
inside 'if ldconfig -p | grep amdhip64; then exit 1; fi'

install '/packages/libwavesmith-hip_*.deb'
inside 'wavesmith gemm --arch gfx942 --a f16 --d f32 --tile 128x128x64 --kernel gemm -o /tmp/gemm.co
        LD_LIBRARY_PATH=/usr/lib/wavesmith/hip /packages/example_launch_with_hip /tmp/gemm.co'

install '/packages/libwavesmith0_*.deb /packages/python3-wavesmith_*.deb'
inside 'python3 /packages/double.py /packages'

install '/packages/libwavesmith-dev_*.deb g++ cmake ninja-build'
inside 'cmake -S /usr/share/doc/libwavesmith-dev/examples -B /tmp/examples -G Ninja >/tmp/log && ninja -C /tmp/examples >>/tmp/log || { cat /tmp/log; exit 1; }
        /tmp/examples/vector_add && /tmp/examples/gemm_library
        cc -std=c99 /usr/share/doc/libwavesmith-dev/examples/double.c -lwavesmith -o /tmp/double'
echo 'packages: installed and used in a new Debian 12'
