import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isThreadboxVariable, type Manifest } from '@threadbox/protocol/guest'

/** The session of commands that name none. */
const mainSession = 'main'

/**
 * The main shell session's state, as its last command left it: directory, exported variables as keyed hashes, names of
 * functions. Without a session nothing has changed yet.
 */
export function readShell(options: { stateDirectory: string; workdir: string; hashKey: Buffer }): Manifest['shell'] {
  let text: string
  try {
    text = readFileSync(join(options.stateDirectory, 'sessions', mainSession), 'latin1')
  } catch {
    return { cwd: options.workdir, environment: {}, functions: [], parts: {} }
  }
  const [cwd = '', restore = ''] = text.split('\0')
  return {
    cwd: Buffer.from(cwd, 'latin1').toString('utf8'),
    environment: hashValues(restore, options.hashKey),
    parts: hashParts(restore, options.hashKey),
    functions: [...restore.matchAll(/^declare -f[a-z]* (\S+)$/gm)].map((match) => match[1] ?? '').sort(),
  }
}

/** A value spans lines until the next statement that the session's script wrote. */
function hashValues(restore: string, key: Buffer): Record<string, string> {
  return Object.fromEntries(
    statementsOf(restore).flatMap((statement) => {
      const match = /^declare -[a-zA-Z]*x[a-zA-Z]* ([A-Za-z_][A-Za-z0-9_]*)(?:=(.*))?$/s.exec(statement)
      if (match === null || isThreadboxVariable(match[1] ?? '')) return []
      return [[match[1] ?? '', hashOf(match[2] ?? '', key)]]
    }),
  )
}

type Part = [name: string, text: string]

/** Functions, aliases and variables that are not exported. What the guest itself set is excluded. */
function hashParts(restore: string, key: Buffer): Record<string, string> {
  const [functions = ''] = restore.split(/^declare -/m, 1)
  const bodies = functions.split(/(?<=^\}\n)/m).flatMap((text): Part[] => {
    const match = /^(\S+) \(\)\s*$/m.exec(text)
    return match === null ? [] : [[`function ${match[1]}`, text.slice(match.index)]]
  })
  const others = statementsOf(restore).flatMap((statement): Part[] => {
    const alias = /^alias (?:-- )?([^=]+)=/.exec(statement)
    if (alias !== null) return [[`alias ${alias[1]}`, statement]]
    const variable = /^declare -([a-zA-Z-]+) ([A-Za-z_][A-Za-z0-9_]*)(?:=|$)/.exec(statement)
    const isOwn = variable === null || /[xfF]/.test(variable[1] ?? '')
    return isOwn ? [] : [[`variable ${variable[2]}`, statement]]
  })
  const named = [...bodies, ...others].filter(([name]) => !name.startsWith('function __threadbox_'))
  return Object.fromEntries(named.map(([name, text]) => [name, hashOf(text.trimEnd(), key)]))
}

function statementsOf(restore: string): string[] {
  return restore.split(/^(?=declare -|alias |shopt -|set [-+]o|umask )/m).map((statement) => statement.trimEnd())
}

function hashOf(text: string, key: Buffer): string {
  return createHmac('sha256', key).update(text, 'latin1').digest('hex').slice(0, 32)
}
