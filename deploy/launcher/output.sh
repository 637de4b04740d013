# Output for people. Sourced by the launcher.
# shellcheck shell=bash

say() { printf '%s\n' "$*"; }
warn() { printf '! %s\n' "$*" >&2; }

# Prints a problem and, in further arguments, what to do; ends the launcher.
fail() {
  printf '✗ %s\n' "$1" >&2
  shift
  [ $# -eq 0 ] || printf '  → %s\n' "$@" >&2
  exit 1
}

# Like `fail`, for an unusable command line: exits with 2, the code for usage errors.
refuse() { (fail "$@") || exit 2; }

now_ms() { printf '%s' "$((${EPOCHREALTIME/[.,]/} / 1000))"; }

# 12345 → "12.3"
seconds_of_ms() { printf '%d.%d' "$(($1 / 1000))" "$(($1 % 1000 / 100))"; }

# Bytes for a person, decimal as downloads are counted.
human_bytes() {
  local bytes=$1
  if [ "$bytes" -ge 1000000000 ]; then
    printf '%d.%d GB' "$((bytes / 1000000000))" "$((bytes % 1000000000 / 100000000))"
  elif [ "$bytes" -ge 1000000 ]; then
    printf '%d MB' "$((bytes / 1000000))"
  else
    printf '%d kB' "$((bytes / 1000))"
  fi
}

# Restarts the launcher as root, with the machine's proxy and certificate settings.
need_root() {
  [ "$(id -u)" -eq 0 ] && return
  command -v sudo >/dev/null || fail "This command needs root, and sudo isn't installed." 'Run it again as root.'
  say 'This command needs root. sudo may ask for your password.'
  cd "$caller_directory" || fail "The current folder no longer exists."
  exec sudo --preserve-env="$kept_variables" -- "$repository/threadbox" "$@"
}
