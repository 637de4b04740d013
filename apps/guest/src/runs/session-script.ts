/**
 * State of a shell session as bash wrote it: bytes, held as Latin-1 text so that values that are not UTF-8 stay intact.
 */
export type SessionState = {
  cwd: string
  /** Script that makes variables, functions, aliases, mask and `shopt` options in a fresh shell. */
  restore: string
  /** Names of the `set` options, if they are known separately from `restore`. */
  options: string[] | undefined
}

/** The state that a command left behind, and whether its shell is clean enough for the next one. */
export type SavedShell = { state: SessionState; isClean: boolean }

/** Options that belong to one script rather than to a session: they would end or disable the next command. */
const optionsNotKept = new Set(['errexit', 'nounset', 'noexec', 'onecmd', 'privileged'])
/** On in every shell, so a session without one of them has turned it off. */
const optionsAtStart = ['braceexpand', 'hashall', 'interactive-comments']
/** They print what the shell does, and must not show how the shell gets its command. */
const optionsThatPrint = new Set(['verbose', 'xtrace'])

const exitTrap = '{ __threadbox_end; } 2>/dev/null'

/**
 * What a shell runs at its start; its arguments are the library and the path of its channel. The library defines the
 * text that waits for commands and runs each one as the shell's own.
 */
export const shellBody = '. "$1"; __threadbox_channel=$2; shift 2; eval -- "$__threadbox_turns"'

/** Parses what `__threadbox_save` wrote; undefined if the shell was ended before it had finished. */
export function parseSavedShell(bytes: Buffer): SavedShell | undefined {
  const fields = bytes.toString('latin1').split('\0')
  const [cwd = '', options = '', shellOptions = '', givenNames = '', opened = '', traps = ''] = fields
  const [functions = '', variables = '', aliases = '', end] = fields.slice(6)
  if (end !== 'complete') return undefined
  const declared = sessionVariables(variables, new Set(givenNames.split(' ')))
  const restore = [
    // Options that are on by default are turned off first, so that only those that are on have to be named.
    `builtin shopt -u \${BASHOPTS//:/ }; builtin shopt -s ${shellOptions.replaceAll(':', ' ')}`,
    withoutOwnFunctions(functions),
    declared.text,
    aliases,
  ].join('\n')
  return {
    state: { cwd, restore, options: options.split(':').filter((name) => !optionsNotKept.has(name)) },
    isClean:
      opened === '' &&
      traps === `trap -- '${exitTrap}' EXIT\n` &&
      !declared.isOwnFrozen &&
      // `exec` redirects the next command's output to its reader.
      !/^exec \(\) $/m.test(functions),
  }
}

/** Own functions are cut out where one begins, at the start or after the end of another. */
function withoutOwnFunctions(text: string): string {
  return text
    .replace(/(?<=^|\n\}\n)(__threadbox_[a-z_]+|exit) \(\) \n\{ \n[\s\S]*?\n\}\n/g, '')
    .replace(/^declare -f (__threadbox_[a-z_]+|exit)\n/gm, '')
}

const bashOwn = new RegExp(
  `^(__threadbox_.*|THREADBOX_.*|BASH|BASH_.*|BASHOPTS|BASHPID|COMP_.*|DIRSTACK|EPOCHREALTIME|EPOCHSECONDS|EUID|${[
    'FUNCNAME|GROUPS|HISTCMD|HOSTNAME|HOSTTYPE|IFS|LINENO|MACHTYPE|OPTARG|OPTERR|OPTIND|OSTYPE|PIPESTATUS|PPID|PWD',
    'RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM|UID|_',
  ].join('|')})$`,
)
const alwaysReadOnly = new Set(['BASHOPTS', 'BASH_VERSINFO', 'EUID', 'PPID', 'SHELLOPTS', 'UID'])

/**
 * The session's own declarations among all that bash printed; bash puts each on its own line. Unchanged variables from
 * outside are not the session's.
 */
function sessionVariables(text: string, given: ReadonlySet<string>): { text: string; isOwnFrozen: boolean } {
  let isOwnFrozen = false
  let isKept = false
  const kept = text.split('\n').filter((line) => {
    const match = /^declare -([A-Za-z-]+) ([A-Za-z_][A-Za-z0-9_]*)(?:=|$)/.exec(line)
    // An older bash prints line breaks in values unescaped.
    if (match === null) return isKept
    const [, flags = '', name = ''] = match
    const isOwn = bashOwn.test(name)
    if (isOwn && flags.includes('r') && !alwaysReadOnly.has(name)) isOwnFrozen = true
    isKept = !isOwn && !given.has(name)
    return isKept
  })
  return { text: kept.join('\n'), isOwnFrozen }
}

/** The script that turns a fresh shell into the session's. */
export function loadScript(state: SessionState): Buffer {
  const lines = [
    // Before the variables, because the previous directory is one of them.
    `\\builtin cd -- ${quote(state.cwd)} 2>/dev/null || \\builtin cd`,
    `\\builtin eval ${quote(state.restore)} >/dev/null 2>&1`,
  ]
  return Buffer.from(`${lines.join('\n')}\n`, 'latin1')
}

/**
 * The script through which the session's shell runs a command: sets what belongs to this command, and arranges that the
 * state is saved however the command ends. No alias or function of the session can intercept anything in it.
 */
export function commandScript(options: {
  state: SessionState | undefined
  /** Directory to go to instead of the session's. */
  cwd: string
  given: Record<string, string>
  runMark: string
  /** Where output goes from now on; undefined if the shell already prints there. */
  outputPath: string | undefined
  command: string
}): Buffer {
  const given = Object.entries(options.given).map(([name, value]) => `[${quote(name)}]=${quote(latin1(value))}`)
  const exported = Object.entries(options.given).map(([name, value]) => `${name}=${quote(latin1(value))}`)
  const kept = options.state?.options
  const output = options.outputPath === undefined ? '' : `>${quote(latin1(options.outputPath))} 2>&1 `
  const printing = (kept ?? []).filter((name) => optionsThatPrint.has(name))
  const prefix = printing.length === 0 ? '' : `\\builtin set ${printing.map((name) => `-o ${name}`).join(' ')}; `
  const lines = [
    // With `builtin` it would not last.
    `\\exec ${output}</dev/null`,
    '\\builtin set --',
    `IFS=$' \\t\\n' OPTIND=1 SECONDS=0`,
    '{ \\builtin hash -r; \\builtin dirs -c; \\builtin disown -a; } 2>/dev/null',
    '\\builtin shopt -s expand_aliases',
    ...(exported.length === 0 ? [] : [`\\builtin export ${exported.join(' ')}`]),
    `\\builtin export THREADBOX_RUN=${quote(latin1(options.runMark))}`,
    '\\builtin unset -v __threadbox_given',
    '\\builtin declare -A __threadbox_given',
    `__threadbox_given=(${given.join(' ')})`,
    // A directory that was deleted since then is no reason to refuse the command.
    options.cwd === ''
      ? '[[ . -ef $PWD ]] || \\builtin cd -- "$PWD" 2>/dev/null || \\builtin cd'
      : `\\builtin cd -- ${quote(latin1(options.cwd))} 2>/dev/null || \\builtin cd`,
    `__threadbox_command=${quote(latin1(prefix + options.command))}`,
    `\\builtin trap ${quote(exitTrap)} EXIT`,
    ...(kept === undefined ? [] : [setLine(kept)]),
  ]
  return Buffer.from(`${lines.join('\n')}\n`, 'latin1')
}

function setLine(kept: readonly string[]): string {
  const off = optionsAtStart.filter((name) => !kept.includes(name)).map((name) => `+o ${name}`)
  const on = kept.filter((name) => name !== '' && !optionsThatPrint.has(name)).map((name) => `-o ${name}`)
  return ['\\builtin set', ...off, ...on].join(' ')
}

function latin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
