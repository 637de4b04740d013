import { type NetworkPolicy, networkPolicySchema } from '@threadbox/protocol/public'
import { checkedNetworkPolicy } from '../../threads/public.ts'

/** The policy that a run, schedule or webhook has of its own. */
export function parseRunNetwork(json: string | null): NetworkPolicy | null {
  return json === null ? null : networkPolicySchema.parse(JSON.parse(json))
}

/** Throws `network-policy.name-invalid`. */
export function runNetworkJson(policy: NetworkPolicy | null): string | null {
  return policy === null ? null : JSON.stringify(checkedNetworkPolicy(policy))
}
