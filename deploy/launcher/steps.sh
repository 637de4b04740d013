# Steps that run in parallel, each with a line on the terminal and a file for the setup page. Sourced by the launcher.
# shellcheck shell=bash

# One file per step, fields separated by tabs: state, title, milliseconds, bytes downloaded (or -), current action.
steps_dir=
declare -A step_pids=()

begin_steps() {
  steps_dir=$data_dir/run/steps
  rm -rf "$steps_dir"
  mkdir -p "$steps_dir"
  chmod 0755 "$steps_dir"
}

write_step() {
  local name=$1
  shift
  local IFS=$'\t'
  printf '%s\n' "$*" >"$steps_dir/.$name.new"
  mv "$steps_dir/.$name.new" "$steps_dir/$name"
}

# announce_step ID TITLE: shows a step that is still to come.
announce_step() { write_step "$1" waiting "$2" 0 - ''; }

# start_step ID TITLE FUNCTION [ARGUMENT…]: runs the function in the background. Its output goes to a log; a line that
# begins with "progress: " is the step's current action, one with "downloaded: " a number of additional bytes.
start_step() {
  local id=$1
  (run_step "$@") &
  step_pids[$id]=$!
}

run_step() {
  local id=$1 title=$2 started bytes=- log status=0
  shift 2
  log=$data_dir/logs/setup-$id.log
  started=$(now_ms)
  write_step "$id" running "$title" 0 - ''
  say "· $title …"
  set +e
  (
    set -e
    "$@"
  ) 2>&1 | follow_step "$id" "$title" "$started" "$log"
  status=${PIPESTATUS[0]}
  set -e
  [ -f "$steps_dir/.$id.bytes" ] && bytes=$(<"$steps_dir/.$id.bytes")
  finish_step "$id" "$title" "$(($(now_ms) - started))" "$bytes" "$status" "$log"
  return "$status"
}

# Reads a step's output: keeps it in the log, and shows the lines that are meant for people.
follow_step() {
  local id=$1 title=$2 started=$3 log=$4 line bytes=0
  : >"$log"
  while IFS= read -r line || [ -n "$line" ]; do
    printf '%s\n' "$line" >>"$log"
    case $line in
      'progress: '*)
        write_step "$id" running "$title" "$(($(now_ms) - started))" - "${line#progress: }"
        say "    $title: ${line#progress: }"
        ;;
      'image: '*)
        write_step "$id" running "$title" "$(($(now_ms) - started))" - "${line#image: }"
        say "    $title: ${line#image: }"
        ;;
      'downloaded: '*)
        bytes=$((bytes + ${line#downloaded: }))
        printf '%s' "$bytes" >"$steps_dir/.$id.bytes"
        ;;
    esac
  done
}

finish_step() {
  local id=$1 title=$2 took=$3 bytes=$4 status=$5 log=$6 loaded=''
  [ "$bytes" = - ] || [ "$bytes" -eq 0 ] || loaded=", $(human_bytes "$bytes") downloaded"
  if [ "$status" -eq 0 ]; then
    write_step "$id" "done" "$title" "$took" "$bytes" ''
    say "✓ $title: $(seconds_of_ms "$took") s$loaded"
    return
  fi
  write_step "$id" failed "$title" "$took" "$bytes" "$(tail -n 1 "$log" | cut -c 1-300)"
  printf '✗ %s failed after %s s. Last lines:\n' "$title" "$(seconds_of_ms "$took")" >&2
  tail -n 12 "$log" | sed 's/^/    /' >&2
  printf '  → Full log: %s. Run the same command again to continue where it stopped.\n' "$log" >&2
}

# await_step ID…: waits for steps; ends the launcher if one failed.
await_step() {
  local id
  for id in "$@"; do
    [ -n "${step_pids[$id]:-}" ] || continue
    wait "${step_pids[$id]}" || fail 'Setup failed.'
    unset "step_pids[$id]"
  done
}

# Ends the steps that still run, with everything they started.
end_steps() {
  local pid
  for pid in "${step_pids[@]}"; do
    end_process_tree "$pid"
  done
  step_pids=()
}

# Stops each process before listing its children: a running one could start another after that, or report that a child
# ended. It has SIGTERM by the time it continues.
end_process_tree() {
  local child children
  kill -STOP "$1" 2>/dev/null || return 0
  children=$(children_of "$1")
  kill -TERM "$1" 2>/dev/null || true
  kill -CONT "$1" 2>/dev/null || true
  for child in $children; do
    end_process_tree "$child"
  done
}

# Reads the kernel's own files: ps might not be installed yet.
children_of() {
  { cat /proc/[0-9]*/stat 2>/dev/null || true; } |
    awk -v parent="$1" '{pid = $1; sub(/^.*[)] /, ""); if ($2 == parent) print pid}'
}
