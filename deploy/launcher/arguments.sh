# The arguments of each command; anything else is rejected before a command begins. Sourced by the launcher.
# shellcheck shell=bash

# The syntax of each command; `check_arguments` reads it. `[--option VALUE]`, `[--option]`, or `[--option[=VALUE]]`;
# words follow, and `…` stands for any number of them.
synopsis_of() {
  local address='[--port PORT] [--host ADDRESS] [--domain NAME] [--public-url URL]'
  case $1 in
    up | dev) say "[--data-dir FOLDER] $address" ;;
    upgrade) say '[--data-dir FOLDER] [--back] [TAG]' ;;
    down) say '[--data-dir FOLDER]' ;;
    status) say '[--data-dir FOLDER] [--json]' ;;
    doctor) say '[--data-dir FOLDER] [--json] [--bundle] [FILE]' ;;
    logs) say '[--data-dir FOLDER] [-f] [--follow] [-n COUNT] [--lines COUNT] [NAME]' ;;
    service) say '[--data-dir FOLDER] install|uninstall' ;;
    audit) say '[--data-dir FOLDER] verify|export' ;;
    reset-link) say '[--data-dir FOLDER] EMAIL' ;;
    backup) say '[--data-dir FOLDER] [--key FILE] [--full] init|confirm|run|list|verify|prune [WORD…]' ;;
    restore) say '[--data-dir FOLDER] [--key FILE] [--backup NAME] [--as-copy] STORE' ;;
    uninstall) say '[--data-dir FOLDER] [--yes]' ;;
    test) say '[--full] [--changed[=COMMIT]] [-t NAME] [--testNamePattern NAME] [STAGE…] [FILE…]' ;;
    bench) say '[--only SCENARIO[,SCENARIO…]] [--rounds NUMBER] [--threads NUMBER] [--minutes NUMBER] [--json] [SCENARIO…]' ;;
    benchmark) say '[--drivers NAME[,NAME…]] [--rows ROW[,ROW…]] [--rounds NUMBER] [--seed NUMBER] [--save]' ;;
    chaos) say '[--minutes NUMBER] [--kills NUMBER] [--seed NUMBER] [--threads NUMBER]' ;;
    fuzz) say '[--minutes NUMBER] [--seed NUMBER]' ;;
    check) ;;
    *) return 1 ;;
  esac
}

# check_arguments COMMAND [ARGUMENT…]: handles --help, and rejects what the command does not accept.
check_arguments() {
  local command=$1 synopsis words option help="Run ./threadbox $1 --help for its options."
  # `main` rejects unknown commands.
  synopsis=$(synopsis_of "$command") || return 0
  words=$(words_taken "$synopsis")
  shift
  while [ $# -gt 0 ]; do
    option=${1%%=*}
    case $1 in
      -h | --help)
        say "Usage: ./threadbox $command $synopsis"
        exit 0
        ;;
      -[!-]?*) option=${1:0:2} ;;
    esac
    case $option,$synopsis in
      -*,*"[$option "*)
        if [ "$1" = "$option" ]; then
          [ $# -ge 2 ] || refuse "$option requires a value." "$help"
          shift
        fi
        ;;
      -*,*"[$option]"* | -*,*"[$option["*) ;;
      -*) refuse "Unknown option for $command: '$1'" "$help" ;;
      *)
        [ "$words" -gt 0 ] || refuse "Unexpected argument for $command: '$1'" "$help"
        words=$((words - 1))
        ;;
    esac
    shift
  done
}

# How many words a synopsis allows besides its options.
words_taken() {
  local words
  words=$(sed -E 's/\[-[^]]*\]+//g' <<<"$1")
  case $words in
    *…*) printf 1000 ;;
    *[![:space:]]*) printf 1 ;;
    *) printf 0 ;;
  esac
}
