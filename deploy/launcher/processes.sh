# Starting, finding and ending the processes of an installation. Sourced by the launcher.
# shellcheck shell=bash

# Number of the process that a record names, if that same process still runs: same start time, not a zombie.
recorded_pid() {
  local file=$data_dir/run/$1.json pid started stat
  local -a fields
  [ -f "$file" ] || return 1
  pid=$(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$file")
  started=$(sed -n 's/.*"startTime":"\([0-9]*\)".*/\1/p' "$file")
  [ -n "$pid" ] && stat=$(cat "/proc/$pid/stat" 2>/dev/null) || return 1
  read -ra fields <<<"${stat##*) }"
  [ "${fields[0]}" != Z ] && [ "${fields[19]}" = "$started" ] || return 1
  printf '%s' "$pid"
}

systemd_unit() { printf 'threadbox-%s' "$(get_environment THREADBOX_INSTALLATION)"; }

runs_under_systemd() {
  [ -d /run/systemd/system ] && [ -f "/etc/systemd/system/$(systemd_unit).service" ]
}

# Starts the supervisor under tini, which adopts orphaned processes, so that none stays a zombie. The loop restarts the
# supervisor whenever it ends unintentionally, from the release that is then current. One loop runs: a second one, started while
# the first has no supervisor for a moment, ends.
start_supervisor() {
  local log=$data_dir/logs/supervisor.log
  if runs_under_systemd; then
    systemctl start "$(systemd_unit)-host" "$(systemd_unit)-sandboxes" "$(systemd_unit)" "$(systemd_unit)-logs.timer"
    return
  fi
  # shellcheck disable=SC2016 # expanded by the inner shell
  (
    cd /
    exec 8>&- 9>&-
    setsid --fork tini -s -- bash -c '
      exec 7>"$1/run/.supervisor"
      flock --timeout 5 7 || exit 0
      while :; do
        [ ! -x "$1/run/undo-change" ] || "$1/run/undo-change" 7>&-
        "$1/current/node/bin/node" --enable-source-maps --disable-sigusr1 "$1/current/supervisor/main.js" --data-dir "$1" 7>&- && exit 0
        sleep 1
      done' "threadbox-$(get_environment THREADBOX_INSTALLATION)" "$data_dir"
  ) </dev/null >>"$log" 2>&1
}

# Restarts both daemons from the current release; sandboxes keep running.
restart_daemons() {
  local pid
  if runs_under_systemd; then
    systemctl restart "$(systemd_unit)-host" "$(systemd_unit)"
    return
  fi
  if pid=$(recorded_pid supervisor); then
    kill -HUP "$pid"
    await_gone "$pid" 120
  else
    start_supervisor
  fi
}

# await_gone PID SECONDS: true if the process has ended in time.
await_gone() {
  local pid=$1 until=$((SECONDS + $2))
  while kill -0 "$pid" 2>/dev/null && [ "$(ps -o state= -p "$pid" 2>/dev/null)" != Z ]; do
    [ "$SECONDS" -lt "$until" ] || return 1
    sleep 0.05
  done
}

# ask_server PATH: sends a request; its response is read from descriptor 7, which the caller closes.
ask_server() {
  local host
  host=$(get_environment THREADBOX_LISTEN_HOST)
  case $host in
    0.0.0.0 | '') host=127.0.0.1 ;;
    ::) host=::1 ;;
  esac
  exec 7<>"/dev/tcp/$host/$(get_environment THREADBOX_PORT)" || return 1
  printf 'GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$1" \
    "$(get_environment THREADBOX_ADDRESS | sed 's|^[a-z]*://||')" >&7
} 2>/dev/null

# True if the server (not the setup page) responds on its port.
server_answers() {
  local line
  ask_server /api/v1/openapi.json || return 1
  while IFS= read -r -t 5 line <&7; do
    case ${line,,} in
      threadbox-request-id:*)
        exec 7>&-
        return 0
        ;;
      $'\r') break ;;
    esac
  done
  exec 7>&-
  return 1
} 2>/dev/null

# With `ends_allowed`, a server that ends so often after its start is not waited for.
await_server() {
  local until=$((SECONDS + 90)) pid last='' starts=0
  until (server_answers); do
    pid=$(recorded_pid server || true)
    if [ -n "$pid" ] && [ "$pid" != "$last" ]; then
      last=$pid
      starts=$((starts + 1))
    fi
    if [ "$SECONDS" -ge "$until" ] || [ "$starts" -gt "${ends_allowed:-1000}" ]; then
      echo "The server isn't responding. Last lines of its log:"
      tail -n 15 "$data_dir/logs/server.log" 2>/dev/null || true
      return 1
    fi
    sleep 0.2
  done
}

# Waits until sandboxes can start, showing what the host daemon still prepares (the first time, it unpacks the image).
# Preparing can take minutes on a slow disk; a host daemon that reports nothing at all gets one minute.
await_host() {
  local status preparing shown='' silent_since=$SECONDS
  while :; do
    status=$(cli status --json 2>/dev/null || true)
    case $status in
      *'"preparing":[]'*'"imageProblem":null'*) return 0 ;;
      *'"preparing":[]'*)
        echo "Couldn't prepare the base image, so new sandboxes can't start:"
        sed -n 's/.*"imageProblem":"\(.*\)","awakeSandboxes".*/\1/p' <<<"$status"
        return 1
        ;;
      *'"preparing":['*)
        silent_since=$SECONDS
        preparing=$(sed -n 's/.*"preparing":\[\([^]]*\)\].*/\1/p' <<<"$status" | tr -d '"')
        [ "$preparing" = "$shown" ] || echo "progress: $preparing"
        shown=$preparing
        ;;
    esac
    if [ "$((SECONDS - silent_since))" -ge 60 ]; then
      echo "The host daemon isn't running. Last lines of its log:"
      grep -v '^{' "$data_dir/logs/host.log" | tail -n 3 || true
      return 1
    fi
    sleep 0.3
  done
}

cli() { "$data_dir/current/node/bin/node" "$data_dir/current/cli/main.js" "$1" --data-dir "$data_dir" "${@:2}"; }

# status and logs
cli_command() {
  local command=$1
  need_root "$@"
  shift
  parse_options "$@"
  [ -e "$data_dir/current/cli/main.js" ] ||
    fail "No threadbox installation found in $data_dir." 'Run ./threadbox up, or set its folder with --data-dir.'
  cli "$command" "${rest[@]}"
}

# server_program NAME ARGUMENT…: a program of the current release.
server_program() {
  [ -e "$data_dir/current/$1/main.js" ] ||
    fail "No threadbox installation found in $data_dir." 'Run ./threadbox up, or set its folder with --data-dir.'
  server_program_of "$data_dir/current" "$@"
}

# server_program_of RELEASE NAME ARGUMENT…: with the installation's settings, and as the server's user, because what SQLite
# creates beside the database must belong to it.
server_program_of() {
  local release=$1 program=$1/$2/main.js user
  local -a environment
  user=threadbox-$(get_environment THREADBOX_INSTALLATION)
  mapfile -t environment < <(grep '^[A-Z_]*=' "$data_dir/threadbox.env")
  env "${environment[@]}" setpriv --reuid "$user" --regid "$user" --clear-groups \
    "$release/node/bin/node" "$program" "${@:3}"
}

audit_command() {
  need_root audit "$@"
  parse_options "$@"
  case ${rest[*]} in
    verify | export) ;;
    *) refuse 'audit requires verify or export.' 'Run ./threadbox audit --help for its options.' ;;
  esac
  server_program audit "${rest[@]}"
}

# For an owner who can't sign in. Root of the machine needs no other permission.
reset_link_command() {
  local path
  need_root reset-link "$@"
  parse_options "$@"
  [ "${#rest[@]}" -eq 1 ] || refuse 'reset-link requires an email address.' 'Run ./threadbox reset-link --help for its options.'
  path=$(server_program reset-link "${rest[0]}")
  say "$(get_environment THREADBOX_ADDRESS)$path"
  say 'The link sets a new password, once, within a day. Send it to that person only.'
}

doctor_command() {
  local checks facts status=0
  need_root doctor "$@"
  parse_options "$@"
  checks=$(mktemp)
  machine_checks >"$checks"
  if [ -e "$data_dir/current/cli/main.js" ]; then
    facts=$(mktemp)
    case " ${rest[*]} " in
      # What the server knows is read as its user. Without it, the bundle says what is missing.
      *' --bundle '* | *' --bundle='*) (server_program support) >"$facts" 2>/dev/null || true ;;
    esac
    cli doctor --machine-checks "$checks" --server-facts "$facts" "${rest[@]}" || status=$?
    rm -f "$facts"
  elif [[ " ${rest[*]} " =~ ' '(--json|--bundle)[\ =] ]]; then
    rm -f "$checks"
    fail "No threadbox installation found in $data_dir; ${BASH_REMATCH[1]} requires one." 'Run ./threadbox up.'
  else
    awk -F '\t' '{print ($2 == "ok" ? "✓ " : $2 == "failed" ? "✗ " : "! ") $3 ": " $4; if ($5 != "") print "    → " $5
      if ($2 == "failed") bad = 1} END {exit bad}' "$checks" || status=$?
    say "– threadbox: not installed in $data_dir. Run ./threadbox up."
  fi
  rm -f "$checks"
  return "$status"
}

down_command() {
  need_root down "$@"
  parse_options "$@"
  [ -f "$data_dir/threadbox.env" ] || fail "No threadbox installation found in $data_dir." 'Set its folder with --data-dir.'
  lock_installation
  stop_everything
}

stop_everything() {
  local pid
  if runs_under_systemd; then
    systemctl stop "$(systemd_unit)-logs.timer" "$(systemd_unit)" "$(systemd_unit)-sandboxes"
    systemctl stop "$(systemd_unit)-host"
  fi
  if pid=$(recorded_pid supervisor); then
    say "· Stopping; sandboxes are paused first, or stopped if they can't be …"
    kill -TERM "$pid"
    await_gone "$pid" 150 || fail "threadbox didn't stop within 150 s." 'Check ./threadbox logs supervisor.'
  fi
  end_leftover server
  end_leftover host
  release_pool
  say '✓ Stopped'
}

# Frees the file of disks; the host daemon mounts it again. Processes that the daemon started end a moment after it.
release_pool() {
  local until=$((SECONDS + 10))
  mountpoint -q "$data_dir/disks/pool" || return 0
  until umount "$data_dir/disks/pool" 2>/dev/null; do
    if [ "$SECONDS" -ge "$until" ]; then
      warn "$data_dir/disks/pool is still in use."
      return 0
    fi
    sleep 0.1
  done
}

# A daemon without a supervisor, which was ended with SIGKILL.
end_leftover() {
  local pid
  pid=$(recorded_pid "$1") || return 0
  kill -TERM "$pid"
  await_gone "$pid" 90 || kill -KILL "$pid"
}

# Removes an installation with everything in it, and its objects in the kernel. What several installations share (the
# cache, Debian packages) stays.
uninstall_command() {
  local answer='' id
  need_root uninstall "$@"
  parse_options "$@"
  id=$(get_environment THREADBOX_INSTALLATION)
  [ -n "$id" ] || fail "No threadbox installation found in $data_dir." 'Set its folder with --data-dir.'
  if [ "${rest[*]}" != --yes ]; then
    read -r -p "Delete $data_dir with every thread and file in it? Type the ID $id to confirm: " answer || true
    [ "$answer" = "$id" ] || fail 'Canceled. Nothing was deleted.'
  fi
  lock_installation
  stop_everything
  if runs_under_systemd; then service_uninstall; fi
  if [ -f "$data_dir/current/uninstall/main.js" ]; then
    env THREADBOX_INSTALLATION="$id" "$data_dir/current/node/bin/node" "$data_dir/current/uninstall/main.js"
  elif ready_node && [ -d "$repository/node_modules" ]; then
    # An installation that only `dev` ran.
    env THREADBOX_INSTALLATION="$id" "$(node_folder)/bin/node" "$repository/apps/host/src/uninstall/main.ts"
  fi
  if mountpoint -q "$data_dir/disks/pool"; then fail "$data_dir/disks/pool is still in use." 'Run the command again.'; fi
  rm -rf --one-file-system "$data_dir"
  userdel "threadbox-$id" 2>/dev/null || true
  userdel "threadbox-$id-gateway" 2>/dev/null || true
  userdel "threadbox-$id-names" 2>/dev/null || true
  userdel "threadbox-$id-egress" 2>/dev/null || true
  say "✓ Uninstalled. Downloads are still cached in $cache; delete that folder too if this machine has no other installation."
}
