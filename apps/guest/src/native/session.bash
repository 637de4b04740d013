# Part of every command's shell (see session.ts): saves what the command changed in its shell. Only builtins are used,
# so saving needs no further process, also when none can be made. Everything here is called __threadbox_…, and neither
# that nor what bash itself owns is saved.

__threadbox_save() {
  local IFS=$' \t\n'
  {
    builtin printf '%s\0' "$PWD"
    builtin set +o
    builtin set +eufx
    builtin printf '\0'
    builtin shopt -p
    builtin umask -p
    builtin declare -f
    builtin declare -F
    __threadbox_variables
    builtin alias -p
    builtin printf '\0complete'
  } >"$__threadbox_target"
}

__threadbox_variables() {
  local __threadbox_letter __threadbox_name
  local -a __threadbox_names
  for __threadbox_letter in {a..z} {A..Z} _; do
    builtin eval "__threadbox_names=(\"\${!$__threadbox_letter@}\")"
    for __threadbox_name in "${__threadbox_names[@]}"; do
      case $__threadbox_name in
        __threadbox_* | THREADBOX_* | BASH | BASH_* | BASHOPTS | BASHPID | COMP_* | DIRSTACK | EPOCHREALTIME | EPOCHSECONDS) ;;
        EUID | FUNCNAME | GROUPS | HISTCMD | HOSTNAME | HOSTTYPE | IFS | LINENO | MACHTYPE | OPTARG | OPTERR | OPTIND) ;;
        OSTYPE | PIPESTATUS | PPID | PWD | RANDOM | SECONDS | SHELLOPTS | SHLVL | SRANDOM | UID | _) ;;
        *) __threadbox_was_given "$__threadbox_name" || builtin declare -p "$__threadbox_name" ;;
      esac
    done
  done
}

# What was put into the environment from outside and is unchanged is not the session's to keep.
__threadbox_was_given() {
  [[ -n ${__threadbox_given[$1]+given} && ${!1-} == "${__threadbox_given[$1]}" ]]
}

__threadbox_end() {
  if [[ -z ${__threadbox_saved-} ]]; then
    __threadbox_saved=yes
    __threadbox_save
  fi
  return "$1"
}

# Without this, a command that has an EXIT trap of its own and calls `exit` would leave nothing behind.
exit() {
  local __threadbox_status=$?
  [[ $BASHPID == "$$" ]] && { __threadbox_end 0; } 2>/dev/null
  builtin exit "${1-$__threadbox_status}"
}
