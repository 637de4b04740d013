# `service install` and `service uninstall`: systemd instead of our own supervisor. Sourced by the launcher.
# shellcheck shell=bash

service_command() {
  local action=${1:-}
  need_root service "$@"
  [ $# -eq 0 ] || shift
  parse_options "$@"
  case $action in install | uninstall) ;; *) fail 'service needs one of: install, uninstall.' ;; esac
  [ -d /run/systemd/system ] || fail 'systemd does not run here.' './threadbox up starts threadbox without it.'
  [ -e "$data_dir/current" ] || fail "There is no threadbox in $data_dir." 'Run ./threadbox up first.'
  lock_installation
  "service_$action"
}

service_install() {
  local unit pid
  unit=$(systemd_unit)
  if pid=$(recorded_pid supervisor); then
    kill -TERM "$pid"
    await_gone "$pid" 150 || fail 'The running supervisor did not stop.' 'Run ./threadbox down, then this again.'
  fi
  host_unit >"/etc/systemd/system/$unit-host.service"
  sandboxes_unit "$unit" >"/etc/systemd/system/$unit-sandboxes.service"
  server_unit "$unit" >"/etc/systemd/system/$unit.service"
  systemctl daemon-reload
  systemctl enable --now "$unit-host" "$unit-sandboxes" "$unit"
  say "✓ Installed as $unit and $unit-host. They start with the machine."
}

service_uninstall() {
  local unit
  unit=$(systemd_unit)
  systemctl disable --now "$unit" "$unit-sandboxes" 2>/dev/null || true
  systemctl disable --now "$unit-host" 2>/dev/null || true
  rm -f "/etc/systemd/system/$unit.service" "/etc/systemd/system/$unit-sandboxes.service" \
    "/etc/systemd/system/$unit-host.service"
  systemctl daemon-reload
  say "✓ Removed. ./threadbox up starts it without systemd."
}

# Only the daemon itself gets the stop signal, and it leaves its sandboxes alone: they outlive a restart of it.
host_unit() {
  cat <<UNIT
[Unit]
Description=threadbox host daemon ($(get_environment THREADBOX_INSTALLATION))
After=network-online.target
Wants=network-online.target

[Service]
EnvironmentFile=$data_dir/threadbox.env
ExecStart=$data_dir/current/node/bin/node --enable-source-maps $data_dir/current/host/main.js
WorkingDirectory=$data_dir
KillMode=process
TimeoutStopSec=30
Restart=always
RestartSec=1
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

server_unit() {
  cat <<UNIT
[Unit]
Description=threadbox server ($(get_environment THREADBOX_INSTALLATION))
After=network-online.target $1-host.service
Wants=$1-host.service

[Service]
User=threadbox-$(get_environment THREADBOX_INSTALLATION)
EnvironmentFile=$data_dir/threadbox.env
ExecStart=$data_dir/current/node/bin/node --enable-source-maps $data_dir/current/server/main.js
WorkingDirectory=$data_dir/server
Restart=always
RestartSec=1
NoNewPrivileges=yes
ProtectSystem=full
PrivateTmp=yes
StandardOutput=append:$data_dir/logs/server.log
StandardError=append:$data_dir/logs/server.log

[Install]
WantedBy=multi-user.target
UNIT
}
