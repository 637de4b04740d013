import type { CreateSecret, Secret, SecretWay, UpdateSecret } from '@threadbox/protocol/public'
import type { Audit } from '../../people/public.ts'
import { isUniqueViolation } from '../../platform/database/database.ts'
import type { Events } from '../../platform/events/events.ts'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { System } from '../../platform/system/system.ts'
import type { ThreadEvents } from '../threads.events.ts'
import type { SecretRights } from './secret-rights.ts'
import { checkedRules, checkName, checkValue, type SecretRules } from './secret-words.logic.ts'
import { secretLimit, secretNameTaken, secretNotFound } from './secrets.errors.ts'
import { type GrantedThread, presentSecret } from './secrets.presenter.ts'
import type { SecretStore } from './secrets.store.ts'
import type { SecretGrantRow, SecretRow } from './secrets.table.ts'
import { rulesOf } from './usable-secrets.ts'

/**
 * Secrets, without their values: nothing returns one. Every call throws `secret.not-found`, also for a secret that the
 * person can’t manage. What changes grants or values returns when that is in effect, or known not to be.
 */
export type Secrets = {
  /** Those that the person can manage, oldest first. */
  list(userId: string): Promise<Secret[]>
  /** Throws the errors of `secret-words.logic.ts`, `secret.name-taken`, `secret.limit`, and those of its owner. */
  create(userId: string, request: CreateSecret): Promise<Secret>
  update(userId: string, id: string, request: UpdateSecret): Promise<Secret>
  delete(userId: string, id: string): Promise<void>
  /** Lets all threads of a workspace use it. Throws `workspace.not-found`. */
  grantToWorkspace(userId: string, id: string, workspaceId: string): Promise<Secret>
  revokeFromWorkspace(userId: string, id: string, workspaceId: string): Promise<Secret>
  /** Notes that a request got the value. */
  used(id: string, at: number): Promise<void>
}

export type SecretsDependencies = {
  store: SecretStore
  rights: SecretRights
  /** The thread’s title if this person may read it. */
  titleFor(userId: string, threadId: string): Promise<string | undefined>
  isOwnName(name: string): boolean
  secretBox: SecretBox
  events: Pick<Events<ThreadEvents>, 'emit'>
  audit: Audit
  system: System
}

const maxSecrets = 100

export function makeSecrets(dependencies: SecretsDependencies): Secrets {
  const { store, rights, audit, system } = dependencies
  const open = async (userId: string, id: string): Promise<SecretRow> => {
    const row = await store.find(id)
    if (row === undefined || !(await rights.mayManage(userId, row))) throw secretNotFound({})
    return row
  }
  const changed = () => dependencies.events.emit('secrets-changed', {})
  const presentOne = async (userId: string, id: string) => {
    const [secret] = await present(dependencies, userId, [await open(userId, id)])
    if (secret === undefined) throw secretNotFound({})
    return secret
  }
  const setWorkspace = async (userId: string, id: string, change: { workspaceId: string; isGranted: boolean }) => {
    const row = await open(userId, id)
    const { workspaceId, isGranted } = change
    await rights.requireWorkspaceFor(userId, row, workspaceId)
    const place = { workspace_id: workspaceId }
    if (isGranted) await store.grant(id, place, { way: 'brokered', created_at: system.now() })
    else await store.revoke(id, place)
    await audit.record({
      userId,
      action: isGranted ? 'secret-granted' : 'secret-revoked',
      subject: id,
      details: { name: row.name, workspaceId },
    })
    await changed()
    return await presentOne(userId, id)
  }
  return {
    list: async (userId) => {
      const rows: SecretRow[] = []
      for (const row of await store.all()) if (await rights.mayManage(userId, row)) rows.push(row)
      return await present(dependencies, userId, rows)
    },
    create: async (userId, request) => {
      const row = await newRow(dependencies, userId, request)
      await refusingTakenNames(row.name, () => store.insert(row))
      await audit.record({ userId, action: 'secret-created', subject: row.id, after: auditWordsOf(row) })
      return await presentOne(userId, row.id)
    },
    update: async (userId, id, request) => {
      const row = await open(userId, id)
      await refusingTakenNames(request.name ?? row.name, () => store.update(id, columnsOf(dependencies, row, request)))
      const after = await open(userId, id)
      await audit.record({
        userId,
        action: request.value === undefined ? 'secret-changed' : 'secret-value-changed',
        subject: id,
        before: auditWordsOf(row),
        after: auditWordsOf(after),
      })
      await changed()
      return await presentOne(userId, id)
    },
    delete: async (userId, id) => {
      const row = await open(userId, id)
      await store.delete(id)
      await audit.record({ userId, action: 'secret-deleted', subject: id, before: auditWordsOf(row) })
      await changed()
    },
    grantToWorkspace: (userId, id, workspaceId) => setWorkspace(userId, id, { workspaceId, isGranted: true }),
    revokeFromWorkspace: (userId, id, workspaceId) => setWorkspace(userId, id, { workspaceId, isGranted: false }),
    used: (id, at) => store.update(id, { last_used_at: at }),
  }
}

async function newRow(dependencies: SecretsDependencies, userId: string, request: CreateSecret): Promise<SecretRow> {
  const { store, rights, system, secretBox, isOwnName } = dependencies
  checkName(request.name)
  checkValue(request.value)
  const rules = checkedRules(request, { before: undefined, isOwnName })
  const owner = await rights.ownerFor(userId, request)
  const siblings = (await store.all()).filter(({ owner_id }) => owner_id === owner.owner_id)
  if (siblings.length >= maxSecrets) throw secretLimit({ limit: maxSecrets })
  return {
    id: system.newId('secret'),
    ...owner,
    name: request.name,
    sealed_value: secretBox.seal(request.value),
    revision: 1,
    rules_json: JSON.stringify(rules),
    last_used_at: null,
    value_set_at: system.now(),
    created_at: system.now(),
  }
}

function columnsOf({ system, secretBox, isOwnName }: SecretsDependencies, row: SecretRow, request: UpdateSecret) {
  const { name, value } = request
  if (name !== undefined) checkName(name)
  if (value !== undefined) checkValue(value)
  const rules: SecretRules = checkedRules(request, { before: rulesOf(row), isOwnName })
  return {
    rules_json: JSON.stringify(rules),
    ...(name === undefined ? {} : { name }),
    ...(value === undefined
      ? {}
      : { sealed_value: secretBox.seal(value), revision: row.revision + 1, value_set_at: system.now() }),
  }
}

async function refusingTakenNames(name: string, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (isUniqueViolation(error)) throw secretNameTaken({ name })
    throw error
  }
}

async function present(
  { store, titleFor }: SecretsDependencies,
  userId: string,
  rows: readonly SecretRow[],
): Promise<Secret[]> {
  const grants = await store.grants()
  return await Promise.all(
    rows.map(async (row) => {
      const own = grants.filter(({ secret_id }) => secret_id === row.id)
      return presentSecret(row, own, await threadsOf(own, (threadId) => titleFor(userId, threadId)))
    }),
  )
}

/** Newest grant first. */
async function threadsOf(
  grants: readonly SecretGrantRow[],
  titleOf: (threadId: string) => Promise<string | undefined>,
): Promise<GrantedThread[]> {
  const threads: GrantedThread[] = []
  for (const { thread_id, way } of grants.toReversed()) {
    const title = thread_id === null ? undefined : await titleOf(thread_id)
    if (thread_id !== null && title !== undefined) threads.push({ id: thread_id, title, way: way as SecretWay })
  }
  return threads
}

/** A secret in a row of the audit log: everything but its value. */
export function auditWordsOf(row: SecretRow): Record<string, string | number> {
  const { hosts, positions, methods, pathPrefix, header } = rulesOf(row)
  return {
    name: row.name,
    owner: row.owner,
    revision: row.revision,
    hosts: hosts.join(' '),
    positions: positions.join(' '),
    methods: methods?.join(' ') ?? '',
    pathPrefix: pathPrefix ?? '',
    header: header?.name ?? '',
  }
}
