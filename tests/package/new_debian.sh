# For scripts: new_debian LOG makes a new Debian 12 in $root, with LLVM's suite, gone at the end of the script. Needs
# root, debootstrap and a mirror (DEBIAN_MIRROR).
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

inside() {
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive \
    NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt bash -euc "$1"
}
install() { inside "apt-get -qq install -y --no-install-recommends $1 </dev/null >/tmp/log 2>&1 || { tail -20 /tmp/log; exit 1; }"; }

new_debian() {
  root=$(mktemp -d)
  trap 'umount -q "$root/proc" || true; rm -rf --one-file-system "$root"' EXIT
  debootstrap --variant=minbase bookworm "$root" "$mirror" >"$1"
  mount -t proc proc "$root/proc"   # the program links through /proc/self/fd
  # LLVM 22 is in bookworm-security.
  printf 'deb %s bookworm main\ndeb %s-security bookworm-security main\n' "$mirror" "$mirror" >"$root/etc/apt/sources.list"
  [ ! -e /etc/apt/apt.conf ] || cp /etc/apt/apt.conf "$root/etc/apt/"
  cp /etc/apt/apt.conf.d/*[Pp]roxy* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
  cp /etc/resolv.conf "$root/etc/"
  inside 'apt-get -qq update'
}
