import type { AuditValues } from './audit.ts'

/** What is known of something, for an audit row; a list becomes a text. Without secrets and content. */
export type AuditState = Readonly<Record<string, AuditValues[string] | readonly string[]>>

/** What a row of the audit log says about a change: only what differs. Null: it didn’t exist, or doesn’t anymore. */
export function auditChange(
  before: AuditState | null,
  after: AuditState | null,
): { before?: AuditValues; after?: AuditValues } {
  const [was, is] = [before && plain(before), after && plain(after)]
  if (was === null || is === null) return { ...(was && { before: was }), ...(is && { after: is }) }
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((name) => was[name] !== is[name])
  const only = (values: AuditValues) => Object.fromEntries(names.map((name) => [name, values[name] ?? null]))
  return { before: only(was), after: only(is) }
}

/** An address as a row of the audit log names it: its query and its user part can be secrets. */
export function auditAddress(address: string | null): string | null {
  if (address === null || !URL.canParse(address)) return null
  const { origin, pathname } = new URL(address)
  return `${origin}${pathname}`
}

function plain(state: AuditState): AuditValues {
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => [
      name,
      value !== null && typeof value === 'object' ? [...value].sort().join(', ') : value,
    ]),
  )
}
