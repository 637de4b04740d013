import { makeIdentity } from '@threadbox/backups'
import { isThreadboxError } from '@threadbox/errors'
import type { ObjectStore } from '@threadbox/object-store'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import { archiveNotSetUp, archiveUnreachable } from './archives.errors.ts'
import type { ArchiveStore } from './archives.store.ts'

/** Where archived files are, and the key that they are encrypted with. */
export type ArchivePlace = {
  /** Undefined: no store is set up for new ones. */
  readonly place: string | undefined
  /** Opens the store of a copy. Throws `archive.store-unreachable`. */
  open(place: string): Promise<ObjectStore>
  keys(): Promise<{ recipient: string; identity: string }>
}

export function makeArchivePlace(options: {
  /** Empty: none. */
  place: string
  openStore(place: string): Promise<ObjectStore>
  store: Pick<ArchiveStore, 'key' | 'storeKey'>
  secretBox: SecretBox
}): ArchivePlace {
  const { store, secretBox } = options
  return {
    place: options.place === '' ? undefined : options.place,
    open: async (place) => {
      if (place === '') throw archiveNotSetUp({})
      // Each time: a folder that is no longer mounted must not look like a store without objects.
      return await options.openStore(place).catch((error: unknown) => {
        throw asUnreachable(error)
      })
    },
    keys: async () => {
      const known = await store.key()
      if (known !== undefined) return { recipient: known.recipient, identity: secretBox.open(known.sealed_identity) }
      const { identity, recipient } = await makeIdentity()
      const kept = await store.storeKey({ recipient, sealed_identity: secretBox.seal(identity) })
      return { recipient: kept.recipient, identity: secretBox.open(kept.sealed_identity) }
    },
  }
}

/** An error of the store, as people see it who can’t do anything about the store. Others are returned as they are. */
export function asUnreachable(error: unknown): unknown {
  const isOfStore = isThreadboxError(error) && error.code.startsWith('store.')
  return isOfStore ? archiveUnreachable({ reason: error.message }, { cause: error }) : error
}
