# `dev`: host daemon, server and web app directly from the checkout, each restarted when its source changes. Sourced by
# the launcher.
# shellcheck shell=bash

dev_command() {
  need_root dev "$@"
  data_dir=${THREADBOX_DATA:-/var/lib/threadbox-dev}
  parse_options "$@"
  require_machine
  lock_installation
  ! recorded_pid host >/dev/null || fail "threadbox is already running in $data_dir." 'Stop it with ./threadbox down, or use another --data-dir.'
  trap stop_dev EXIT
  trap 'exit 130' INT TERM HUP
  export_certificates
  [ -n "$port" ] || port=$(get_environment THREADBOX_PORT)
  port=${port:-7727}
  make_installation
  prepare_dev
  start_dev
  print_addresses
  say 'Press Ctrl-C to stop. Sandboxes stop too; their files are kept. Restart after changing the guest.'
  # The first one to end ends the others.
  wait -n || true
}

prepare_dev() {
  begin_steps
  start_step packages 'Debian packages' install_missing_packages
  await_certificates
  set_certificates
  ready_node && use_node || await_node
  start_step runsc 'gVisor' install_runsc
  start_step modules 'Dependencies' install_source_modules_as_step
  await_step packages
  start_step image 'Base image' build_image
  await_step modules
  start_step guest 'Guest' build_dev_guest
  await_step guest runsc image
  set_environment THREADBOX_IMAGE "$(image_path)"
  PATH=$repository/node_modules/.bin:$PATH
}

build_dev_guest() {
  local guest
  guest=$(node "$repository/deploy/build/build-guest.ts" "$data_dir/guests" | tail -n 1)
  [ -n "$guest" ]
  set_environment THREADBOX_GUEST "$guest"
}

# The page's address is the web app's own server; it forwards API requests to the server, one port higher.
start_dev() {
  local server_port
  port=$(get_environment THREADBOX_PORT)
  server_port=$((port + 1))
  check_port_free
  dev_program host apps/host/src/main.ts
  THREADBOX_PORT=$server_port THREADBOX_LISTEN_HOST=127.0.0.1 THREADBOX_WEB_DIRECTORY='' \
    dev_program server apps/server/src/main.ts
  (cd "$repository/apps/web" && THREADBOX_DEV_SERVER=http://127.0.0.1:$server_port exec vite --strictPort \
    --port "$port" --host "$(get_environment THREADBOX_LISTEN_HOST)" 2>&1 | sed -u 's/^/web     /') &
  dev_pids+=("$!")
  await_dev_server "$server_port"
}

# The environment takes precedence over the file.
dev_program() {
  (cd "$repository" && node --env-file="$data_dir/threadbox.env" --watch --watch-preserve-output "$2" 2>&1 |
    sed -u "s/^/$(printf '%-8s' "$1")/") &
  dev_pids+=("$!")
}

dev_pids=()

await_dev_server() {
  local until=$((SECONDS + 90))
  until (exec 6<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && [ -S "$data_dir/run/host.sock" ]; do
    [ "$SECONDS" -lt "$until" ] || fail "The host daemon and the server didn't start." 'See their last lines above.'
    sleep 0.2
  done
}

stop_dev() {
  local status=$? pid
  trap - EXIT INT TERM HUP
  end_steps
  if [ ${#dev_pids[@]} -gt 0 ]; then
    say '· Stopping …'
    if [ -S "$data_dir/run/host.sock" ]; then
      node "$repository/apps/cli/src/main.ts" stop-sandboxes --data-dir "$data_dir" || true
    fi
    for pid in "${dev_pids[@]}"; do end_process_tree "$pid"; done
    wait
    release_pool
  fi
  return "$status"
}
