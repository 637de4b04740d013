# `service install` and `service uninstall`: systemd instead of our own supervisor. Sourced by the launcher.
# shellcheck shell=bash

# As our own supervisor starts them; a test compares both.
readonly node_options='--enable-source-maps --disable-sigusr1 --max-semi-space-size=8'
readonly memory_environment='MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072'

service_command() {
  local action=${1:-}
  need_root service "$@"
  [ $# -eq 0 ] || shift
  parse_options "$@"
  case $action in install | uninstall) ;; *) refuse 'Usage: ./threadbox service install | uninstall' ;; esac
  [ -d /run/systemd/system ] || fail "systemd isn't running on this machine." 'Use ./threadbox up to start threadbox without systemd.'
  [ -e "$data_dir/current" ] || fail "No threadbox installation found in $data_dir." 'Run ./threadbox up first.'
  lock_installation
  "service_$action"
}

service_install() {
  local unit pid
  unit=$(systemd_unit)
  if pid=$(recorded_pid supervisor); then
    kill -TERM "$pid"
    await_gone "$pid" 150 || fail "The running supervisor didn't stop." \
      'Run ./threadbox down, then run this command again.'
  fi
  keep_proxies
  host_unit >"/etc/systemd/system/$unit-host.service"
  sandboxes_unit "$unit" >"/etc/systemd/system/$unit-sandboxes.service"
  server_unit "$unit" >"/etc/systemd/system/$unit.service"
  logs_unit >"/etc/systemd/system/$unit-logs.service"
  logs_timer >"/etc/systemd/system/$unit-logs.timer"
  systemctl daemon-reload
  systemctl enable --now "$unit-host" "$unit-sandboxes" "$unit" "$unit-logs.timer"
  settings_key >"$data_dir/run/settings-key"
  say "✓ Installed as $unit and $unit-host. They start at boot."
}

service_uninstall() {
  local unit
  unit=$(systemd_unit)
  systemctl disable --now "$unit-logs.timer" "$unit" "$unit-sandboxes" 2>/dev/null || true
  systemctl disable --now "$unit-host" 2>/dev/null || true
  rm -f "/etc/systemd/system/$unit.service" "/etc/systemd/system/$unit-sandboxes.service" \
    "/etc/systemd/system/$unit-host.service" "/etc/systemd/system/$unit-logs.service" \
    "/etc/systemd/system/$unit-logs.timer"
  systemctl daemon-reload
  systemctl reset-failed "$unit" "$unit-sandboxes" "$unit-host" "$unit-logs" 2>/dev/null || true
  say "✓ Removed. Use ./threadbox up to start threadbox without systemd."
}

# Our own supervisor has the environment that it was started in; a unit has only its file.
keep_proxies() {
  local name
  for name in HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy; do
    [ -z "${!name:-}" ] || set_environment "$name" "${!name}"
  done
}

# Only the daemon itself gets the stop signal, and it leaves its sandboxes alone: they outlive a restart of it.
host_unit() {
  cat <<UNIT
[Unit]
Description=threadbox host daemon ($(get_environment THREADBOX_INSTALLATION))
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=0

[Service]
Environment=$memory_environment
EnvironmentFile=$data_dir/threadbox.env
$(undo_before_start)
ExecStart=$data_dir/current/node/bin/node $node_options $data_dir/current/host/main.js
ExecStartPost=+$data_dir/current/node/bin/node $data_dir/current/cli/main.js record-process host \$MAINPID --data-dir $data_dir
WorkingDirectory=$data_dir
KillMode=process
TimeoutStopSec=30
Restart=always
$(restart_pauses)
Delegate=yes
OOMScoreAdjust=-900
StandardOutput=append:$data_dir/logs/host.log
StandardError=append:$data_dir/logs/host.log

[Install]
WantedBy=multi-user.target
UNIT
}

# Stopped before the host daemon, at `down` and when the machine shuts down, but not when a daemon is restarted.
sandboxes_unit() {
  cat <<UNIT
[Unit]
Description=threadbox sandboxes ($(get_environment THREADBOX_INSTALLATION))
After=$1-host.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
ExecStop=$data_dir/current/node/bin/node $data_dir/current/cli/main.js stop-sandboxes --data-dir $data_dir
TimeoutStopSec=100

[Install]
WantedBy=multi-user.target
UNIT
}

# A change of the release that a power cut ended is undone before anything starts; as root, also for the server.
undo_before_start() { printf "ExecStartPre=+/bin/sh -c '[ ! -x %s/run/undo-change ] || %s/run/undo-change'" "$data_dir" "$data_dir"; }

# A killed daemon is back before a person notices. systemd 254 makes the pause longer for one that can't start.
restart_pauses() {
  echo RestartSec=200ms
  [ "$(systemd_version)" -lt 254 ] || printf '%s\n' RestartSteps=8 RestartMaxDelaySec=30
}

systemd_version() { systemctl --version 2>/dev/null | sed -n '1s/^systemd \([0-9]*\).*/\1/p' | grep . || echo 0; }

# A data directory or a store below a home is not visible if homes aren't.
home_protection() {
  local folder
  for folder in "$data_dir" "$(store_folder)" "$(get_environment THREADBOX_ARCHIVE_STORE)"; do
    case $folder in /home/* | /root/* | /run/user/*) echo read-only && return ;; esac
  done
  echo yes
}

# Where the server may write. The folder of a store can be missing, such as a drive that isn't mounted.
writable_folders() {
  local folder
  echo "ReadWritePaths=$data_dir/server"
  for folder in "$(store_folder)" "$(get_environment THREADBOX_ARCHIVE_STORE)"; do
    case $folder in /*) printf 'ReadWritePaths="-%s"\n' "${folder//%/%%}" ;; esac
  done
}

# The server needs its own folder, the host daemon's socket and the network, and gets nothing else. Without
# MemoryDenyWriteExecute, because V8 compiles to memory that it then executes.
server_unit() {
  cat <<UNIT
[Unit]
Description=threadbox server ($(get_environment THREADBOX_INSTALLATION))
After=network-online.target $1-host.service
Wants=$1-host.service
StartLimitIntervalSec=0

[Service]
User=threadbox-$(get_environment THREADBOX_INSTALLATION)
Environment=$memory_environment
EnvironmentFile=$data_dir/threadbox.env
$(undo_before_start)
ExecStart=$data_dir/current/node/bin/node $node_options $data_dir/current/server/main.js
ExecStartPost=+$data_dir/current/node/bin/node $data_dir/current/cli/main.js record-process server \$MAINPID --data-dir $data_dir
WorkingDirectory=$data_dir/server
Restart=always
$(restart_pauses)
UMask=0077
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=$(home_protection)
$(writable_folders)
PrivateTmp=yes
PrivateDevices=yes
PrivateIPC=yes
KeyringMode=private
RemoveIPC=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
LockPersonality=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
LimitCORE=0
LimitNOFILE=65536
StandardOutput=append:$data_dir/logs/server.log
StandardError=append:$data_dir/logs/server.log

[Install]
WantedBy=multi-user.target
UNIT
}

# systemd keeps the logs open but does not limit their size.
logs_unit() {
  cat <<UNIT
[Unit]
Description=threadbox log rotation ($(get_environment THREADBOX_INSTALLATION))

[Service]
Type=oneshot
ExecStart=$data_dir/current/node/bin/node $data_dir/current/cli/main.js rotate-logs --data-dir $data_dir
UNIT
}

logs_timer() {
  cat <<UNIT
[Unit]
Description=threadbox log rotation ($(get_environment THREADBOX_INSTALLATION))

[Timer]
OnActiveSec=5min
OnUnitActiveSec=5min

[Install]
WantedBy=timers.target
UNIT
}
