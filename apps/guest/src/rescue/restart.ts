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
  message: ({ id }) => `No process "${id}" was kept when memory was given up.`,
  remedy: () => 'Look at the report of the rescue for the processes that can be started again.',
})

/**
 * Where its output went, if that was a file; nowhere else. What it printed to a command that has ended long ago has no
 * reader any more.
 */
const redirect = 'exec <"$1" >>"$2" 2>>"$3" && shift 3 && exec "$@"'
const nowhere = '/dev/null'

/** Starts a process as it was: same command line, directory, environment and user. Returns its process id. */
export async function startAgain(stored: StoredProcess, launcher: Launcher): Promise<number> {
  requireDirectory(stored.cwd)
  const { [runVariable]: _mark, ...environment } = stored.environment
  const launched = await launcher.launch({
    user: findUser(userNameOf(stored.uid)),
    program: '/bin/bash',
    args: ['-c', redirect, 'bash', ...stored.files.map((file) => file || nowhere), ...stored.commandLine],
    envs: environment,
    cwd: stored.cwd,
    stdin: 'none',
    stderr: 'same',
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
