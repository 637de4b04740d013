# `up`: from a bare machine to an open page. Sourced by the launcher.
# shellcheck shell=bash

page_pid=

up_command() {
  local began
  began=$(now_ms)
  need_root up "$@"
  parse_options "$@"
  require_machine
  lock_installation
  trap stop_up EXIT
  trap 'exit 130' INT TERM HUP
  export_certificates
  undo_unfinished_change || true
  # As the release that runs now has them.
  [ ! -f "$data_dir/threadbox.env" ] || cp -p "$data_dir/threadbox.env" "$data_dir/.environment-before"
  make_installation
  if is_up_to_date; then
    say "✓ Already running, nothing changed ($(seconds_of_ms "$(($(now_ms) - began))") s)"
  else
    bring_up
    say "✓ Ready after $(seconds_of_ms "$(($(now_ms) - began))") s"
  fi
  print_addresses
}

# One launcher at a time works on an installation; a second one waits.
lock_installation() {
  mkdir -p "$data_dir"
  exec 9>"$data_dir/.lock"
  if ! flock --nonblock 9; then
    say '· Waiting for another threadbox command on this installation …'
    flock 9
  fi
}

stop_up() {
  local status=$?
  trap - EXIT INT TERM HUP
  end_steps
  put_back_if_interrupted
  stop_page
  return "$status"
}

# Id, user, folders and settings. Each is created if it is missing, so an interrupted first run can be repeated.
make_installation() {
  local installation user own
  installation=$(get_environment THREADBOX_INSTALLATION)
  [ -n "$installation" ] || installation=$(new_installation_id)
  user=threadbox-$installation
  getent passwd "$user" >/dev/null ||
    useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$user"
  for own in "$user-gateway" "$user-names" "$user-egress"; do
    getent passwd "$own" >/dev/null ||
      useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$own"
  done
  install -d -m 0710 -o root -g "$user" "$data_dir"
  install -d -m 2750 -o root -g "$user" "$data_dir/run"
  install -d -m 0700 -o "$user" -g "$user" "$data_dir/server"
  install -d -m 0755 "$data_dir/releases" "$data_dir/compiled" "$data_dir/guests"
  install -d -m 0700 "$data_dir/logs" "$data_dir/host" "$data_dir/disks" "$cache"
  chmod 0755 "$cache"
  make_owner_token "$user"
  set_environment THREADBOX_INSTALLATION "$installation"
  set_environment THREADBOX_DATA "$data_dir"
  set_environment THREADBOX_HOST_SOCKET "$data_dir/run/host.sock"
  set_environment THREADBOX_GATEWAY_SOCKET "$data_dir/run/gateway.sock"
  set_environment THREADBOX_GATEWAY_UID "$(id -u "$user-gateway")"
  set_environment THREADBOX_GATEWAY_GID "$(id -g "$user-gateway")"
  set_environment THREADBOX_NAMES_UID "$(id -u "$user-names")"
  set_environment THREADBOX_NAMES_GID "$(id -g "$user-names")"
  set_environment THREADBOX_EGRESS_SOCKET "$data_dir/run/egress.sock"
  set_environment THREADBOX_EGRESS_UID "$(id -u "$user-egress")"
  set_environment THREADBOX_EGRESS_GID "$(id -g "$user-egress")"
  set_environment THREADBOX_SERVER_UID "$(id -u "$user")"
  set_environment THREADBOX_SOCKET_GROUP "$(id -g "$user")"
  set_environment THREADBOX_SERVER_DATA "$data_dir/server"
  set_environment THREADBOX_OWNER_TOKEN_FILE "$data_dir/server/owner-token"
  set_environment THREADBOX_WEB_DIRECTORY "$data_dir/current/web"
  set_environment THREADBOX_RUNSC "$(runsc_path)"
  set_certificates
  [ -z "${HTTPS_PROXY:-${https_proxy:-}}" ] || set_environment THREADBOX_SANDBOX_PROXY "${HTTPS_PROXY:-$https_proxy}"
  choose_pool
  choose_address "$installation"
  check_reachable "$user"
}

set_certificates() {
  [ -z "${NODE_EXTRA_CA_CERTS:-}" ] || set_environment NODE_EXTRA_CA_CERTS "$NODE_EXTRA_CA_CERTS"
}

new_installation_id() {
  local letters
  letters=$(head -c 256 /dev/urandom | LC_ALL=C tr -dc 'a-z0-9')
  letters=${letters#"${letters%%[a-z]*}"}
  printf '%s' "${letters:0:6}"
}

# The token of the sign-up link is created once, with the installation; the server removes it after use.
make_owner_token() {
  [ ! -f "$data_dir/threadbox.env" ] || return 0
  install -m 0600 -o "$1" -g "$1" /dev/null "$data_dir/server/owner-token"
  head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n' >"$data_dir/server/owner-token"
}

# The whole file of disks is allocated in advance: 40 GiB, or half of the free space.
choose_pool() {
  local free_gib size
  [ -z "$(get_environment THREADBOX_POOL_SIZE)" ] || return 0
  free_gib=$(($(df -Pk "$data_dir" | awk 'NR == 2 {print $4}') / 1048576))
  size=$((free_gib / 2 < 40 ? free_gib / 2 : 40))
  [ -z "${THREADBOX_POOL_SIZE:-}" ] || size=$((THREADBOX_POOL_SIZE / 1073741824))
  set_environment THREADBOX_POOL_SIZE "$((size * 1073741824))"
  # Below the size that the defaults are meant for, a smaller share stays free for images and saved memory.
  if [ "$size" -lt 40 ]; then
    set_environment THREADBOX_IMAGE_RESERVE_BYTES "$((size * 1073741824 / 5))"
    set_environment THREADBOX_MEMORY_IMAGE_RESERVE_BYTES "$((size * 1073741824 / 8))"
  fi
  say "· Reserving $size GiB of $free_gib GiB free disk space for sandboxes (THREADBOX_POOL_SIZE in $data_dir/threadbox.env)"
}

choose_address() {
  local base chosen_port chosen_host public before allowed=''
  before=$(get_environment THREADBOX_PORT)
  chosen_port=${port:-${before:-7717}}
  chosen_host=${listen_host:-$(get_environment THREADBOX_LISTEN_HOST)}
  chosen_host=${chosen_host:-127.0.0.1}
  before=$(get_environment THREADBOX_BASE_DOMAIN)
  base=${domain:-$before}
  base=${base:-$1.localhost}
  [ -z "$before" ] || [ "$before" = "$base" ] ||
    warn "Passkeys that people added at app.$before don't work at app.$base. They sign in with their password and add new ones."
  case $chosen_host in
    127.* | ::1 | localhost) ;;
    *) allowed=$(hostname -I 2>/dev/null | tr -s ' ' '\n' | grep -v : | paste -sd , || true) ;;
  esac
  set_environment THREADBOX_PORT "$chosen_port"
  set_environment THREADBOX_LISTEN_HOST "$chosen_host"
  set_environment THREADBOX_BASE_DOMAIN "$base"
  set_environment THREADBOX_ALLOWED_HOSTS "$allowed"
  public=${public_url:-$(get_environment THREADBOX_PUBLIC_URL)}
  [ "$public" != none ] || public=''
  [ -z "$public$(get_environment THREADBOX_PUBLIC_URL)" ] || set_environment THREADBOX_PUBLIC_URL "$public"
  set_environment THREADBOX_ADDRESS "${public:-http://app.$base:$chosen_port}"
}

# The server's user must be able to walk to the data directory.
check_reachable() {
  setpriv --reuid "$1" --regid "$1" --clear-groups test -x "$data_dir/releases" && return
  fail "The server's user can't access $data_dir because a parent folder doesn't allow it." \
    'Use another folder with --data-dir, such as /var/lib/threadbox.'
}

# Settings and release that the running daemons were started with.
settings_key() { LC_ALL=C sort "$data_dir/threadbox.env" | sha256sum | cut -c 1-16; }

is_up_to_date() {
  local release
  recorded_pid host >/dev/null && recorded_pid server >/dev/null || return 1
  release=$(built_release) || return 1
  [ "$(basename "$(readlink "$data_dir/current")")" = "$release" ] || return 1
  [ "$(cat "$data_dir/run/settings-key" 2>/dev/null)" = "$(settings_key)" ] || return 1
  (server_answers)
}

bring_up() {
  local release image received before
  received=$(received_bytes)
  begin_steps
  announce_step image 'Base image'
  announce_step release 'threadbox'
  announce_step start 'Start'
  start_step packages 'Debian packages' install_missing_packages
  await_certificates
  set_certificates
  ready_node && use_node || await_node
  start_page
  start_step runsc 'gVisor' install_runsc
  start_step release 'threadbox' prepare_release
  await_step packages
  start_step image 'Base image' build_image
  await_step release runsc image
  release=$(<"$data_dir/run/prepared-release")
  image=$(image_path)
  before=$(release_before "$release")
  if [ -n "$before" ]; then
    start_step check 'The new release' check_release "$release" "$before"
    await_step check
  fi
  set_environment THREADBOX_IMAGE "$image"
  say_received "$(($(received_bytes) - received))"
  if [ -n "$before" ]; then
    start_step start 'Upgrade' change_release "$release" "$before"
  else
    switch_release "$release" || true
    prune_releases "$release" "$(previous_release)"
    start_step start 'Start' start_and_wait
  fi
  await_step start
  settings_key >"$data_dir/run/settings-key"
}

# Without npm, Node needs pip from Debian's packages: then after them, since one apt runs at a time.
await_node() {
  if ! command -v npm >/dev/null && ! python3 -m pip --version >/dev/null 2>&1; then
    await_step packages
  fi
  start_step node 'Node 24' install_node
  await_step node
  use_node
}

start_and_wait() {
  local page
  page=$(cat "$data_dir/run/page.pid" 2>/dev/null || true)
  if [ -n "$page" ]; then
    # The page makes its viewers reload, then the port is the server's.
    kill -TERM "$page" 2>/dev/null && await_gone "$page" 5 || true
  fi
  check_port_free && start_daemons && await_server && await_host
}

start_daemons() {
  if recorded_pid host >/dev/null || recorded_pid server >/dev/null; then
    restart_daemons
  else
    start_supervisor
  fi
}

# Total bytes received over the network. The image's own share cannot be counted where it is downloaded (apt and uv
# inside the new root filesystem), so it is what the other steps did not count.
say_received() {
  local counted=0 file
  [ "$1" -gt 1000000 ] || return 0
  for file in "$steps_dir"/.*.bytes; do
    [ ! -f "$file" ] || counted=$((counted + $(<"$file")))
  done
  say "· Downloaded $(human_bytes "$1"), including $(human_bytes "$(($1 > counted ? $1 - counted : 0))") for the base image and by other programs"
}

# Bytes that this machine received from outside since it started.
received_bytes() {
  awk -F '[: ]+' 'NR > 2 {sub(/^ */, ""); split($0, field, /[: ]+/); if (field[1] != "lo" && field[1] !~ /^(veth|tb|docker|br-)/) sum += field[2]}
    END {printf "%.0f", sum}' /proc/net/dev
}

check_port_free() {
  recorded_pid server >/dev/null && return
  (exec 6<>"/dev/tcp/127.0.0.1/$(get_environment THREADBOX_PORT)") 2>/dev/null || return 0
  echo "Port $(get_environment THREADBOX_PORT) is in use by another program. Choose another port with --port."
  return 1
}

# Shows the steps on the final address until the server takes over.
start_page() {
  recorded_pid server >/dev/null && return
  check_port_free || fail 'The port is in use.' 'Choose another port with --port.'
  "$(node_folder)/bin/node" "$repository/deploy/setup-page/main.ts" --steps "$steps_dir" \
    --port "$(get_environment THREADBOX_PORT)" --host "$(get_environment THREADBOX_LISTEN_HOST)" \
    8>&- 9>&- </dev/null >>"$data_dir/logs/setup-page.log" 2>&1 &
  page_pid=$!
  printf '%s' "$page_pid" >"$data_dir/run/page.pid"
  say ''
  say "Follow the setup at $(sign_up_link)"
  say ''
}

stop_page() {
  [ -n "$page_pid" ] || return 0
  kill -TERM "$page_pid" 2>/dev/null || true
  rm -f "$data_dir/run/page.pid"
  page_pid=
}

# The address, with the one-time token until there is an owner.
sign_up_link() {
  local address token
  address=$(get_environment THREADBOX_ADDRESS)
  token=$(cat "$data_dir/server/owner-token" 2>/dev/null || true)
  if [ -n "$token" ]; then printf '%s/setup?token=%s' "$address" "$token"; else printf '%s/' "$address"; fi
}

print_addresses() {
  local port_number host base
  port_number=$(get_environment THREADBOX_PORT)
  host=$(get_environment THREADBOX_LISTEN_HOST)
  base=$(get_environment THREADBOX_BASE_DOMAIN)
  say ''
  [ ! -s "$data_dir/server/owner-token" ] || say 'Create the owner account with this link. It works once.'
  say "$([ -z "$(get_environment THREADBOX_PUBLIC_URL)" ] && echo 'On this machine:   ' || echo 'Through the proxy: ') $(sign_up_link)"
  if [[ $base == *.localhost ]]; then
    say "From your computer: ssh -L $port_number:127.0.0.1:$port_number ${SUDO_USER:-$(id -un)}@$(hostname)"
    say '                    then open the same address there.'
    case $host in
      127.* | ::1 | localhost) ;;
      *) warn "Listening on $host, but names under localhost always mean the viewer's own computer. Set a domain with --domain, or use ssh -L." ;;
    esac
    say 'To use a domain: point app.NAME and *.NAME to this machine, then run ./threadbox up --host 0.0.0.0 --domain NAME'
  fi
}
