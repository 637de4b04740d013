import type { PersonRole } from '@threadbox/domain'
import type { ProviderGroups, WorkspaceRole } from '@threadbox/protocol/public'
import type { Audit } from '../audit/audit.ts'
import type { PresetAssignment } from '../quotas/quotas.usecases.ts'
import type { PeopleAdministration } from '../users/people.usecases.ts'
import { type GroupGrants, grantsOf } from './claims.logic.ts'
import type { OidcStore } from './oidc.store.ts'
import type { OidcGrantRow, OidcIdentityRow } from './oidc.table.ts'

/** The roles of people in workspaces. A workspace that no longer exists gives none. */
export type WorkspaceRoles = {
  roleOf(userId: string, workspaceId: string): Promise<WorkspaceRole | undefined>
  /** Null removes the person. Keeps the last owner. */
  assign(userId: string, workspaceId: string, role: WorkspaceRole | null): Promise<void>
}
export type MappingDependencies = {
  grants: OidcStore['grants']
  people: Pick<PeopleAdministration, 'roleOf' | 'setRole' | 'isRoleByHand'>
  workspaces: WorkspaceRoles
  presets: PresetAssignment
  audit: Pick<Audit, 'record'>
}

/** Gives a person what their groups give, and removes what only groups gave. What a person set is kept. */
export type Mapping = (identity: OidcIdentityRow, groups: readonly string[], settings: ProviderGroups) => Promise<void>

/**
 * A record without a value is made before something is given, and its value afterwards: after a crash in between, the
 * next check finishes. What differs from its record was changed by a person since, and stays.
 */
export function makeMapping(dependencies: MappingDependencies): Mapping {
  return async (identity, groups, settings) => {
    const wanted = grantsOf(new Set(groups), settings)
    const rows = await dependencies.grants.of(identity.id)
    const work = { dependencies, identity, wanted, rows }
    await mapRole(work)
    await mapWorkspaces(work)
    await mapPreset(work)
  }
}

type Work = {
  dependencies: MappingDependencies
  identity: OidcIdentityRow
  wanted: GroupGrants
  rows: readonly OidcGrantRow[]
}

async function mapRole({ dependencies, identity, wanted, rows }: Work): Promise<void> {
  const { people, audit } = dependencies
  const userId = identity.user_id
  const role: PersonRole = await people.roleOf(userId)
  if (role === 'owner' || (await people.isRoleByHand(userId))) return await forget(dependencies, rows, 'role')
  const set = async (next: 'admin' | 'member') => {
    await people.setRole(userId, next)
    const values = { before: { role }, after: { role: next } }
    await audit.record({ userId: null, action: 'person-role-mapped', subject: userId, ...values })
  }
  const granted = rows.find(({ kind }) => kind === 'role')
  if (wanted.role === 'admin') {
    if (role === 'admin') return
    await dependencies.grants.put({ identity_id: identity.id, kind: 'role', target: '', value: 'admin' })
    await set('admin')
  } else if (granted !== undefined) {
    if (role === granted.value) await set('member')
    await dependencies.grants.remove(granted)
  }
}

async function mapWorkspaces({ dependencies, identity, wanted, rows }: Work): Promise<void> {
  const { grants, workspaces } = dependencies
  const granted = new Map(rows.filter(({ kind }) => kind === 'workspace').map((row) => [row.target, row]))
  for (const workspaceId of new Set([...wanted.workspaces.keys(), ...granted.keys()])) {
    const next = wanted.workspaces.get(workspaceId) ?? null
    const row = granted.get(workspaceId)
    const role = await workspaces.roleOf(identity.user_id, workspaceId)
    const isFromGroups = isGiven(row, role)
    if (isFromGroups && next !== null && (next !== role || next !== row?.value)) {
      const grant = { identity_id: identity.id, kind: 'workspace', target: workspaceId }
      await grants.put({ ...grant, value: unfinished })
      await workspaces.assign(identity.user_id, workspaceId, next)
      await grants.put({ ...grant, value: next })
    }
    if (next === null && row !== undefined) {
      if (isFromGroups) await workspaces.assign(identity.user_id, workspaceId, null)
      await grants.remove(row)
    }
  }
}

async function mapPreset({ dependencies, identity, wanted, rows }: Work): Promise<void> {
  const { grants, presets } = dependencies
  const row = rows.find(({ kind }) => kind === 'preset')
  const preset = await presets.presetOf(identity.user_id)
  const isFromGroups = isGiven(row, preset ?? undefined)
  const next = wanted.presetId
  if (isFromGroups && next !== null && (next !== preset || next !== row?.value)) {
    const grant = { identity_id: identity.id, kind: 'preset', target: '' }
    await grants.put({ ...grant, value: unfinished })
    await presets.assignPreset(identity.user_id, next)
    await grants.put({ ...grant, value: next })
  }
  if (next === null && row !== undefined) {
    if (isFromGroups) await presets.assignPreset(identity.user_id, null)
    await grants.remove(row)
  }
}

const unfinished = ''

/** Whether what a person has is what a group gave, or nothing, and not what a person set. */
function isGiven(row: OidcGrantRow | undefined, value: string | undefined): boolean {
  return row === undefined ? value === undefined : row.value === unfinished || row.value === value
}

async function forget({ grants }: MappingDependencies, rows: readonly OidcGrantRow[], kind: string): Promise<void> {
  for (const row of rows) if (row.kind === kind) await grants.remove(row)
}
