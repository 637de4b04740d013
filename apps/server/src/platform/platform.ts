import type { Logger } from '@threadbox/telemetry'
import type { BlobStore } from './blobs/blob-store.ts'
import { type OpenDatabase, tablesOf } from './database/database.ts'
import { makeRegistrations, type Registrations } from './events/registrations.ts'
import { type ClientAddress, makeClientAddress } from './http/client-address.ts'
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
  clientAddress: ClientAddress
  operations: Operations
  registrations: Registrations
  system: System
  logger: Logger
}

export function makePlatform(options: {
  open: OpenDatabase
  blobs: BlobStore
  masterKey: Uint8Array
  /** Proxies whose `X-Forwarded-For` is followed, separated by commas. */
  trustedProxies: string
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
    clientAddress: makeClientAddress({ trustedProxies: options.trustedProxies, onIgnored: warnOnce(logger) }),
    operations: makeOperations({ store, system, logger }),
    registrations,
    system,
    logger,
  }
}

/** Once per start: clients can send this header at will. */
function warnOnce(logger: Logger): () => void {
  let hasWarned = false
  return () => {
    if (hasWarned) return
    hasWarned = true
    logger.warn(
      'X-Forwarded-For was ignored because its sender isn’t a trusted proxy. If it is your proxy, add it to THREADBOX_TRUSTED_PROXIES; until then, all of its clients count as one address.',
    )
  }
}
