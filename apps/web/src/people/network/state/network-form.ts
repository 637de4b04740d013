import type { Network, NetworkLevel, NetworkPolicy, NetworkPreset } from '@threadbox/sdk'

/** The values of the form of a policy. `inherit`: the level sets nothing. */
export type NetworkForm = {
  kind: 'inherit' | NetworkPolicy['kind']
  /** One per line. */
  names: string
  presets: readonly NetworkPreset[]
}

export function networkFormOf(policy: NetworkPolicy | null): NetworkForm {
  if (policy === null) return { kind: 'inherit', names: '', presets: [] }
  if (policy.kind !== 'allowlist') return { kind: policy.kind, names: '', presets: [] }
  return { kind: 'allowlist', names: policy.names.join('\n'), presets: policy.presets }
}

export function networkPolicyOf(form: NetworkForm): NetworkPolicy | null {
  if (form.kind === 'inherit') return null
  if (form.kind !== 'allowlist') return { kind: form.kind }
  return { kind: 'allowlist', names: namesIn(form), presets: form.presets }
}

/** True if the form is a list that allows nothing: `none` says that. */
export function isEmptyList(form: NetworkForm): boolean {
  return form.kind === 'allowlist' && namesIn(form).length === 0 && form.presets.length === 0
}

function namesIn(form: NetworkForm): string[] {
  return form.names
    .split(/[\s,]+/)
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** The policy of the level that was asked for. */
export function ownPolicyOf(network: Network): NetworkPolicy | null {
  return network.levels.at(-1)?.policy ?? null
}

/** The levels with a policy outside of the last one, which it can only narrow. */
export function outerLevelsOf(network: Network): NetworkLevel[] {
  return network.levels.slice(0, -1).flatMap(({ level, policy }) => (policy === null ? [] : [level]))
}

/** True for names that a list can have, also with a port, and not for addresses that a program used directly. */
export function canBeAllowed(entry: string): boolean {
  const name = entry.replace(/:\d+$/, '')
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(name) && !/\.\d+$/.test(name)
}
