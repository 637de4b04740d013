import type { QuotaLimits, QuotaName } from '@threadbox/sdk'

export const quotaNames = [
  'modelMicroUsdPerMonth',
  'awakeSandboxes',
  'concurrentRuns',
  'sandboxes',
] as const satisfies readonly QuotaName[]

const perMillion = 1_000_000
/** The server’s limit of a limit. */
const most = 1_000_000_000_000_000

/** What people type: money in USD, everything else as a whole number; empty: no limit. */
export function fieldOf(quota: QuotaName, limit: number | null): string {
  if (limit === null) return ''
  return quota === 'modelMicroUsdPerMonth' ? String(limit / perMillion) : String(limit)
}

/** Undefined if it isn’t a limit. A comma works like a point. */
export function limitOf(quota: QuotaName, field: string): number | null | undefined {
  const text = field.trim().replace(',', '.')
  if (text === '') return null
  const isMoney = quota === 'modelMicroUsdPerMonth'
  if (!(isMoney ? /^\d{1,9}(\.\d{1,6})?$/ : /^\d{1,9}$/).test(text)) return undefined
  const limit = isMoney ? Math.round(Number(text) * perMillion) : Number(text)
  return limit <= most ? limit : undefined
}

export type LimitFields = Record<QuotaName, string>

export function fieldsOf(limits: Partial<QuotaLimits>): LimitFields {
  return Object.fromEntries(quotaNames.map((quota) => [quota, fieldOf(quota, limits[quota] ?? null)])) as LimitFields
}

/** The first field that isn’t a limit. */
export function wrongField(fields: LimitFields): QuotaName | undefined {
  return quotaNames.find((quota) => limitOf(quota, fields[quota]) === undefined)
}

export function limitsOf(fields: LimitFields): QuotaLimits {
  return Object.fromEntries(quotaNames.map((quota) => [quota, limitOf(quota, fields[quota]) ?? null])) as QuotaLimits
}
