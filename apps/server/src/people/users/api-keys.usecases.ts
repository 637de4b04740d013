import type { ApiKey, CreateApiKey, CreatedApiKey } from '@threadbox/protocol/public'
import { sha256Of } from '../../platform/secrets/sha256.ts'
import type { System } from '../../platform/system/system.ts'
import type { ApiKeyStore } from './api-keys.store.ts'
import { apiKeyNotFound, authRequired } from './users.errors.ts'
import type { ApiKeyRow } from './users.table.ts'

const dayMs = 24 * 3600 * 1000
/** Precision of “last used”: a row isn't written again within this time. */
const touchEveryMs = 60_000

export type ApiKeys = {
  list(userId: string): Promise<ApiKey[]>
  /** The response contains the secret, which isn't stored. */
  create(userId: string, request: CreateApiKey): Promise<CreatedApiKey>
  delete(userId: string, apiKeyId: string): Promise<void>
  /** Returns the user of this key. Throws `auth.required` for an unknown or expired one. */
  authenticate(secret: string): Promise<{ userId: string; apiKeyId: string }>
}

export function makeApiKeys(options: { store: ApiKeyStore; system: System }): ApiKeys {
  const { store, system } = options
  return {
    list: async (userId) => (await store.list(userId)).map(present),
    create: async (userId, request) => {
      const secret = `threadbox_${Buffer.from(system.randomBytes(32)).toString('base64url')}`
      const now = system.now()
      const row: ApiKeyRow = {
        id: system.newId('apiKey'),
        user_id: userId,
        name: request.name.trim(),
        prefix: secret.slice(0, 'threadbox_'.length + 6),
        sha256: sha256Of(secret),
        created_at: now,
        last_used_at: null,
        expires_at: request.expiresInDays === undefined ? null : now + request.expiresInDays * dayMs,
      }
      await store.insert(row)
      return { ...present(row), secret }
    },
    delete: async (userId, apiKeyId) => {
      if (!(await store.delete(userId, apiKeyId))) throw apiKeyNotFound({})
    },
    authenticate: async (secret) => {
      // 256 random bits: their plain hash can't be reversed, and finding the row by hash reveals nothing through
      // timing.
      const row = await store.findBySha256(sha256Of(secret))
      const now = system.now()
      if (row === undefined || (row.expires_at !== null && row.expires_at <= now)) throw authRequired({})
      if (row.last_used_at === null || now - row.last_used_at >= touchEveryMs) await store.touch(row.id, now)
      return { userId: row.user_id, apiKeyId: row.id }
    },
  }
}

function present(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  }
}
