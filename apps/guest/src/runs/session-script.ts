/**
 * State of a shell session as bash wrote it: bytes, held as Latin-1 text so that nothing is lost in values that are
 * not UTF-8.
 */
export type SessionState = { cwd: string; restore: string }

/** Options that belong to one script rather than to a session: they would end or disable the next command. */
const optionsNotKept = new Set(['errexit', 'nounset', 'noexec', 'onecmd', 'privileged'])

/** Reads what `__threadbox_save` wrote; undefined when the shell was ended before it had finished. */
export function parseSavedState(bytes: Buffer): SessionState | undefined {
  const [cwd, options, restore, end] = bytes.toString('latin1').split('\0')
  if (cwd === undefined || options === undefined || restore === undefined || end !== 'complete') return undefined
  const kept = options.split('\n').filter((line) => !optionsNotKept.has(line.split(' ')[2] ?? ''))
  return { cwd, restore: `${kept.join('\n')}\n${restore}` }
}

/**
 * What a waiting shell does: it reads where its script is, takes that over, then runs the command as its own text. Only
 * the path comes through the pipe, because bash reads a pipe byte by byte.
 */
export const shellBody =
  'read -r __threadbox_script && . "$__threadbox_script"; eval -- "$__threadbox_command"; { __threadbox_end "$?"; } 2>/dev/null'

/**
 * The script that turns a fresh shell into the session's shell: restores the state, sets what belongs to this command,
 * and arranges that the state is saved however the command ends.
 */
export function sessionScript(options: {
  state: SessionState | undefined
  /** Directory to go to instead of the session's. */
  cwd: string
  given: Record<string, string>
  runMark: string
  libraryPath: string
  targetPath: string
  command: string
}): Buffer {
  const given = Object.entries(options.given).map(([name, value]) => `[${quote(name)}]=${quote(latin1(value))}`)
  const exported = Object.entries(options.given).map(([name, value]) => `${name}=${quote(latin1(value))}`)
  const cwd = options.cwd === '' ? (options.state?.cwd ?? '') : latin1(options.cwd)
  const lines = [
    'set --',
    'shopt -s expand_aliases',
    ...(options.state === undefined ? [] : [`eval ${quote(options.state.restore)} >/dev/null 2>&1`]),
    ...(exported.length === 0 ? [] : [`export ${exported.join(' ')}`]),
    `export THREADBOX_RUN=${quote(latin1(options.runMark))}`,
    `declare -A __threadbox_given=(${given.join(' ')})`,
    `__threadbox_target=${quote(latin1(options.targetPath))}`,
    `. ${quote(latin1(options.libraryPath))}`,
    // A directory that was deleted since is no reason to refuse the command.
    ...(cwd === '' ? [] : [`cd -- ${quote(cwd)} 2>/dev/null || cd`]),
    `__threadbox_command=${quote(latin1(options.command))}`,
    `trap '{ __threadbox_end "$?"; } 2>/dev/null' EXIT`,
    'exec 0</dev/null',
  ]
  return Buffer.from(`${lines.join('\n')}\n`, 'latin1')
}

function latin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
