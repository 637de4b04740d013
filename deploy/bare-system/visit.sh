#!/usr/bin/env bash
# A first visit on a bare system. Runs inside it, in the checkout.
set -euo pipefail

readonly data=/srv/threadbox port=7800
export THREADBOX_POOL_SIZE=$((9 * 1024 * 1024 * 1024))

step() { printf '\n── %s: %s\n' "$suite" "$*"; }
broken() { printf '✗ %s\n' "$*" >&2 && exit 1; }
now_ms() { printf '%s' "$((${EPOCHREALTIME/[.,]/} / 1000))"; }
received() { awk -F '[: ]+' '$2 == "eth0" || $1 == "eth0" {sub(/^ */, ""); split($0, field, /[: ]+/); print field[2]}' /proc/net/dev; }

suite=$1
step 'preconditions'
for tool in node npm go git python3 curl wget btrfs nft ip mmdebstrap zstd sudo ps systemctl; do
  ! command -v "$tool" || broken "$tool is installed: this isn't a bare system"
done
for folder in /var/cache/threadbox /var/lib/threadbox "$data"; do
  [ ! -e "$folder" ] || broken "$folder exists"
done
. /etc/os-release
echo "$PRETTY_NAME, $(dpkg-query -W | wc -l) packages"

# What the site tells a newcomer to run: its first shell block that has no values to replace.
command=$(awk '/^```/ {inside = !done && $0 == "```sh"; if (found && !inside) done = 1; next} inside {found = 1; print}' \
  docs-site/src/content/docs/start.md)
[ -n "$command" ] || broken 'the site has no command to start with'
step "$command (from the site; only the options for the port and the data directory are added)"
began=$(now_ms)
before=$(received)
# shellcheck disable=SC2086 # the command is several words
$command --port "$port" --data-dir "$data"
echo "took $(($(now_ms) - began)) ms; the interface received $(($(received) - before)) bytes"

step 'the rest of "Start in five minutes", as the installed site has it'
node=$data/current/node/bin/node
"$node" deploy/bare-system/newcomer.ts --port "$port" --data-dir "$data" --ran "$command"

step 'a command and a package in another thread'
"$node" deploy/bare-system/first-thread.ts --port "$port" --data-dir "$data"

step './threadbox up, again'
began=$(now_ms)
./threadbox up --data-dir "$data"
took=$(($(now_ms) - began))
[ "$took" -lt 5000 ] || broken "the second up took $took ms"

step './threadbox doctor and status'
./threadbox doctor --data-dir "$data"
./threadbox status --data-dir "$data"

step './threadbox audit'
./threadbox audit verify --data-dir "$data"
./threadbox audit export --data-dir "$data" >/dev/null

step './threadbox down'
id=$(sed -n 's/^THREADBOX_INSTALLATION=//p' "$data/threadbox.env")
./threadbox down --data-dir "$data"
! pgrep -af -- "$data" || broken 'a process is still running'
! grep -F "$data" /proc/self/mounts || broken 'still mounted'

step './threadbox uninstall'
./threadbox uninstall --yes --data-dir "$data"
[ ! -e "$data" ] || broken "$data still exists"
left=$(nft list tables; ip link; ip netns; ip route; getent passwd; find /sys/fs/cgroup -name "*$id*"; losetup -a)
! grep -F -e "$id" -e "$data" <<<"$left" || broken 'the kernel still has parts of the installation'

step './threadbox test check'
./threadbox test check

echo
echo "✓ $suite: everything works on the bare system"
