import type { ChangeSandboxDetail, LifecyclePolicy } from '@threadbox/sdk'

export type PolicyName = keyof LifecyclePolicy
export type PolicyChange = NonNullable<ChangeSandboxDetail['policy']>

/** The numeric fields of the policy, with their unit and range. `none`: the meaning of an empty field. */
export const policyNumbers = {
  idlePauseMinutes: { unit: 'minutes', minimum: 1, maximum: 10_080, isWhole: true },
  hotHours: { unit: 'hours', minimum: 0, maximum: 8760, isWhole: false },
  maxAwakeHours: { unit: 'hours', minimum: 0.1, maximum: 8760, isWhole: false },
  retentionDays: { unit: 'days', minimum: 1, maximum: 36_500, isWhole: true },
  maxServices: { unit: 'services', minimum: 1, maximum: 100, isWhole: true },
} as const
export type PolicyNumber = keyof typeof policyNumbers

/** The text of a field; empty for “forever”. */
export function policyText(policy: LifecyclePolicy, name: PolicyNumber): string {
  const value = policy[name]
  return value === null ? '' : String(value)
}

/**
 * Parses a field into the change to send. An empty field means “forever” where files are kept, and is a mistake
 * anywhere else: using the installation’s value again is a button of its own.
 */
export function readPolicy(
  name: PolicyNumber,
  text: string,
): { change: PolicyChange } | { problem: 'unreadable' | 'range' } {
  if (text.trim() === '') {
    return name === 'retentionDays' ? { change: { retentionDays: 0 } } : { problem: 'unreadable' }
  }
  const { minimum, maximum, isWhole } = policyNumbers[name]
  const value = Number(text.trim().replace(',', '.'))
  if (!Number.isFinite(value) || (isWhole && !Number.isInteger(value))) return { problem: 'unreadable' }
  if (value < minimum || value > maximum) return { problem: 'range' }
  return { change: { [name]: value } }
}

/** The change that restores the installation’s value. */
export function installationValue(name: PolicyName): PolicyChange {
  return { [name]: null }
}
