import { readFileSync } from 'node:fs'
import { defineError } from '@threadbox/errors'
import { type Launcher, requireDirectory } from '../launch/launcher.ts'
import { readPipe } from '../launch/pipe-reader.ts'
import { findUser } from '../launch/users.ts'
import { runVariable } from '../processes/process-family.ts'
import type { StoredProcess } from './rescue-store.ts'

export const rescuedProcessUnknown = defineError<{ id: string }>({
  code: 'rescue.process-unknown',
  kind: 'not-found',
  message: ({ id }) => `No saved process with the ID “${id}”.`,
  remedy: () => 'Check the rescue report for processes that can be restarted.',
})

/**
 * Output goes to the same file as before, or nowhere if it was not a file: a command that has ended has no reader. A
 * program whose argv[0] is not a program is started by its file.
 */
const becomeProgram = `exec <"$1" >>"$2" 2>>"$3"
executable=$4; shift 4
type -P -- "$1" >/dev/null && exec -- "$@"
exec -a "$1" -- "$executable" "\${@:2}"`
const nowhere = '/dev/null'

/** Starts a process as it was: same command line, directory, environment and user. Returns its process id. */
export async function startAgain(stored: StoredProcess, launcher: Launcher): Promise<number> {
  requireDirectory(stored.cwd)
  const { [runVariable]: _mark, ...environment } = stored.environment
  const launched = await launcher.launch({
    user: findUser(userNameOf(stored.uid)),
    program: '/bin/bash',
    args: [
      '-c',
      becomeProgram,
      'bash',
      ...stored.files.map((file) => file || nowhere),
      stored.executable,
      ...stored.commandLine,
    ],
    envs: environment,
    cwd: stored.cwd,
    stdin: 'none',
    stderr: 'stdout',
  })
  readPipe({ descriptor: launched.stdout, onData: () => undefined, onEnd: () => undefined })
  return launched.pid
}

function userNameOf(uid: number): string {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.split(':')[2] === String(uid))
  return line?.split(':')[0] ?? String(uid)
}
