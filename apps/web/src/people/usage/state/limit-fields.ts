import type { QuotaLimits, QuotaName } from '@threadbox/sdk'

export const quotaNames = [
  'modelMicroUsdPerMonth',
  'awakeSandboxes',
  'concurrentRuns',
  'sandboxes',
  'diskBytes',
  'apiRequestsPerSecond',
] as const satisfies readonly QuotaName[]

/** What people type of these is a decimal number of a larger unit: USD and GiB. */
const units: Partial<Record<QuotaName, number>> = { modelMicroUsdPerMonth: 1_000_000, diskBytes: 1024 ** 3 }
const decimals = 6
/** The server’s limit of a limit. */
const most = 1_000_000_000_000_000

/** What people type: money in USD, disk space in GiB, everything else as a whole number; empty: no limit. */
export function fieldOf(quota: QuotaName, limit: number | null): string {
  if (limit === null) return ''
  const unit = units[quota]
  return String(unit === undefined ? limit : Number((limit / unit).toFixed(decimals)))
}

/** Undefined if it isn’t a limit. A comma works like a point. */
export function limitOf(quota: QuotaName, field: string): number | null | undefined {
  const text = field.trim().replace(',', '.')
  if (text === '') return null
  const unit = units[quota]
  if (!(unit === undefined ? /^\d{1,9}$/ : /^\d{1,9}(\.\d{1,6})?$/).test(text)) return undefined
  const limit = Math.round(Number(text) * (unit ?? 1))
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
