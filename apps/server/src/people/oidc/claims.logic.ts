import type { GroupMapping, ProviderGroups, WorkspaceRole } from '@threadbox/protocol/public'
import { groupsOverage, groupsUnreadable } from './issuer.errors.ts'

/** What an issuer says of a person: any JSON. */
export type Claims = Readonly<Record<string, unknown>>

/** Longest name and address that are taken over. */
const maxNameCharacters = 80
const maxEmailCharacters = 254

/** Name and address of a person, from the ID token or else from userinfo. */
export function profileOf(claims: Claims): { name: string | null; email: string | null; isVerified: boolean } {
  const email = textOf(claims.email)?.trim().toLowerCase() ?? ''
  const isAddress = email.length <= maxEmailCharacters && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email)
  const name = (textOf(claims.name) ?? textOf(claims.preferred_username) ?? '').replace(/[\p{C}]/gu, '').trim()
  return {
    name: name === '' ? null : [...name].slice(0, maxNameCharacters).join('').trim(),
    email: isAddress ? email : null,
    // Some issuers send the text; everything else is not verified.
    isVerified: claims.email_verified === true || claims.email_verified === 'true',
  }
}

/**
 * The groups in a claim: a list of texts, or one text, in which commas separate groups. Throws `sign-in.groups-overage`
 * if the issuer left them out because there are too many, and `sign-in.groups-unreadable`.
 */
export function groupsIn(claims: Claims, path: string): string[] {
  if (isLeftOut(claims, path)) throw groupsOverage({})
  const value = valueAt(claims, path)
  if (value === undefined || value === null) return []
  const texts = typeof value === 'string' ? value.split(',') : value
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string')) throw groupsUnreadable({})
  return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))]
}

/** OpenID Connect, 5.6.2: claims that are elsewhere. Entra names groups that don’t fit in this way. */
function isLeftOut(claims: Claims, path: string): boolean {
  const first = Object.hasOwn(claims, path) ? path : (path.split('.')[0] ?? '')
  const elsewhere = claims._claim_names
  const isNamed = typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, first)
  return (isNamed || claims.hasgroups === true || claims.hasgroups === 'true') && !Object.hasOwn(claims, first)
}

/** A claim whose name has dots comes before a path. */
function valueAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  return path.split('.').reduce<unknown>((value, part) => {
    const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, part)
    return isObject ? (value as Claims)[part] : undefined
  }, claims)
}

/** What a person’s groups give them. */
export type GroupGrants = {
  role: 'admin' | 'member' | null
  workspaces: Map<string, WorkspaceRole>
  presetId: string | null
}

const rank: Record<WorkspaceRole, number> = { viewer: 0, member: 1, owner: 2 }

/** Of several groups, the higher role counts, and the first preset in the list. */
export function grantsOf(groups: ReadonlySet<string>, { mappings }: Pick<ProviderGroups, 'mappings'>): GroupGrants {
  const own = mappings.filter(({ group }) => groups.has(group))
  const roles = own.map(({ role }) => role)
  const workspaces = new Map<string, WorkspaceRole>()
  for (const { workspaceId, workspaceRole } of own) {
    if (workspaceId === null || workspaceRole === null) continue
    const known = workspaces.get(workspaceId)
    if (known === undefined || rank[workspaceRole] > rank[known]) workspaces.set(workspaceId, workspaceRole)
  }
  return {
    role: roles.includes('admin') ? 'admin' : roles.includes('member') ? 'member' : null,
    workspaces,
    presetId: own.find((mapping: GroupMapping) => mapping.presetId !== null)?.presetId ?? null,
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
