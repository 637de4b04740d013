import type { ProviderGroups, ProviderJoin, SignInProvider } from '@threadbox/protocol/public'
import { type AuditState, auditAddress } from '../audit/audit-changes.logic.ts'
import type { OidcProviderRow } from './oidc.table.ts'

/** What is stored in `settings_json`. */
export type ProviderSettings = Pick<SignInProvider, 'join' | 'groups' | 'linkByVerifiedEmail' | 'recheckHours'>

export const defaultSettings: ProviderSettings = {
  join: { rule: 'invited', domains: [], group: null },
  groups: { claim: null, source: 'id-token', mappings: [] },
  linkByVerifiedEmail: false,
  recheckHours: 8,
}

export function settingsOf(row: Pick<OidcProviderRow, 'settings_json'>): ProviderSettings {
  return { ...defaultSettings, ...(JSON.parse(row.settings_json) as Partial<ProviderSettings>) }
}

/** Why these settings contradict each other; undefined if they don’t. */
export function problemOf({ join, groups }: { join: ProviderJoin; groups: ProviderGroups }): string | undefined {
  if (join.rule === 'domains' && join.domains.length === 0) return 'people of some domains can join, but none is named.'
  if (join.rule === 'group' && join.group === null) return 'people of a group can join, but none is named.'
  const needsGroups = join.rule === 'group' || groups.mappings.length > 0
  if (needsGroups && groups.claim === null) return 'groups are used, but not where to find them (the claim).'
  if (groups.mappings.some(({ workspaceId, workspaceRole }) => (workspaceId === null) !== (workspaceRole === null))) {
    return 'a group gets a workspace without a role in it, or a role without a workspace.'
  }
  return undefined
}

/** For the audit log. */
export function stateOf(row: OidcProviderRow): AuditState {
  const { join, groups, linkByVerifiedEmail, recheckHours } = settingsOf(row)
  return {
    name: row.name,
    issuer: auditAddress(row.issuer),
    clientId: row.client_id,
    join: join.rule,
    domains: join.domains,
    group: join.group,
    groupClaim: groups.claim,
    mappings: groups.mappings.map(({ group, role, workspaceId, workspaceRole, presetId }) =>
      [group, role, workspaceId, workspaceRole, presetId].map((value) => value ?? '–').join(' '),
    ),
    linkByVerifiedEmail,
    recheckHours,
  }
}
