import { type Action, actions, defaultKeyScopes, isKeyScope, type KeyScope } from '@threadbox/domain'
import type { ApiKey, CreateApiKey, CreatedApiKey } from '@threadbox/protocol/public'
import { sha256Of } from '../../platform/secrets/sha256.ts'
import { dayOf } from '../../platform/system/days.ts'
import type { System } from '../../platform/system/system.ts'
import type { Audit } from '../audit/audit.ts'
import { auditChange } from '../audit/audit-changes.logic.ts'
import type { ApiKeyStore } from './api-keys.store.ts'
import { apiKeyNotFound, authRequired } from './users.errors.ts'
import type { ApiKeyRow, KeyRefusalRow, KeyWorkspaceRow } from './users.table.ts'

const dayMs = 24 * 3600 * 1000
/** Precision of “last used”: a row isn't written again within this time. */
const touchEveryMs = 60_000
const defaultLifetimeDays = 90
/** How long refused calls are kept and shown. */
const refusalDays = 30

export type RequireWorkspace = (userId: string, workspaceId: string) => Promise<void>

export type ApiKeys = {
  list(userId: string): Promise<ApiKey[]>
  /** The response contains the secret, which isn't stored. Throws `workspace.not-found`. */
  create(userId: string, request: CreateApiKey): Promise<CreatedApiKey>
  delete(userId: string, apiKeyId: string): Promise<void>
  /**
   * Returns the user of this key, and the workspaces to which it is limited. Throws `auth.required` for an unknown or
   * expired one.
   */
  authenticate(
    secret: string,
  ): Promise<{ userId: string; apiKeyId: string; scopes: KeyScope[]; workspaceIds: string[] | null }>
  /** Counts a call that the key was refused, for its owner to see. */
  recordRefusal(apiKeyId: string, action: Action): Promise<void>
}

export function makeApiKeys(options: {
  store: ApiKeyStore
  /** Throws `workspace.not-found` unless the workspace is the user's. */
  requireWorkspace: RequireWorkspace
  audit: Pick<Audit, 'record'>
  system: System
}): ApiKeys {
  const { store, audit, system } = options
  return {
    list: async (userId) => {
      const [rows, workspaces, refusals] = await Promise.all([
        store.list(userId),
        store.workspaces(userId),
        store.refusals(userId, dayOf(system.now() - refusalDays * dayMs, 'UTC')),
      ])
      return rows.map((row) => present(row, { workspaces, refusals }))
    },
    create: async (userId, request) => {
      const secret = `threadbox_${Buffer.from(system.randomBytes(32)).toString('base64url')}`
      const now = system.now()
      const workspaceIds = [...new Set(request.workspaceIds ?? [])]
      for (const workspaceId of workspaceIds) await options.requireWorkspace(userId, workspaceId)
      const lifetimeDays = request.expiresInDays === undefined ? defaultLifetimeDays : request.expiresInDays
      const row: ApiKeyRow = {
        id: system.newId('apiKey'),
        user_id: userId,
        name: request.name.trim(),
        prefix: secret.slice(0, 'threadbox_'.length + 6),
        sha256: sha256Of(secret),
        created_at: now,
        last_used_at: null,
        expires_at: lifetimeDays === null ? null : now + lifetimeDays * dayMs,
        scopes: [...new Set(request.scopes ?? defaultKeyScopes)].join(' '),
        is_limited: workspaceIds.length > 0 ? 1 : 0,
      }
      const workspaces = workspaceIds.map((workspace_id) => ({ api_key_id: row.id, workspace_id }))
      await store.insert(row, workspaces)
      const key = present(row, { workspaces, refusals: [] })
      const change = auditChange(null, stateOf(key))
      await audit.record({ userId, action: 'api-key-created', subject: row.id, ...change })
      return { ...key, secret }
    },
    delete: async (userId, apiKeyId) => {
      const row = (await store.list(userId)).find(({ id }) => id === apiKeyId)
      const workspaces = await store.workspaces(userId)
      if (row === undefined || !(await store.delete(userId, apiKeyId))) throw apiKeyNotFound({})
      const change = auditChange(stateOf(present(row, { workspaces, refusals: [] })), null)
      await audit.record({ userId, action: 'api-key-deleted', subject: apiKeyId, ...change })
    },
    authenticate: async (secret) => {
      // 256 random bits: their plain hash can't be reversed, and finding the row by hash reveals nothing through
      // timing.
      const row = await store.findBySha256(sha256Of(secret))
      const now = system.now()
      if (row === undefined || (row.expires_at !== null && row.expires_at <= now)) throw authRequired({})
      if (row.last_used_at === null || now - row.last_used_at >= touchEveryMs) await store.touch(row.id, now)
      const workspaceIds = row.is_limited === 1 ? await store.workspaceIds(row.id) : null
      return { userId: row.user_id, apiKeyId: row.id, scopes: scopesOf(row), workspaceIds }
    },
    recordRefusal: async (apiKeyId, action) => {
      const now = system.now()
      await store.removeRefusalsBefore(dayOf(now - refusalDays * dayMs, 'UTC'))
      await store.addRefusal({ api_key_id: apiKeyId, action, day: dayOf(now, 'UTC') })
    },
  }
}

function stateOf({ name, scopes, workspaceIds, expiresAt }: ApiKey) {
  return { name, scopes, workspaces: workspaceIds, expiresAt }
}

function scopesOf(row: ApiKeyRow): KeyScope[] {
  return row.scopes.split(' ').filter(isKeyScope)
}

/** The refused calls of a key by what they required, added up over the days. */
function refusedBy(refusals: readonly KeyRefusalRow[]): ApiKey['refused'] {
  const counts = new Map<string, number>()
  for (const { action, count } of refusals) counts.set(action, (counts.get(action) ?? 0) + count)
  return [...counts].map(([action, count]) => ({
    action,
    // An action of an earlier release, which has no requirement anymore.
    requirement: action in actions ? actions[action as Action] : 'nothing',
    count,
  }))
}

function present(
  row: ApiKeyRow,
  { workspaces, refusals }: { workspaces: readonly KeyWorkspaceRow[]; refusals: readonly KeyRefusalRow[] },
): ApiKey {
  const own = workspaces.filter(({ api_key_id }) => api_key_id === row.id)
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    scopes: scopesOf(row),
    workspaceIds: row.is_limited === 1 ? own.map(({ workspace_id }) => workspace_id) : null,
    refused: refusedBy(refusals.filter(({ api_key_id }) => api_key_id === row.id)),
  }
}
