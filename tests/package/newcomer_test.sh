#!/usr/bin/env bash
# newcomer_test.sh: what README says, to the letter, in a new Debian 12 with git alone: the committed state is cloned,
# and every line that README shows is run in turn, `./dev demo` first, then those of the guides; not the tests.
set -euo pipefail
top=$(realpath "$(dirname "$0")/../..")
. "$top/tests/package/new_debian.sh"

new_debian /dev/null
install 'git ca-certificates'
# Authorities that this machine trusts beside Debian's: of a proxy between it and npm.
cp -r /usr/local/share/ca-certificates "$root/usr/local/share/" 2>/dev/null || true
inside 'update-ca-certificates >/dev/null'
git clone -q --no-hardlinks "$top" "$root/root/clone"
# Indented lines outside of ``` are commands. Instead of `./dev test`: the rest of what the last of them installs.
awk '/^```/ { code = !code } !code && sub(/^    /, "")' "$top/README.md" | sed 's/^\.\/dev test.*/ninja -C build all wavesmith_tests/' >"$root/root/commands"
inside 'cd ~/clone && git log --oneline -1; set -x; . ~/commands >/tmp/printed' || { tail -20 "$root/tmp/printed"; exit 1; }
inside 'cd ~/clone
        LD_LIBRARY_PATH=build/hip build/example_launch_with_hip gemm.co
        cmake -S docs/examples -B /tmp/examples -G Ninja -DCMAKE_PREFIX_PATH=~/wavesmith >/tmp/log || { tail -20 /tmp/log; exit 1; }
        ninja -C /tmp/examples >/tmp/log || { tail -20 /tmp/log; exit 1; }
        /tmp/examples/vector_add'
inside 'cd ~/clone && build/wavesmith_tests "every command line that README*"'
echo 'README and guides: followed in a new Debian 12'
