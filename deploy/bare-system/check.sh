#!/usr/bin/env bash
# Tests the whole path on a machine that has nothing: creates a minimal root filesystem with its own network, clones
# this checkout into it, and there does what the site's "Start in five minutes" says, from `up` to a run on a schedule,
# then `down`, `uninstall` and `test check`.
# Arguments: suites of Debian (trixie, bookworm). Root; needs mmdebstrap, git, iproute2 and nftables. Takes about ten
# minutes and 12 GB each, downloads everything again, and leaves nothing but its log.
set -euo pipefail

here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
readonly here
readonly work_parent=${THREADBOX_BARE:-/var/cache/threadbox/bare}
# Addresses reserved for documentation: neither the machine's networks nor a sandbox's.
readonly outer_address=198.51.100.1 inner_address=198.51.100.2

main() {
  local suite status=0
  [ "$(id -u)" -eq 0 ] || exec sudo --preserve-env=THREADBOX_BARE -- "$0" "$@"
  [ $# -gt 0 ] || set -- trixie bookworm
  mkdir -p "$work_parent"
  exec 9>"$work_parent/.lock"
  flock --nonblock 9 || { echo 'Another bare-system check is running.' >&2 && exit 1; }
  for suite in "$@"; do
    set +e
    (
      set -e
      check_suite "$suite"
    ) 2>&1 | tee "$work_parent/$suite.log"
    [ "${PIPESTATUS[0]}" -eq 0 ] || status=1
    set -e
  done
  exit "$status"
}

check_suite() {
  local suite=$1
  work=$(mktemp -d "$work_parent/$suite-XXXXXX")
  name=tbbare$$
  trap clean_up EXIT
  trap 'exit 130' INT TERM HUP
  echo "── $suite"
  make_root "$suite"
  make_network
  # Namespaces end with their first process, and with them every process and mount created inside.
  nsenter --net="/run/netns/$name" \
    unshare --mount --uts --ipc --pid --fork --kill-child --propagation private -- \
    "$here/enter.sh" "$work/root" "$suite"
}

make_root() {
  mmdebstrap --quiet --mode=root --variant=minbase --format=directory "$1" "$work/root"
  git clone --quiet --no-hardlinks "$here/../.." "$work/root/opt/threadbox"
  cp -r "$here" "$work/root/opt/threadbox/deploy/"
  cp -L /etc/resolv.conf "$work/root/etc/resolv.conf"
  printf '127.0.0.1 localhost\n127.0.1.1 bare\n::1 localhost ip6-localhost\n' >"$work/root/etc/hosts"
  echo bare >"$work/root/etc/hostname"
  copy_authorities
}

# The authorities that this machine trusts beyond Debian's, as an administrator installs them: Debian's package
# ca-certificates adds them when it is installed.
copy_authorities() {
  local folder=$work/root/usr/local/share/ca-certificates
  [ -s /etc/ssl/certs/ca-certificates.crt ] || return 0
  mkdir -p "$folder"
  awk -v folder="$folder" '/BEGIN CERT/ {count++} {print >(folder "/machine-" count ".crt")}' \
    /etc/ssl/certs/ca-certificates.crt
}

make_network() {
  ip netns add "$name"
  ip link add "$name" type veth peer name eth0 netns "$name"
  ip address add "$outer_address/30" dev "$name"
  ip link set "$name" up
  ip -n "$name" link set lo up
  ip -n "$name" address add "$inner_address/30" dev eth0
  ip -n "$name" link set eth0 up
  ip -n "$name" route add default via "$outer_address"
  nft -f - <<RULES
table ip $name {
  chain from { type nat hook postrouting priority srcnat; ip saddr $inner_address masquerade; }
}
RULES
  sysctl -q "net.ipv4.conf.$name.forwarding=1"
}

# shellcheck disable=SC2317 # called by the trap
clean_up() {
  local status=$? id
  trap - EXIT INT TERM HUP
  # Control groups are the only remains of an interrupted visit that no namespace removes.
  id=$(sed -n 's/^THREADBOX_INSTALLATION=//p' "$work"/root/srv/threadbox/threadbox.env 2>/dev/null || true)
  [ -z "$id" ] || find /sys/fs/cgroup -depth -type d -path "*/threadbox-$id*" -exec rmdir {} + 2>/dev/null || true
  nft delete table ip "$name" 2>/dev/null || true
  ip netns delete "$name" 2>/dev/null || true
  ip link delete "$name" 2>/dev/null || true
  rm -rf --one-file-system "$work"
  exit "$status"
}

main "$@"
