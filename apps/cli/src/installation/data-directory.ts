import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installationSettings, readSettings } from '@threadbox/config'
import { defineError } from '@threadbox/errors'
import { parseEnvironmentFile } from './environment-file.ts'

export const installationMissing = defineError<{ dataDirectory: string }>({
  code: 'installation.missing',
  kind: 'not-found',
  message: ({ dataDirectory }) =>
    `No threadbox installation found in ${dataDirectory}, or you don’t have permission to read it.`,
  remedy: () => 'Run `./threadbox up`, or set the folder with --data-dir. If it belongs to root, use sudo.',
})

export const programs = ['host', 'server'] as const
export type Program = (typeof programs)[number]

/** The paths in a data directory. */
export type Installation = {
  dataDirectory: string
  /** The content of `threadbox.env`: the environment of host daemon and server. */
  environment: Record<string, string>
  settings: { installation: string; hostSocket: string; logLevel: string }
  release: string
  record: (program: Program | 'supervisor') => string
  log: (program: Program | 'supervisor') => string
}

export function readInstallation(dataDirectory: string): Installation {
  let text: string
  try {
    text = readFileSync(join(dataDirectory, 'threadbox.env'), 'utf8')
  } catch (cause) {
    throw installationMissing({ dataDirectory }, { cause })
  }
  const environment = parseEnvironmentFile(text)
  return {
    dataDirectory,
    environment,
    settings: readSettings(installationSettings, environment),
    release: join(dataDirectory, 'current'),
    record: (program) => join(dataDirectory, 'run', `${program}.json`),
    log: (program) => join(dataDirectory, 'logs', `${program}.log`),
  }
}
