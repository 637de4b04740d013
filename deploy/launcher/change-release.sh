# Replaces the release of an installation by another one, and puts the previous one back if the new one fails. Sourced by the
# launcher.
# shellcheck shell=bash

# A new release gets this long to serve and to pass its probes.
readonly probe_seconds=60

# The release that a new one replaces; nothing if there is none, or if the new one already runs.
release_before() {
  local current
  current=$(current_release)
  [ "$current" = "$1" ] || [ ! -f "$data_dir/releases/$current/release.json" ] || printf '%s' "$current"
}

current_release() { basename "$(readlink "$data_dir/current" 2>/dev/null || true)"; }

# Nothing has changed yet when one of these fails: the earlier release still runs.
check_release() {
  local release=$1 before=$2 needed free problem
  needed=$(($(stat -c %s "$data_dir/server/server.db" 2>/dev/null || echo 0) * 3 / 1048576 + 512))
  free=$(($(df -Pk "$data_dir" | awk 'NR == 2 {print $4}') / 1024))
  if [ "$free" -lt "$needed" ]; then
    echo "The upgrade needs $needed MiB of free disk space in $data_dir; $free MiB are free. Nothing was changed."
    return 1
  fi
  echo 'progress: trying the database'
  problem=$(server_program_of "$data_dir/releases/$release" schema try 2>&1 >/dev/null) || {
    echo "A copy of the database couldn't be upgraded: $problem"
    echo 'Nothing was changed; the earlier release keeps running.'
    return 1
  }
  remember_release "$release" "$before"
}

# What the way back needs: the settings that the earlier release has, and the migrations that it knows.
remember_release() {
  local release=$1 before=$2
  [ ! -f "$data_dir/.environment-before" ] || mv "$data_dir/.environment-before" "$data_dir/releases/.environment-$before"
  # After a change that was undone, the database has the newer release's migrations until the earlier one starts.
  [ ! -f "$data_dir/server/going-back" ] || [ ! -f "$data_dir/releases/.schema-$before" ] || return 0
  server_program_of "$data_dir/releases/$release" schema list >"$data_dir/releases/.schema-$before.new"
  mv "$data_dir/releases/.schema-$before.new" "$data_dir/releases/.schema-$before"
}

# change_release NEW BEFORE: true if the new one serves. Otherwise the earlier one serves again.
change_release() {
  local release=$1 before=$2
  begin_change "$release" "$before"
  switch_release "$release" || true
  if ends_allowed=3 start_release; then
    keep_as_previous "$before"
    return
  fi
  echo 'progress: putting the earlier release back'
  put_back_release "$before" "$release"
  echo "The release that ran before serves again; everything written since is kept."
  return 1
}

# A power cut from here on: the next start of the daemons, or the next `up`, undoes the change first.
begin_change() {
  local release=$1 before=$2
  [ -f "$data_dir/releases/.environment-$before" ] ||
    cp -p "$data_dir/threadbox.env" "$data_dir/releases/.environment-$before"
  undo_program "$before" >"$data_dir/run/undo-change.new"
  chmod 0700 "$data_dir/run/undo-change.new"
  mv "$data_dir/run/undo-change.new" "$data_dir/run/undo-change"
  printf '%s %s\n' "$release" "$before" >"$data_dir/run/changing-release"
}

# undo_program BEFORE: a program that puts this release back, without the checkout. It runs before the daemons start, and
# does nothing while the launcher that makes the change still runs (with `now`, that launcher runs it). Each of its steps can be repeated.
undo_program() {
  local user
  user=threadbox-$(get_environment THREADBOX_INSTALLATION)
  cat <<PROGRAM
#!/bin/sh
set -eu
cd '$data_dir'
exec 8>run/.undo-change 9>.lock
flock 8
[ "\${1:-}" = now ] || flock --nonblock 9 || exit 0
[ -f run/changing-release ] || exit 0
cp -p 'releases/.environment-$1' threadbox.env.new
mv threadbox.env.new threadbox.env
install -m 0600 -o '$user' -g '$user' /dev/null server/going-back
ln -sfn 'releases/$1' current.new
mv -T current.new current
rm -f run/changing-release
echo 'The change to another release never ended: $1 is current again. ./threadbox up makes the change again.'
PROGRAM
}

end_change() { rm -f "$data_dir/run/changing-release" "$data_dir/run/undo-change"; }

# Makes the earlier release current if a change never ended. True if it did.
undo_unfinished_change() {
  [ -f "$data_dir/run/changing-release" ] && [ -x "$data_dir/run/undo-change" ] || return 1
  "$data_dir/run/undo-change" now
}

# An interrupted launcher puts the earlier release back.
put_back_if_interrupted() {
  undo_unfinished_change || return 0
  say '· Starting the earlier release …'
  if start_and_wait; then
    say "✓ $(current_release) serves again"
  else
    warn "The earlier release doesn't serve yet. Check ./threadbox logs server."
  fi
}

# Starts the current release and waits until it passes its probes. Prints why it does not.
start_release() { start_and_wait && probe_release; }

# The page that people sign in on, and the parts that the server itself checks.
probe_release() {
  local until=$((SECONDS + probe_seconds)) said
  while :; do
    said=$(readiness) && return 0
    [ "$SECONDS" -lt "$until" ] || break
    sleep 0.3
  done
  echo "The release isn't ready: ${said:-no response}"
  return 1
}

# Prints what the server says of its parts; true if all respond.
readiness() {
  local line status='' body
  ask_server /readyz || return 1
  while IFS= read -r -t 5 line <&7; do
    [ -n "$status" ] || status=$line
    [ "$line" != $'\r' ] || break
  done
  body=$(timeout 5 cat <&7 | head -c 2000 | tr -d '\r\n' || true)
  exec 7>&-
  printf '%s' "$body"
  [[ $status == *' 200 '* ]]
}

# put_back_release EARLIER NEWER: the database keeps its new tables, which the earlier release ignores.
put_back_release() {
  local before=$1 newer=$2
  [ ! -f "$data_dir/releases/.environment-$before" ] ||
    cp -p "$data_dir/releases/.environment-$before" "$data_dir/threadbox.env"
  # Whatever starts from now on is the earlier release, which itself sets aside what it doesn't know if this launcher is killed.
  mark_going_back
  switch_release "$before" || true
  stop_server
  if [ -f "$data_dir/releases/.schema-$before" ]; then
    server_program_of "$data_dir/releases/$newer" schema set-aside "$data_dir/releases/.schema-$before" >/dev/null
  fi
  start_and_wait || return 1
  end_change
}

mark_going_back() {
  local user
  user=threadbox-$(get_environment THREADBOX_INSTALLATION)
  install -m 0600 -o "$user" -g "$user" /dev/null "$data_dir/server/going-back"
}

previous_release() { cat "$data_dir/releases/.previous" 2>/dev/null || true; }

keep_as_previous() {
  printf '%s\n' "$1" >"$data_dir/releases/.previous"
  end_change
  prune_releases "$(current_release)" "$1"
}

# Stops both daemons; sandboxes keep running. A supervisor that restarts would start the server immediately.
stop_server() {
  local pid
  if runs_under_systemd; then
    systemctl stop "$(systemd_unit)"
    return
  fi
  pid=$(recorded_pid server) || return 0
  kill -TERM "$pid" 2>/dev/null || true
  await_gone "$pid" 20 || kill -KILL "$pid" 2>/dev/null || true
}

# `upgrade --back`: the release that ran before the present one, with everything written since.
upgrade_back() {
  local before newer
  need_root 'upgrade --back'
  lock_installation
  newer=$(current_release)
  before=$(previous_release)
  [ -n "$before" ] && [ -f "$data_dir/releases/$before/release.json" ] ||
    fail 'There is no earlier release to go back to.' 'Only the release before the present one is kept.'
  say "· Going back from $newer to $before"
  put_back_release "$before" "$newer" ||
    fail "The earlier release doesn't serve." 'Check ./threadbox logs server, or run ./threadbox up to install this checkout.'
  keep_as_previous "$newer"
  settings_key >"$data_dir/run/settings-key"
  say "✓ $before serves again; everything written since the upgrade is kept"
  say '· This checkout still has the newer release: ./threadbox up installs it again.'
}
