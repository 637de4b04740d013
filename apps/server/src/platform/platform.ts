import type { Logger } from '@threadbox/telemetry'
import type { BlobStore } from './blobs/blob-store.ts'
import { type OpenDatabase, tablesOf } from './database/database.ts'
import { makeRegistrations, type Registrations } from './events/registrations.ts'
import { makeOperationStore } from './operations/operations.store.ts'
import type { OperationTables } from './operations/operations.table.ts'
import { makeOperations, type Operations } from './operations/operations.ts'
import { deriveKey, makeSecretBox, type SecretBox } from './secrets/secret-box.ts'
import { makeSecretsInUse, type SecretHolder, type SecretsInUse } from './secrets/secrets-in-use.ts'
import type { System } from './system/system.ts'

/** The base of all other areas, without knowledge of the product. */
export type Platform = {
  open: OpenDatabase
  blobs: BlobStore
  secretBox: SecretBox
  secrets: SecretsInUse
  /** A key for one purpose, so that no two uses share one. */
  keyFor(purpose: string): Buffer
  operations: Operations
  registrations: Registrations
  system: System
  logger: Logger
}

export function makePlatform(options: {
  open: OpenDatabase
  blobs: BlobStore
  masterKey: Uint8Array
  system: System
  logger: Logger
}): Platform {
  const { open, blobs, masterKey, system, logger } = options
  const registrations = makeRegistrations()
  const store = makeOperationStore(tablesOf<OperationTables>(open.database))
  return {
    open,
    blobs,
    secretBox: makeSecretBox(masterKey),
    secrets: makeSecretsInUse(registrations.list<SecretHolder>('secrets.addHolder')),
    keyFor: (purpose) => deriveKey(masterKey, purpose),
    operations: makeOperations({ store, system, logger }),
    registrations,
    system,
    logger,
  }
}
