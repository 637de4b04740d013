# `test` and the other commands that work on the source. Sourced by the launcher.
# shellcheck shell=bash

# The Debian packages that a stage needs; system and browser tests run threadbox itself. `firefox` is what the full set of
# browser tests needs on top, `benchmark` what the benchmark does.
packages_for_stage() {
  case $1 in
    check) printf '%s\n' ca-certificates shellcheck ;;
    unit) printf '%s\n' bzip2 ca-certificates curl git jq openssh-client postgresql procps python3 ;;
    system) printf '%s\n' "${debian_packages[@]}" curl e2fsprogs git openssl python3 ;;
    browser) printf '%s\n' "${debian_packages[@]}" chromium chromium-headless-shell e2fsprogs fonts-dejavu-core fonts-ipafont-gothic git openssl ;;
    firefox) printf '%s\n' firefox-esr ;;
    benchmark) printf '%s\n' python3-venv ;;
  esac
}

source_command() {
  local command=$1
  shift
  if [ "$command" != check ] && [ "$command" != fuzz ]; then
    need_root "$command" "$@"
    data_dir=${THREADBOX_TEST_DATA:-/var/lib/threadbox-test}
  else
    prepare_source
  fi
  case $command in
    check) check_source ;;
    fuzz)
      (install_schemathesis) || fail 'fuzz needs Schemathesis.' 'Run this once with sudo. It is kept in the cache.'
      (cd "$repository" && THREADBOX_SCHEMATHESIS=$(schemathesis_folder)/bin/schemathesis node deploy/testing/fuzz.ts "$@")
      ;;
    bench) source_run tests/performance/bench.ts "$@" ;;
    benchmark)
      prepare_benchmark
      source_run tests/benchmark/benchmark.ts "$@"
      ;;
    chaos) source_run tests/chaos/chaos.main.ts "$@" ;;
  esac
}

# Node 24 and the dependencies of this checkout.
prepare_source() {
  export_certificates
  mkdir -p "$cache" 2>/dev/null || true
  if ready_node; then
    use_node
  elif [ -w "$cache" ]; then
    (install_node)
    use_node
  else
    fail "threadbox needs Node $node_version." 'Run this once with sudo, or run ./threadbox up. Either installs it.'
  fi
  [ -w "$npm_cache" ] || unset npm_config_cache
  install_source_modules
  PATH=$repository/node_modules/.bin:$PATH
}

install_source_modules() {
  local lock
  lock=$(sha256sum "$repository/package-lock.json" | cut -c 1-16)
  [ "$(cat "$repository/node_modules/.installed-lock" 2>/dev/null)" != "$lock" ] || return 0
  say '· Dependencies (npm ci) …'
  (cd "$repository" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
  printf '%s' "$lock" >"$repository/node_modules/.installed-lock"
}

install_source_modules_as_step() {
  local before
  before=$(npm_cache_bytes)
  install_source_modules
  echo "downloaded: $(($(npm_cache_bytes) - before))"
}

# Programs with the requirements of the system tests: runsc and the base image.
source_run() {
  local program=$1
  shift
  trap end_test EXIT
  trap 'exit 130' INT TERM HUP
  require_machine >&2
  prepare_test system >&2
  (cd "$repository" && node "$program" "$@")
}

# What `benchmark` compares with: the folder for its Python packages, and runc and CRIU of the machine’s distribution, unpacked
# and not installed: an installed runc would replace that of Docker. What can’t be had is a row of the benchmark that says so.
prepare_benchmark() {
  local folder=$cache/benchmark package
  local -a packages=(runc criu libnet1 libprotobuf-c1 libnl-3-200 libbsd0 libmd0)
  export THREADBOX_BENCHMARK_CACHE=$folder
  export_certificates
  install_packages_for benchmark >&2
  if [ ! -f "$folder/runtimes/.complete" ]; then
    rm -rf "$folder/runtimes"
    mkdir -p "$folder/runtimes/packages" "$folder/runtimes/bin"
    (
      cd "$folder/runtimes/packages"
      apt-get -q download "${packages[@]}" || { apt-get -q -o DPkg::Lock::Timeout=300 update && apt-get -q download "${packages[@]}"; }
    ) >&2 || {
      warn "Couldn't download runc and CRIU."
      return 0
    }
    for package in "$folder"/runtimes/packages/*.deb; do dpkg-deb -x "$package" "$folder/runtimes"; done
    rm -rf "$folder/runtimes/packages"
    ln -s ../usr/sbin/runc "$folder/runtimes/bin/runc"
    # shellcheck disable=SC2016 # expanded when it runs
    printf '#!/bin/sh\nLD_LIBRARY_PATH=$(echo %s/lib/*-linux-gnu):$(echo %s/usr/lib/*-linux-gnu) exec %s/usr/sbin/criu "$@"\n' \
      "$folder/runtimes" "$folder/runtimes" "$folder/runtimes" >"$folder/runtimes/bin/criu"
    chmod 0755 "$folder/runtimes/bin/criu"
    touch "$folder/runtimes/.complete"
  fi
  PATH=$folder/runtimes/bin:$PATH
}

# Everything that CI runs. Arguments: deploy/testing/test-arguments.ts.
test_command() {
  local named
  local -a stages
  named=$(stages_named "$@") || exit
  mapfile -t stages <<<"$named"
  need_root test "$@"
  data_dir=${THREADBOX_TEST_DATA:-/var/lib/threadbox-test}
  trap end_test EXIT
  trap 'exit 130' INT TERM HUP
  say_test_needs
  # `say_test_needs` has printed the disk and memory of the tests; `up` needs other amounts.
  ! runs_threadbox "${stages[@]}" || require_machine disk memory
  prepare_test "${stages[@]}"
  (cd "$repository" && node deploy/testing/run-tests.ts "$@")
}

# True if one of the stages runs threadbox itself.
runs_threadbox() { [[ " $* " == *' system '* || " $* " == *' browser '* ]]; }

# The named stages, or those of named files; all if none is named. With `--full`, `firefox` in addition to `browser`.
stages_named() {
  local word is_full=0
  local -a found=()
  while [ $# -gt 0 ]; do
    word=$1
    shift
    case $word in
      -t) [ $# -eq 0 ] || shift ;;
      --full) is_full=1 ;;
      -*) ;;
      tests/browser/*) found+=(browser) ;;
      tests/system/* | tests/compatibility/* | tests/chaos/* | *.system.test.ts) found+=(system) ;;
      */*) found+=(unit) ;;
      check | unit | system | browser) found+=("$word") ;;
      *) refuse "Unknown stage: '$word'" 'Stages: check, unit, system, browser. Give files by their path from the root of the repository.' ;;
    esac
  done
  [ ${#found[@]} -gt 0 ] || found=(check unit system browser)
  [ "$is_full" -eq 0 ] || [[ " ${found[*]} " != *' browser '* ]] || found+=(firefox)
  printf '%s\n' "${found[@]}" | sort -u
}

# The machine that the tests are made for, and this machine.
say_test_needs() {
  local cores memory_kib disk_kib
  cores=$(nproc)
  memory_kib=$(sed -n 's/^MemTotal: *\([0-9]*\) kB$/\1/p' /proc/meminfo)
  mkdir -p "$data_dir"
  disk_kib=$(df --output=avail -k "$data_dir" | tail -n 1)
  say "The tests require 2 processors, 16 GiB of memory and 24 GiB free in $data_dir." \
    "This machine has $cores processor$([ "$cores" -eq 1 ] || printf s)," \
    "$((memory_kib / 1024 / 1024)) GiB of memory and $((disk_kib / 1024 / 1024)) GiB free."
  [ "$cores" -ge 2 ] && [ "$memory_kib" -ge $((15 * 1024 * 1024)) ] && [ "$disk_kib" -ge $((24 * 1024 * 1024)) ] ||
    warn 'This is less than the tests require. Tests may fail for that reason alone.'
}

end_test() {
  local status=$?
  trap - EXIT INT TERM HUP
  end_steps
  return "$status"
}

# Installs what the stages need, independent things in parallel.
prepare_test() {
  local needs_machine=0
  ! runs_threadbox "$@" || needs_machine=1
  export_certificates
  mkdir -p "$data_dir/logs" "$data_dir/run" "$cache"
  begin_steps
  start_step packages 'Debian packages' install_packages_for "$@"
  await_certificates
  # Without npm, Node comes with pip, and pip from Debian's packages.
  ready_node || command -v npm >/dev/null || await_step packages
  start_step node 'Node 24' install_node
  await_step node
  use_node
  start_step modules 'Dependencies' install_source_modules_as_step
  await_step packages
  if [ "$needs_machine" -eq 1 ]; then
    start_step runsc 'gVisor' install_runsc
    start_step image 'Base image' build_image
  fi
  [ "$needs_machine" -eq 0 ] || prepare_test_volume "$test_volume"
  [[ " $* " != *' browser '* ]] || start_step proxies 'nginx and Caddy' unpack_proxies
  [[ " $* " != *' system '* ]] || start_step schemathesis 'Schemathesis' install_schemathesis
  [[ " $* " != *' unit '* ]] || start_step s3 'S3 server of the tests' install_s3_gateway
  await_step modules runsc image proxies schemathesis s3
  PATH=$repository/node_modules/.bin:$PATH
  [ "$needs_machine" -eq 0 ] || export_test_parts
}

install_packages_for() {
  local stage
  local -a wanted missing
  mapfile -t wanted < <(for stage in "$@"; do packages_for_stage "$stage"; done | sort -u)
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
}

# The directory for the disk pools of tests; also in packages/testkit/src/test-host/test-machine.ts.
readonly test_volume=/var/lib/threadbox-test-volume

# Mounts a volume for disk pools at $1 if the disk is small. A pool is allocated in full, as in the product: five for test
# files (9 GiB each, 1 of it stays free) and one of `up` (13 GiB). The tests write to about a third of these 58 GiB. On the
# volume, a pool takes what was written to it. Runs at the same time prepare it one after the other.
prepare_test_volume() {
  local directory=$1 volume=$data_dir/volume.img free_kib
  install -d -m 0711 "$directory"
  (
    flock 8
    ! mountpoint -q "$directory" || exit 0
    [ ! -f "$volume" ] || repair_test_volume "$volume"
    if [ ! -f "$volume" ]; then
      free_kib=$(df --output=avail -k "$data_dir" | tail -n 1)
      [ "$free_kib" -lt $((49 * 1024 * 1024)) ] && [ ! -d "$directory/slots" ] || exit 0
      say '· Not enough free disk space to preallocate the test disk pools; creating a volume that grows as tests write …'
      truncate -s 128G "$volume.unfinished"
      mkfs.ext4 -q -m 0 -O ^has_journal -E lazy_itable_init=1,nodiscard "$volume.unfinished"
      mv "$volume.unfinished" "$volume"
    fi
    mount -o loop,discard,noatime "$volume" "$directory"
    chmod 0711 "$directory"
  ) 8>"$directory.lock"
}

# It has no journal: after a power loss it can be inconsistent. A volume that cannot be repaired is removed; tests write
# it again.
repair_test_volume() {
  local volume=$1 status=0
  e2fsck -p "$volume" >/dev/null || status=$?
  # 1: repaired. From 4 on: errors remain.
  [ "$status" -ge 4 ] || return 0
  say '· The test volume is damaged; creating it again …'
  rm "$volume"
}

# Paths of the parts that are built outside of the tests.
export_test_parts() {
  THREADBOX_RUNSC=$(runsc_path)
  THREADBOX_IMAGE=$(image_path)
  THREADBOX_PROXIES=$cache/proxies
  THREADBOX_SCHEMATHESIS=$(schemathesis_folder)/bin/schemathesis
  export THREADBOX_RUNSC THREADBOX_IMAGE THREADBOX_PROXIES THREADBOX_SCHEMATHESIS
}

# The tests' reverse proxies, unpacked and not installed: an installed one would take port 80 of the machine.
unpack_proxies() {
  local folder=$cache/proxies package
  [ ! -f "$folder/.complete" ] || return 0
  rm -rf "$folder"
  mkdir -p "$folder/packages"
  (
    cd "$folder/packages"
    apt-get -q download nginx caddy || { apt-get -q -o DPkg::Lock::Timeout=300 update && apt-get -q download nginx caddy; }
  )
  for package in "$folder"/packages/*.deb; do dpkg-deb -x "$package" "$folder"; done
  rm -rf "$folder/packages"
  touch "$folder/.complete"
}

# The checks of the source, and of the launcher if shellcheck is installed (`test` installs it).
check_source() {
  local status=0
  (cd "$repository" && node deploy/build/check.ts) || status=1
  if command -v shellcheck >/dev/null; then
    say '· launcher scripts'
    (cd "$repository" && shellcheck -x threadbox .ci/run images/probes/languages.sh deploy/bare-system/*.sh &&
      shellcheck -e SC2016 images/recipe/customize.sh) || status=1
  fi
  return "$status"
}
