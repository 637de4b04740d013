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

/** Returns the credentials that a thread can use. Read on each call, so that a revocation applies immediately. */
export type UsableCredentials = (threadId: string) => Promise<UsableCredential[]>

export function makeUsableCredentials(options: {
  store: GitCredentialStore
  /** Whose own credentials the thread can use: null if others can work in it. */
  personalOwnerOf(threadId: string): Promise<string | null>
  placeOf(threadId: string): Promise<{ workspaceId: string | null } | undefined>
}): UsableCredentials {
  const { store } = options
  return async (threadId) => {
    const place = await options.placeOf(threadId)
    if (place === undefined) return []
    const rows = await store.allowedIn({ threadId, workspaceId: place.workspaceId })
    const lender = rows.length === 0 ? null : await options.personalOwnerOf(threadId)
    return rows
      .filter(({ user_id }) => user_id === lender)
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
