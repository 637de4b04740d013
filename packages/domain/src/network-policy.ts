import { atPorts, coversName, type NameAtPort, webPorts } from './network-entry.ts'
import { type NetworkPreset, networkPresets } from './network-presets.ts'
import type { PrivateAddress } from './private-address.ts'

/**
 * What sandboxes reach on the internet. `open`: everything except what no sandbox reaches. `allowlist`: of that, the
 * hosts with these names, and those of the presets: `example.org` at the ports 80 and 443, `example.org:8443` at that one.
 * `none`: nothing.
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
  const [these, those] = [one.names.flatMap(atPorts), other.names.flatMap(atPorts)]
  const common = [...these.filter((each) => isCovered(each, those)), ...those.filter((each) => isCovered(each, these))]
  return common.length === 0 ? { kind: 'none' } : { kind: 'allowlist', names: entriesOf(common) }
}

/** Whether the first allows nothing that the second doesn’t. */
export function isWithinNetwork(inner: EffectiveNetwork, outer: EffectiveNetwork): boolean {
  if (outer.kind === 'open' || inner.kind === 'none') return true
  if (inner.kind === 'open') return false
  const allowed = outer.kind === 'allowlist' ? outer.names.flatMap(atPorts) : []
  return inner.names.flatMap(atPorts).every((each) => isCovered(each, allowed))
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

/**
 * Whether a policy allows this entry, at all of its ports. `*.example.com` allows everything below `example.com`, but not
 * itself.
 */
export function allowsName(network: EffectiveNetwork, entry: string): boolean {
  return isWithinNetwork({ kind: 'allowlist', names: [entry] }, network)
}

/** Those of the listed services in private networks that a policy allows; `open` allows all. */
export function allowedPrivateAddresses(
  network: EffectiveNetwork,
  listed: readonly PrivateAddress[],
): PrivateAddress[] {
  return listed.filter(({ name, port }) => allowsName(network, `${name}:${port}`))
}

function isCovered({ name, port }: NameAtPort, allowed: readonly NameAtPort[]): boolean {
  return allowed.some((entry) => entry.port === port && coversName(entry.name, name))
}

/** The shortest entries for the same: one without a port if a name has both web ports. */
function entriesOf(all: readonly NameAtPort[]): string[] {
  const ports = new Map<string, Set<number>>()
  for (const { name, port } of all) ports.set(name, (ports.get(name) ?? new Set()).add(port))
  return [...ports].flatMap(([name, of]) => {
    const isWeb = webPorts.every((port) => of.has(port))
    const others = [...of].filter((port) => !isWeb || !webPorts.includes(port))
    return [...(isWeb ? [name] : []), ...others.map((port) => `${name}:${port}`)]
  })
}
