import type { Access } from '../../threads/public.ts'
import { repositoriesOf } from './git-credentials.presenter.ts'
import type { GitCredentialStore } from './git-credentials.store.ts'
import { siteOf } from './git-target.logic.ts'

/** A credential that a thread can use now. Its token is still sealed. */
export type UsableCredential = {
  id: string
  userId: string
  /** The first part of the path of requests for its server. */
  site: string
  address: string
  username: string
  sealedToken: string
  access: string
  repositories: string[]
}

/** Owner and workspace of a thread; undefined if the thread is gone. */
export type ThreadPlace = { ownerId: string; workspaceId: string | null }

/** Returns the credentials that a thread can use. Read on each call, so that a revocation applies immediately. */
export type UsableCredentials = (threadId: string) => Promise<UsableCredential[]>

export function makeUsableCredentials(options: {
  store: GitCredentialStore
  access: Access
  placeOf(threadId: string): Promise<ThreadPlace | undefined>
}): UsableCredentials {
  const { store, access } = options
  return async (threadId) => {
    const place = await options.placeOf(threadId)
    if (place === undefined) return []
    const rows = await store.allowedIn({ threadId, workspaceId: place.workspaceId })
    // A person without access to the thread lends it nothing.
    const owners = new Map<string, boolean>()
    for (const { user_id } of rows) {
      if (!owners.has(user_id)) owners.set(user_id, await access.roleMay(user_id, 'work', place))
    }
    return rows
      .filter(({ user_id }) => owners.get(user_id) === true)
      .map((row) => ({
        id: row.id,
        userId: row.user_id,
        site: siteOf(row.address),
        address: row.address,
        username: row.username,
        sealedToken: row.sealed_token,
        access: row.access,
        repositories: repositoriesOf(row),
      }))
  }
}
