import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readSettings, serverSettings } from '@threadbox/config'
import { type OpenDatabase, openDatabase } from './database.ts'

/** The database of the installation that the environment describes, for programs beside its server. */
export type InstalledDatabase = {
  /** The server’s folder, with its keys. */
  directory: string
  target: { file: string } | { url: string }
  /** False: it is in a file, which no server has made yet. */
  exists: boolean
  open(): OpenDatabase
}

export function installedDatabase(environment: NodeJS.ProcessEnv): InstalledDatabase {
  const settings = readSettings(serverSettings, environment)
  const directory = settings.serverDirectory || join(settings.dataDirectory, 'server')
  const file = join(directory, 'server.db')
  const target = settings.databaseUrl ? { url: settings.databaseUrl } : { file }
  return {
    directory,
    target,
    exists: settings.databaseUrl !== '' || existsSync(file),
    open: () => openDatabase(target),
  }
}

/** Throws if there is none yet. */
export function requireInstalledDatabase(environment: NodeJS.ProcessEnv): InstalledDatabase {
  const installed = installedDatabase(environment)
  if (installed.exists) return installed
  throw new Error(`${join(installed.directory, 'server.db')} does not exist. Run ./threadbox up first.`)
}

/** The same, opened. Throws if there is none yet. */
export function openInstalledDatabase(environment: NodeJS.ProcessEnv): { directory: string; open: OpenDatabase } {
  const { directory, open } = requireInstalledDatabase(environment)
  return { directory, open: open() }
}
