# `backup` and `restore`. Sourced by the launcher.
# shellcheck shell=bash

# Options of both; what is left is in `rest`.
parse_backup_options() {
  local -a words=()
  key_file='' backup_name=newest as_copy='' full=''
  parse_options "$@"
  set -- "${rest[@]}"
  while [ $# -gt 0 ]; do
    case $1 in
      --key=* | --backup=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
      --key)
        key_file=$(cd "$caller_directory" && realpath -m -- "$2")
        [ -f "$key_file" ] || refuse "$key_file does not exist." 'Name the file with the recovery key.'
        shift 2
        ;;
      --backup)
        backup_name=$2
        shift 2
        ;;
      --as-copy)
        as_copy=as-copy
        shift
        ;;
      --full)
        full=full
        shift
        ;;
      *)
        words+=("$1")
        shift
        ;;
    esac
  done
  rest=("${words[@]}")
}

backup_command() {
  need_root backup "$@"
  parse_backup_options "$@"
  case ${rest[0]:-},${#rest[@]} in
    init,2) backup_init "${rest[1]}" ;;
    confirm,1) backup_confirm ;;
    run,1) machine_files | server_program backup run machine-files ;;
    list,1 | prune,1) server_program backup "${rest[0]}" ;;
    verify,1)
      [ -z "$full" ] || [ -n "$key_file" ] || refuse '--full requires the recovery key.' 'Add --key FILE.'
      server_program backup verify ${full:+"$full"} <"${key_file:-/dev/null}"
      ;;
    *) refuse 'backup requires init STORE, confirm, run, list, verify or prune.' 'Run ./threadbox backup --help for its options.' ;;
  esac
}

# A new or empty folder is given to the server's user, which writes the backups.
backup_init() {
  local place=$1 user key
  user=threadbox-$(get_environment THREADBOX_INSTALLATION)
  if [[ $place != s3+* ]]; then
    place=$(cd "$caller_directory" && realpath -m -- "$place")
    if [ ! -e "$place" ] || { [ -d "$place" ] && [ -z "$(find "$place" -mindepth 1 -maxdepth 1 ! -name lost+found)" ]; }; then
      install -d -m 0700 -o "$user" -g "$user" "$place" || fail "Can't create $place."
    fi
  fi
  key=$(server_program backup init "$place")
  say ''
  say 'This is the recovery key. It is shown only now, and nothing can be restored without it:'
  say ''
  say "  $key"
  say ''
  say 'Keep it in a place that outlives this machine, such as a password manager.'
  backup_confirm
}

backup_confirm() {
  local ending=''
  read -r -p 'Type its last 8 characters to show that you have it: ' ending || true
  server_program backup confirm "$ending"
  machine_files | server_program backup keep-machine-files
  ! runs_under_systemd || allow_store
}

# Backups on a schedule are started by the server, whose unit must know the folder that they go to.
allow_store() {
  local unit
  unit=$(systemd_unit)
  server_unit "$unit" >"/etc/systemd/system/$unit.service.new"
  if cmp -s "/etc/systemd/system/$unit.service.new" "/etc/systemd/system/$unit.service"; then
    rm -f "/etc/systemd/system/$unit.service.new"
    return
  fi
  mv "/etc/systemd/system/$unit.service.new" "/etc/systemd/system/$unit.service"
  systemctl daemon-reload
  systemctl restart "$unit"
}

# The folder of the store; nothing if there is none, or if it is a bucket.
store_folder() {
  sed -n 's|^  "place": "\(/.*\)",$|\1|p' "$data_dir/server/backup.json" 2>/dev/null || true
}

# What only root can read: the settings, and the authority that certifies hosts with secrets.
machine_files() {
  local -a names=(threadbox.env)
  [ ! -f "$data_dir/egress/authority.key" ] || names+=(egress/authority.key egress/authority.pem)
  tar --create --directory="$data_dir" --numeric-owner --file=- "${names[@]}"
}

# Into an installation that `up` made and no person uses. Database, keys and blobs first, then the disks, which only the host
# daemon can make; the server starts after that.
restore_command() {
  local status=0
  need_root restore "$@"
  parse_backup_options "$@"
  [ "${#rest[@]}" -eq 1 ] || refuse 'restore requires the address of a store.' 'Run ./threadbox restore --help for its options.'
  [ -n "$key_file" ] || refuse 'restore requires the recovery key.' 'Add --key FILE.'
  [ -f "$data_dir/threadbox.env" ] && [ -e "$data_dir/current/backup/main.js" ] ||
    fail "No threadbox installation found in $data_dir." 'Run ./threadbox up first, and create no account.'
  lock_installation
  stop_everything
  # One that was interrupted after its files continues with the disks.
  if [ ! -f "$data_dir/server/backups/restored" ]; then
    server_program backup restore-files "${rest[0]}" "$backup_name" ${as_copy:+"$as_copy"} <"$key_file" || status=$?
    [ -f "$data_dir/server/backups/restored" ] || fail 'Nothing was restored.'
  fi
  restore_authority
  restore_disks || status=$?
  rm -rf "$data_dir/server/backups/restoring" "$data_dir/server/backups/restored"
  exec 9>&-
  up_command --data-dir "$data_dir"
  [ "$status" -eq 0 ] || warn 'Something could not be restored; the lines above name it.'
  return "$status"
}

restore_authority() {
  local archive=$data_dir/server/backups/restoring/machine.tar folder
  [ -f "$archive" ] || return 0
  folder=$(mktemp -d "$data_dir/host/.restoring-XXXXXX")
  if tar --extract --directory="$folder" --no-same-owner --file="$archive" egress/authority.key egress/authority.pem 2>/dev/null; then
    install -d -m 0700 "$data_dir/egress"
    install -m 0600 "$folder/egress/authority.pem" "$folder/egress/authority.key" "$data_dir/egress/"
  fi
  rm -rf "$folder"
}

# Runs the host daemon alone while it receives the disks.
restore_disks() {
  local pid status=0 until=$((SECONDS + 300))
  local -a environment
  mapfile -t environment < <(grep '^[A-Z_]*=' "$data_dir/threadbox.env")
  rm -f "$data_dir/run/host.sock"
  env "${environment[@]}" "$data_dir/current/node/bin/node" --disable-sigusr1 "$data_dir/current/host/main.js" \
    8>&- 9>&- </dev/null >>"$data_dir/logs/host.log" 2>&1 &
  pid=$!
  until [ -S "$data_dir/run/host.sock" ]; do
    kill -0 "$pid" 2>/dev/null && [ "$SECONDS" -lt "$until" ] || fail "The host daemon didn't start." 'Check ./threadbox logs host, then run the command again.'
    sleep 0.2
  done
  await_host
  server_program backup restore-disks || status=$?
  kill -TERM "$pid" 2>/dev/null || true
  await_gone "$pid" 90 || kill -KILL "$pid"
  release_pool
  return "$status"
}
