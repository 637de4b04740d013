import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from '@threadbox/protocol/guest'

/** The session of commands that name none. */
const mainSession = 'main'

/**
 * What the main shell session holds, from the state that its last command left: a directory, exported variables as
 * keyed hashes, names of functions. Without a session nothing was changed yet.
 */
export function readShell(options: { stateDirectory: string; workdir: string; hashKey: Buffer }): Manifest['shell'] {
  let text: string
  try {
    text = readFileSync(join(options.stateDirectory, 'sessions', mainSession), 'latin1')
  } catch {
    return { cwd: options.workdir, environment: {}, functions: [] }
  }
  const [cwd = '', restore = ''] = text.split('\0')
  return {
    cwd: Buffer.from(cwd, 'latin1').toString('utf8'),
    environment: hashValues(restore, options.hashKey),
    functions: [...restore.matchAll(/^declare -f[a-z]* (\S+)$/gm)].map((match) => match[1] ?? '').sort(),
  }
}

/** A value goes on over lines until the next statement that the session's script wrote. */
function hashValues(restore: string, key: Buffer): Record<string, string> {
  const statements = restore.split(/^(?=declare -|alias |shopt -|set [-+]o|umask )/m)
  return Object.fromEntries(
    statements.flatMap((statement) => {
      const match = /^declare -[a-zA-Z]*x[a-zA-Z]* ([A-Za-z_][A-Za-z0-9_]*)(?:=(.*))?$/s.exec(statement.trimEnd())
      if (match === null) return []
      const hash = createHmac('sha256', key).update(match[2] ?? '', 'latin1')
      return [[match[1] ?? '', hash.digest('hex').slice(0, 32)]]
    }),
  )
}
