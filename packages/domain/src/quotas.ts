/** What one person can use up. The name says the unit; `PerMonth` starts again with each month. */
export const quotaNames = [
  'modelMicroUsdPerMonth',
  'awakeSandboxes',
  'concurrentRuns',
  'sandboxes',
  'diskBytes',
  'apiRequestsPerSecond',
] as const
export type QuotaName = (typeof quotaNames)[number]

/** Null: no limit. */
export type QuotaLimits = Record<QuotaName, number | null>

/** What members get until the preset is changed. */
export const memberLimits: QuotaLimits = {
  modelMicroUsdPerMonth: 50_000_000,
  awakeSandboxes: 4,
  concurrentRuns: 3,
  sandboxes: 200,
  diskBytes: 40 * 1024 ** 3,
  apiRequestsPerSecond: 50,
}

export const noLimits: QuotaLimits = {
  modelMicroUsdPerMonth: null,
  awakeSandboxes: null,
  concurrentRuns: null,
  sandboxes: null,
  diskBytes: null,
  apiRequestsPerSecond: null,
}

/** From where a person’s limits come. What is missing is not set there. */
export type QuotaSources = {
  preset: QuotaLimits
  /** Set for this person; wins over the preset. */
  assigned: Partial<QuotaLimits>
  /** Granted on request, until a time. The most generous one applies, and never lowers what is assigned. */
  granted: readonly { quota: QuotaName; limit: number | null }[]
  /** The person’s own, lower limit. */
  own: Partial<Record<QuotaName, number>>
}

export function limitsFrom({ preset, assigned, granted, own }: QuotaSources): QuotaLimits {
  const limitOf = (quota: QuotaName): number | null => {
    const grants = granted.filter((grant) => grant.quota === quota).map(({ limit }) => limit)
    const base = quota in assigned ? (assigned[quota] ?? null) : preset[quota]
    const limit = mostGenerous([base, ...grants])
    const lower = own[quota]
    return lower === undefined || (limit !== null && limit < lower) ? limit : lower
  }
  return Object.fromEntries(quotaNames.map((quota) => [quota, limitOf(quota)])) as QuotaLimits
}

function mostGenerous(limits: readonly (number | null)[]): number | null {
  return limits.reduce((best, limit) => (best === null || limit === null ? null : Math.max(best, limit)))
}
