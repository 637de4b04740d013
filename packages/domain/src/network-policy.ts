import { type NetworkPreset, networkPresets } from './network-presets.ts'

/**
 * What sandboxes reach on the internet. `open`: everything except what no sandbox reaches. `allowlist`: of that, the
 * hosts with these names, and those of the presets. `none`: nothing.
 */
export type NetworkPolicy =
  | { kind: 'open' }
  | { kind: 'allowlist'; names: readonly string[]; presets: readonly NetworkPreset[] }
  | { kind: 'none' }

/** Where a policy can be set, from the outside in: each level can only narrow those before it. */
export const networkLevels = ['installation', 'workspace', 'agent', 'thread'] as const
export type NetworkLevel = (typeof networkLevels)[number]

/** What all levels together allow, with the names of presets. */
export type EffectiveNetwork = { kind: 'open' } | { kind: 'allowlist'; names: string[] } | { kind: 'none' }

/** `null`: the level sets nothing. A missing level doesn’t apply, such as the workspace of a thread without one. */
export type LeveledPolicy = { level: NetworkLevel; policy: NetworkPolicy | null }

/** The installation’s policy while nothing else was set. */
export const defaultNetworkPolicy: NetworkPolicy = { kind: 'open' }

/** The names that a policy allows, without its presets. */
function expandedNetwork(policy: NetworkPolicy): EffectiveNetwork {
  if (policy.kind !== 'allowlist') return policy
  const preset = policy.presets.flatMap((id) => networkPresets[id].map(({ name }) => name))
  return { kind: 'allowlist', names: [...new Set([...policy.names, ...preset])] }
}

/** What both allow. Two lists without a common name allow nothing. */
export function narrowerNetwork(one: EffectiveNetwork, other: EffectiveNetwork): EffectiveNetwork {
  if (one.kind === 'none' || other.kind === 'none') return { kind: 'none' }
  if (one.kind === 'open') return other
  if (other.kind === 'open') return one
  const common = [
    ...one.names.filter((name) => isNameCovered(name, other.names)),
    ...other.names.filter((name) => isNameCovered(name, one.names)),
  ]
  return common.length === 0 ? { kind: 'none' } : { kind: 'allowlist', names: [...new Set(common)] }
}

/** Whether the first allows nothing that the second doesn’t. */
export function isWithinNetwork(inner: EffectiveNetwork, outer: EffectiveNetwork): boolean {
  if (outer.kind === 'open' || inner.kind === 'none') return true
  if (inner.kind === 'open') return false
  return inner.names.every((name) => outer.kind === 'allowlist' && isNameCovered(name, outer.names))
}

/**
 * The policy of all levels together. `sources`: the levels that decide it, so that a person knows where to change it.
 */
export function effectiveNetwork(levels: readonly LeveledPolicy[]): {
  effective: EffectiveNetwork
  sources: NetworkLevel[]
} {
  let effective: EffectiveNetwork = { kind: 'open' }
  let sources: NetworkLevel[] = ['installation']
  for (const { level, policy } of levels) {
    if (policy === null) continue
    const own = expandedNetwork(policy)
    if (isWithinNetwork(effective, own)) continue
    const both = narrowerNetwork(effective, own)
    sources = isWithinNetwork(own, both) ? [level] : [...sources, level]
    effective = both
  }
  return { effective, sources }
}

/** Whether a change of one level’s policy allows something that the level has refused. `null`: it sets nothing. */
export function widensNetwork(before: NetworkPolicy | null, after: NetworkPolicy | null): boolean {
  const [inner, outer] = [expandedNetwork(after ?? { kind: 'open' }), expandedNetwork(before ?? { kind: 'open' })]
  return !isWithinNetwork(inner, outer)
}

/** Whether a policy allows this name. `*.example.com` allows everything below `example.com`, but not itself. */
export function allowsName(network: EffectiveNetwork, name: string): boolean {
  return network.kind === 'open' || (network.kind === 'allowlist' && isNameCovered(name, network.names))
}

function isNameCovered(name: string, names: readonly string[]): boolean {
  return names.some((entry) => entry === name || (entry.startsWith('*.') && name.endsWith(entry.slice(1))))
}
