import type {
  CreateGitCredential,
  GitCredential,
  ThreadGitCredential,
  UpdateGitCredential,
} from '@threadbox/protocol/public'
import { type Audit, type AuditRecord, auditChange } from '../../people/public.ts'
import type { AllowedAddresses } from '../../platform/outbound/addresses.logic.ts'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { System } from '../../platform/system/system.ts'
import { gitAddressOf } from './git-address.logic.ts'
import { gitCredentialLimit, gitCredentialNotFound } from './git-credentials.errors.ts'
import { presentCredential, presentForThread } from './git-credentials.presenter.ts'
import type { GitCredentialStore } from './git-credentials.store.ts'
import type { GitCredentialRow } from './git-credentials.table.ts'

/** A thread that the caller can work in. */
export type GitThread = { id: string; workspace_id: string | null }

/** Every method with a credential ID throws `git-credential.not-found`, also for someone else’s credential. */
export type GitCredentials = {
  list(userId: string): Promise<GitCredential[]>
  /**
   * Throws `git-credential.address-invalid`, `git-credential.address-refused`, `git-credential.limit`,
   * `workspace.not-found`.
   */
  create(userId: string, request: CreateGitCredential): Promise<GitCredential>
  update(userId: string, id: string, request: UpdateGitCredential): Promise<GitCredential>
  delete(userId: string, id: string): Promise<void>
  /** The person’s own credentials, and whether this thread can use them. */
  ofThread(userId: string, thread: GitThread): Promise<ThreadGitCredential[]>
  /** Replaces the set of the person’s own credentials that this thread can use. */
  allow(userId: string, thread: GitThread, ids: readonly string[]): Promise<ThreadGitCredential[]>
}

export type GitCredentialsDependencies = {
  store: GitCredentialStore
  /** Throws `workspace.not-found` unless the person can manage it. */
  requireWorkspace(userId: string, workspaceId: string): Promise<void>
  secretBox: SecretBox
  allowed: AllowedAddresses
  /** Called after a change to credentials or grants. */
  onChanged(): void
  audit: Audit
  system: System
}

const maxCredentials = 50

export function makeGitCredentials(dependencies: GitCredentialsDependencies): GitCredentials {
  const { store, secretBox, allowed, audit, system, onChanged } = dependencies
  const open = async (userId: string, id: string): Promise<GitCredentialRow> => {
    const row = await store.find(id)
    if (row?.user_id !== userId) throw gitCredentialNotFound({})
    return row
  }
  const present = async (rows: readonly GitCredentialRow[]) => {
    const grants = await store.grants(rows.map(({ id }) => id))
    return rows.map((row) => presentCredential(row, grants))
  }
  const presentOne = async (userId: string, id: string) => {
    const [credential] = await present([await open(userId, id)])
    if (credential === undefined) throw gitCredentialNotFound({})
    return credential
  }
  const requireWorkspaces = async (userId: string, workspaceIds: readonly string[] = []) => {
    for (const workspaceId of workspaceIds) await dependencies.requireWorkspace(userId, workspaceId)
  }
  const record = recorder(audit)
  const ofThread: GitCredentials['ofThread'] = async (userId, thread) => {
    const rows = await store.list(userId)
    const grants = await store.grants(rows.map(({ id }) => id))
    return rows.map((row) => presentForThread(row, { thread, grants }))
  }

  return {
    list: async (userId) => await present(await store.list(userId)),
    create: async (userId, request) => {
      const address = gitAddressOf(request.address, allowed)
      await requireWorkspaces(userId, request.workspaceIds)
      if ((await store.list(userId)).length >= maxCredentials) throw gitCredentialLimit({ limit: maxCredentials })
      const row: GitCredentialRow = {
        id: system.newId('gitCredential'),
        user_id: userId,
        address,
        username: request.username,
        sealed_token: secretBox.seal(request.token),
        access: request.access,
        repositories_json: JSON.stringify(request.repositories ?? []),
        last_used_at: null,
        created_at: system.now(),
      }
      await store.insert(row, request.workspaceIds ?? [])
      const credential = await presentOne(userId, row.id)
      await record(userId, { action: 'created', ...auditChange(null, stateOf(credential)) }, row)
      onChanged()
      return credential
    },
    update: async (userId, id, request) => {
      const row = await open(userId, id)
      const before = await presentOne(userId, id)
      await requireWorkspaces(userId, request.workspaceIds)
      const { username, access, token, repositories, workspaceIds } = request
      await store.update(id, {
        ...(username === undefined ? {} : { username }),
        ...(access === undefined ? {} : { access }),
        ...(token === undefined ? {} : { sealed_token: secretBox.seal(token) }),
        ...(repositories === undefined ? {} : { repositories_json: JSON.stringify(repositories) }),
      })
      if (workspaceIds !== undefined) await store.setWorkspaces(id, workspaceIds)
      const credential = await presentOne(userId, id)
      const change = auditChange(stateOf(before), stateOf(credential))
      await record(userId, { action: 'changed', details: { hasNewToken: token !== undefined }, ...change }, row)
      onChanged()
      return credential
    },
    delete: async (userId, id) => {
      const row = await open(userId, id)
      const before = await presentOne(userId, id)
      await store.delete(id)
      await record(userId, { action: 'deleted', ...auditChange(stateOf(before), null) }, row)
      onChanged()
    },
    ofThread,
    allow: async (userId, thread, ids) => {
      const own = (await store.list(userId)).map(({ id }) => id)
      if (ids.some((id) => !own.includes(id))) throw gitCredentialNotFound({})
      const before = await ofThread(userId, thread)
      await store.setThread(thread.id, { ids: own, allowed: ids })
      const after = await ofThread(userId, thread)
      await audit.record({
        userId,
        action: 'git-credentials-allowed',
        subject: thread.id,
        details: { count: ids.length },
        ...auditChange({ credentials: allowedIn(before) }, { credentials: allowedIn(after) }),
      })
      onChanged()
      return after
    },
  }
}

function stateOf({ username, access, repositories, workspaceIds }: GitCredential) {
  return { username, access, repositories, workspaces: workspaceIds }
}

function allowedIn(credentials: readonly ThreadGitCredential[]): string[] {
  return credentials.filter(({ isAllowed }) => isAllowed).map(({ id, address }) => `${address} (${id})`)
}

function recorder(audit: Audit) {
  return (
    userId: string,
    { action, details, ...change }: Omit<AuditRecord, 'userId' | 'subject'>,
    { id, address }: Pick<GitCredentialRow, 'id' | 'address'>,
  ) => {
    const event = { action: `git-credential-${action}`, subject: id, details: { address, ...details } }
    return audit.record({ userId, ...event, ...change })
  }
}
