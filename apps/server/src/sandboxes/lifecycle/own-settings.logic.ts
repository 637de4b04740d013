import type { AuditState } from '../../people/public.ts'
import type { Sandbox } from '../state/sandbox.logic.ts'
import { ownLimitsOf, policyOf } from '../state/sandbox-rows.ts'

/** The policy and limits that are a sandbox’s own, for an audit row; what is inherited isn’t there. */
export function ownSettingsOf(row: Sandbox, inherited: Parameters<typeof policyOf>[1]): AuditState {
  const { policy, own } = policyOf(row, inherited)
  return {
    ...Object.fromEntries(own.map((name) => [`policy.${name}`, policy[name] ?? 'none'])),
    ...Object.fromEntries(Object.entries(ownLimitsOf(row)).map(([name, value]) => [`limits.${name}`, value])),
  }
}
