# Checks the machine and says in plain words what is missing and how to get it. Sourced by the launcher.
# shellcheck shell=bash

readonly least_memory_mb=2000
readonly good_memory_mb=4000
readonly least_disk_mb=15000
readonly good_disk_mb=50000

# Prints one check: id, state (ok, warning, failed), title, what was found, what to do.
check_line() { printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "${5:-}"; }

# All checks of the machine, one per line. Changes nothing, needs no root.
machine_checks() {
  check_system
  check_processor
  check_kernel
  check_memory
  check_disk
  check_cgroups
  check_btrfs
  check_nftables
  check_tools
}

# A field of /etc/os-release, such as ID. A subshell, so that none of its variables stays here.
os_release() {
  # shellcheck source=/dev/null
  (source /etc/os-release 2>/dev/null && printf '%s' "${!1:-}")
}

check_system() {
  local found
  found=$(os_release PRETTY_NAME)
  if grep -qi microsoft /proc/version 2>/dev/null && [ ! -d /run/systemd/system ]; then
    found="$found, WSL2"
  fi
  if command -v apt-get >/dev/null; then
    check_line system ok 'System' "${found:-unknown}"
  else
    check_line system failed 'System' "${found:-unknown}, without apt-get" \
      'Use Debian 12 or 13, or Ubuntu 24.04 or 26.04 (a virtual machine works).'
  fi
}

check_processor() {
  local machine
  machine=$(uname -m)
  case $machine in
    x86_64 | aarch64) check_line processor ok 'Processor' "$machine, $(nproc) cores" ;;
    *)
      check_line processor failed 'Processor' "$machine" \
        "Use an x86_64 or arm64 machine. gVisor doesn't support other processors."
      ;;
  esac
}

check_kernel() {
  local release major minor
  release=$(uname -r)
  major=${release%%.*}
  minor=${release#*.}
  minor=${minor%%[!0-9]*}
  if [ "$major" -gt 5 ] || { [ "$major" -eq 5 ] && [ "${minor:-0}" -ge 10 ]; }; then
    check_line kernel ok 'Kernel' "$release"
  else
    check_line kernel failed 'Kernel' "$release is too old" 'Upgrade to Debian 12 or Ubuntu 24.04. threadbox needs Linux 5.10 or later.'
  fi
}

check_memory() {
  local total
  total=$(awk '/^MemTotal:/ {print int($2 / 1000)}' /proc/meminfo)
  if [ "$total" -lt "$least_memory_mb" ]; then
    check_line memory failed 'Memory' "$total MB" 'Use a machine with 4 GB of memory (minimum 2 GB).'
  elif [ "$total" -lt "$good_memory_mb" ]; then
    check_line memory warning 'Memory' "$total MB: only a few threads can be awake at the same time" \
      'Use a machine with at least 4 GB.'
  else
    check_line memory ok 'Memory' "$total MB"
  fi
}

# The nearest existing parent folder: the data directory might not exist yet.
existing_folder() {
  local folder=$1
  while [ ! -d "$folder" ]; do folder=$(dirname "$folder"); done
  printf '%s' "$folder"
}

check_disk() {
  local free
  if [ -f "$data_dir/threadbox.env" ]; then
    free=$(df -Pm "$data_dir" | awk 'NR == 2 {print $4}')
    if [ "$free" -lt 1000 ]; then
      check_line disk warning 'Disk' "$free MB free for $data_dir" 'Free up disk space for the database and logs.'
    else
      check_line disk ok 'Disk' "$((free / 1000)) GB free for $data_dir"
    fi
    return
  fi
  free=$(df -Pm "$(existing_folder "$data_dir")" | awk 'NR == 2 {print $4}')
  if [ "$free" -lt "$least_disk_mb" ]; then
    check_line disk failed 'Disk' "$((free / 1000)) GB free for $data_dir" \
      'Free up at least 15 GB, or use a folder on a larger disk with --data-dir.'
  elif [ "$free" -lt "$good_disk_mb" ]; then
    check_line disk warning 'Disk' "$((free / 1000)) GB free for $data_dir: enough for only a few sandboxes" \
      'Free up 50 GB, or use a folder on a larger disk with --data-dir.'
  else
    check_line disk ok 'Disk' "$((free / 1000)) GB free for $data_dir"
  fi
}

check_cgroups() {
  if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
    check_line cgroups ok 'Control groups' 'version 2'
  elif [ -d /sys/fs/cgroup/memory ]; then
    check_line cgroups ok 'Control groups' 'version 1'
  else
    check_line cgroups failed 'Control groups' 'not mounted' \
      'In a container, allow nesting (LXC: security.nesting=true, privileged), or use a virtual machine.'
  fi
}

# True if the kernel has a filesystem or module, loaded, built in or loadable.
kernel_has() {
  local name=$1
  grep -qw "$name" /proc/filesystems 2>/dev/null && return
  [ -d "/sys/module/${name//-/_}" ] && return
  grep -qs "/$name\.ko" "/lib/modules/$(uname -r)/modules.builtin" && return
  grep -qs "/$name\.ko" "/lib/modules/$(uname -r)/modules.dep"
}

check_btrfs() {
  if kernel_has btrfs; then
    check_line btrfs ok 'btrfs' 'available'
  else
    check_line btrfs failed 'btrfs' 'not available in the kernel' \
      "Install your distribution's full kernel (Debian: linux-image-$(dpkg --print-architecture 2>/dev/null || echo amd64)); cloud kernels may not include it."
  fi
}

# With nft installed, the kernel is asked; before that its modules are checked, and a built-in one shows only in its
# symbols.
check_nftables() {
  if nft list tables >/dev/null 2>&1 || kernel_has nf_tables || grep -qsw nf_tables_newtable /proc/kallsyms; then
    check_line nftables ok 'nftables' 'available'
  else
    check_line nftables failed 'nftables' 'not available in the kernel' \
      "Install your distribution's full kernel, or load the nf_tables module."
  fi
}

# Named packages that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || printf '%s\n' "$package"
  done
}

check_tools() {
  local -a missing
  mapfile -t missing < <(missing_packages "${debian_packages[@]}")
  if [ ${#missing[@]} -eq 0 ]; then
    check_line packages ok 'Debian packages' "${#debian_packages[@]} installed"
  else
    check_line packages warning 'Debian packages' "missing: ${missing[*]}" 'Run ./threadbox up to install them.'
  fi
}

# require_machine [ID…]: ends the launcher if a check failed, except checks with these ids; shows failures and warnings,
# and the rest in one line.
require_machine() {
  local id state title found cure failed=0 fine=''
  while IFS=$'\t' read -r id state title found cure; do
    [[ " $* " != *" $id "* ]] || continue
    case $state in
      ok) fine+="${fine:+, }$title" ;;
      warning) [ "$id" = packages ] || printf '! %s: %s\n  → %s\n' "$title" "$found" "$cure" ;;
      *)
        printf '✗ %s: %s\n  → %s\n' "$title" "$found" "$cure"
        failed=1
        ;;
    esac
  done < <(machine_checks)
  [ "$failed" -eq 0 ] || fail "threadbox can't run on this machine yet." 'Fix the problems above and try again.'
  say "✓ Machine: $fine"
}
