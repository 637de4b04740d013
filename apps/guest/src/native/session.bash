# Part of every command's shell (see session-script.ts): runs commands one after another and saves what they changed in
# the shell. Only builtins are used, so saving works even when no further process can be made. Few of them are used,
# because each one that prints costs a system call for every line. For the same reason our functions hold only the name
# of their text: all functions are printed each time. Everything here is called __threadbox_…; the reader of the saved
# state leaves that out, and what bash itself owns.

# One command: wait for it, read it, run it as the shell's own text. Not a loop, in which a stray `break` or `set -n`
# would do harm; so a shell runs as many commands as it has turns, and then a new one replaces it.
# Traps for commands are ended here, because functions do not see them.
__threadbox_turn='{ __threadbox_status=$?; \builtin trap - DEBUG ERR RETURN; __threadbox_next; } 2>/dev/null || \builtin exit "$__threadbox_status"; \builtin . "$__threadbox_channel.script"; \builtin eval -- "$__threadbox_command"; '
__threadbox_turns=$__threadbox_turn$__threadbox_turn$__threadbox_turn$__threadbox_turn
__threadbox_turns=$__threadbox_turns$__threadbox_turns$__threadbox_turns$__threadbox_turns
__threadbox_turns+='{ __threadbox_status=$?; __threadbox_end; } 2>/dev/null; \builtin exit "$__threadbox_status"'
builtin unset -v __threadbox_turn

# Reports how the last command ended, or that the shell is ready, and waits. Fails without a next command: the shell then
# ends as the last one did. The order that it waits for is one character: bash reads a pipe byte by byte.
__threadbox_next_text='
  if [[ -n ${__threadbox_target-} ]]; then
    __threadbox_end
  else
    __threadbox_status=ready
  fi
  builtin printf "%s\n" "$__threadbox_status" >"$__threadbox_channel.out"
  __threadbox_order= __threadbox_command= __threadbox_saved= __threadbox_target=$__threadbox_channel.state
  builtin read -r __threadbox_order <"$__threadbox_channel.in"
  [[ -n $__threadbox_order ]] && return
  __threadbox_saved=yes
  return 1
'
__threadbox_next() { builtin eval -- "$__threadbox_next_text"; }

__threadbox_end() {
  [[ -n ${__threadbox_saved-} ]] || builtin eval -- "__threadbox_saved=yes; $__threadbox_save_text"
}

__threadbox_save_text='
  local __threadbox_options=$SHELLOPTS
  builtin set +efuvxCk +o posix
  local __threadbox_open=("${IFS@a}")
  local IFS=$'\'' \t\n'\''
  local __threadbox_name __threadbox_given_names=
  for __threadbox_name in "${!__threadbox_given[@]}"; do
    [[ ${!__threadbox_name-} == "${__threadbox_given[$__threadbox_name]}" ]] && __threadbox_given_names+=" $__threadbox_name"
  done
  {
    __threadbox_open+=(/proc/self/fd/*)
    builtin : "${__threadbox_open_first=${__threadbox_open[*]}}"
    [[ ${__threadbox_open[*]} == "$__threadbox_open_first" ]] && __threadbox_open=()
    builtin printf "%s\0" "$PWD" "$__threadbox_options" "$BASHOPTS" "$__threadbox_given_names" "${__threadbox_open[*]}"
    builtin trap -p
    builtin enable -n
    builtin printf "\0"
    builtin umask -p
    builtin declare -f
    builtin declare -F
    builtin printf "\0"
    builtin declare -p
    builtin printf "\0"
    builtin alias -p
    builtin printf "\0complete"
  } >|"${__threadbox_target-/dev/null}"
'

# Without this, a command that has an EXIT trap of its own and calls `exit` would leave nothing behind.
exit() {
  local __threadbox_status=$?
  [[ $BASHPID == "$$" ]] && { __threadbox_end; } 2>/dev/null
  builtin exit "${1-$__threadbox_status}"
}

# The first save is the slowest, and records which descriptors are open in a fresh shell.
{ __threadbox_end; } 2>/dev/null
builtin unset -v __threadbox_saved
