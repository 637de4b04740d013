import { type NetworkPolicy, parseNetworkEntry } from '@threadbox/domain'
import { networkNameInvalid } from './network.errors.ts'

/** A policy with its names in the form in which they are compared. Throws `network-policy.name-invalid`. */
export function checkedPolicy(policy: NetworkPolicy): NetworkPolicy {
  if (policy.kind !== 'allowlist') return policy
  return {
    kind: 'allowlist',
    names: [...new Set(policy.names.map(checkedName))].toSorted(),
    presets: [...new Set(policy.presets)].toSorted(),
  }
}

export function checkedName(text: string): string {
  const parsed = parseNetworkEntry(text)
  if ('problem' in parsed) throw networkNameInvalid({ name: text.slice(0, 100) })
  return parsed.entry
}

/** A policy in a row of the audit log. */
export function auditWordsOf(policy: NetworkPolicy | null): { kind: string; names: string; presets: string } {
  if (policy === null) return { kind: 'inherited', names: '', presets: '' }
  const { names, presets } = policy.kind === 'allowlist' ? policy : { names: [], presets: [] }
  return { kind: policy.kind, names: names.join(' '), presets: presets.join(' ') }
}
