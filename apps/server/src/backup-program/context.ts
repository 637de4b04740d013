import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { readSettings, serverSettings } from '@threadbox/config'
import { makeId } from '@threadbox/domain'
import { type ObjectStore, openStore, type StoreAccess } from '@threadbox/object-store'
import type { DatabaseTarget } from '../installation/backups/database-copy.ts'
import { requireInstalledDatabase } from '../platform/database/installed-database.ts'

/** What all commands begin with. */
export type ProgramContext = {
  directory: string
  database: DatabaseTarget
  hostSocket: string
  gatewaySocket: string
  installation: string
  version: string
  /** Of a bucket, from the environment of the caller; never an argument, which other programs can read. */
  access: StoreAccess
  open(place: string, access: StoreAccess): Promise<ObjectStore>
  newId(kind: 'backup' | 'snapshot'): string
  /** The text that the launcher passes on, such as a recovery key, which is no argument either. */
  readInput(): Promise<string>
}

export function makeContext(environment: NodeJS.ProcessEnv, input: NodeJS.ReadStream): ProgramContext {
  const settings = readSettings(serverSettings, environment)
  const { directory, target } = requireInstalledDatabase(environment)
  const pool = environment.THREADBOX_DISK_DIRECTORY === undefined ? [] : [environment.THREADBOX_DISK_DIRECTORY]
  return {
    directory,
    database: target,
    hostSocket: settings.hostSocket,
    gatewaySocket: settings.gatewaySocket,
    installation: settings.installation,
    version: environment.THREADBOX_VERSION ?? '0.1.0',
    access: {
      accessKeyId: environment.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: environment.AWS_SECRET_ACCESS_KEY ?? '',
    },
    open: (place, access) => openStore(place, { outside: [settings.dataDirectory, directory, ...pool], access }),
    newId: (kind) => (kind === 'snapshot' ? makeId('snapshot', randomBytes) : randomBytes(4).toString('hex')),
    readInput: () => text(input),
  }
}
