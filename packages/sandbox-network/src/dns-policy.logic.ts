import {
  coversName,
  type PrivateAddress,
  parseNetworkEntry,
  parsePrivateAddress,
  splitNetworkEntry,
} from '@threadbox/domain'
import type { Answer, DecodedPacket, Packet } from 'dns-packet'
import { isPrivateAddress } from './private-ranges.logic.ts'
import { egressInvalid } from './sandbox-network.errors.ts'
import type { EgressPolicy } from './sandbox-network.ts'

/** Codes of RFC 1035 that the forwarder sends without an upstream; the low four bits of the flags. */
export const responseCodes = { ok: 0, formatError: 1, serverFailure: 2, noSuchName: 3, notImplemented: 4, refused: 5 }

export type DnsDecision =
  | { kind: 'forward' }
  /** The address that stands for the name. */
  | { kind: 'virtual' }
  /** A response that needs no upstream query. `isRefusal`: because of the egress policy. */
  | { kind: 'answer'; code: number; isRefusal?: true }

/** Types that would lead around the address that stands for a name; 64 and 65 are SVCB and HTTPS. */
const addressTypes = ['A', 'AAAA', 'ANY', 'UNKNOWN_64', 'UNKNOWN_65']

/**
 * Decides on a question. Names that are not on the allowlist do not exist; without egress every question is refused.
 * Questions for IPv6 addresses get an empty response, because sandboxes have no IPv6: programs then do not try it
 * first.
 */
export function decideQuestion(options: { packet: Packet; egress: EgressPolicy }): DnsDecision {
  const { packet, egress } = options
  if (packet.type !== 'query') return { kind: 'answer', code: responseCodes.formatError }
  // The library keeps the opcode in the flags: 0 is a standard query.
  if (((packet.flags ?? 0) & 0x7800) !== 0) return { kind: 'answer', code: responseCodes.notImplemented }
  const question = packet.questions?.[0]
  if (question === undefined || packet.questions?.length !== 1) {
    return { kind: 'answer', code: responseCodes.formatError }
  }
  const { name, type } = question
  if (egress.kind === 'none') return { kind: 'answer', code: responseCodes.refused, isRefusal: true }
  if (['AXFR', 'IXFR'].includes(type)) return { kind: 'answer', code: responseCodes.refused }
  if (egress.kind === 'allowlist' && !isAllowedName({ name, names: egress.names })) {
    return { kind: 'answer', code: responseCodes.noSuchName, isRefusal: true }
  }
  if (type === 'AAAA') return { kind: 'answer', code: responseCodes.ok }
  if (!addressTypes.includes(type) || !isVirtualName(egress, name)) return { kind: 'forward' }
  return type === 'A' ? { kind: 'virtual' } : { kind: 'answer', code: responseCodes.ok }
}

/** Whether a name has, for a sandbox with this policy, an address that stands for it. */
export function isVirtualName(egress: EgressPolicy, name: string): boolean {
  if (egress.kind === 'allowlist') return isAllowedName({ name, names: egress.names })
  return egress.kind === 'open' && isAllowedName({ name, names: relayedNames(egress) })
}

/** Whether a sandbox with this policy reaches names through the relay. */
export function isRelayed(egress: EgressPolicy): boolean {
  return egress.kind === 'allowlist' || (egress.kind === 'open' && relayedNames(egress).length > 0)
}

/** The names that are reached through the relay under any policy. */
export function relayedNames({ brokered = [], privateAddresses = [] }: EgressPolicy): string[] {
  return [...brokered, ...privateAddresses.map(({ name }) => name)]
}

/**
 * Whether the firewall keeps connections after a change. Under a list there are only those of the relay, which ends what is
 * no longer allowed.
 */
export function keepsConnections(egress: EgressPolicy, earlier: EgressPolicy): boolean {
  return egress.kind === 'open' || (egress.kind === 'allowlist' && earlier.kind === 'allowlist')
}

/** At any port. `index.example.net` allows exactly that; `*.example.com` allows everything below, not `example.com` itself. */
export function isAllowedName(options: { name: string; names: readonly string[] }): boolean {
  const name = withoutFinalDot(options.name.toLowerCase())
  return options.names.some((entry) => coversName(withoutFinalDot(splitNetworkEntry(entry).name.toLowerCase()), name))
}

/** The policy with its entries in the form in which they are compared. Throws `network.egress-invalid` for one that has none. */
export function checkEgress(egress: EgressPolicy): EgressPolicy {
  const brokered = (egress.brokered ?? []).map(checkedEntry)
  const wildcard = brokered.find((entry) => entry.startsWith('*'))
  if (wildcard !== undefined) throw egressInvalid({ name: wildcard })
  const common = {
    ...(egress.brokered !== undefined && { brokered }),
    ...(egress.privateAddresses !== undefined && { privateAddresses: egress.privateAddresses.map(checkedPrivate) }),
  }
  if (egress.kind !== 'allowlist') return { kind: egress.kind, ...common }
  return { kind: 'allowlist', names: egress.names.map(checkedEntry), ...common }
}

function checkedEntry(text: string): string {
  const parsed = parseNetworkEntry(text)
  if ('problem' in parsed) throw egressInvalid({ name: text.slice(0, 100) })
  return parsed.entry
}

function checkedPrivate(entry: PrivateAddress): PrivateAddress {
  const parsed = parsePrivateAddress(entry)
  if ('problem' in parsed) throw egressInvalid({ name: `${entry.name}:${entry.port} ${entry.range}`.slice(0, 100) })
  return parsed
}

export type FilteredAnswer = {
  /** Undefined if nothing was removed: the original bytes can be passed on. */
  replacement: Packet | undefined
  /** The remaining addresses. */
  addresses: string[]
}

/**
 * Removes addresses that a sandbox must not reach from a response: IPv6 ones, and private ones, with which a name of
 * the internet would lead into the host’s own network (DNS rebinding).
 */
export function filterAnswer(packet: DecodedPacket): FilteredAnswer {
  const isKept = (answer: Answer) =>
    answer.type !== 'AAAA' && !(answer.type === 'A' && isPrivateAddress(String(answer.data)))
  const sections = { answers: packet.answers ?? [], additionals: packet.additionals ?? [] }
  const answers = sections.answers.filter(isKept)
  const additionals = sections.additionals.filter(isKept)
  const isWhole = answers.length === sections.answers.length && additionals.length === sections.additionals.length
  const addresses = answers.flatMap((answer) => (answer.type === 'A' ? [answer.data] : []))
  return { replacement: isWhole ? undefined : { ...packet, answers, additionals }, addresses: [...new Set(addresses)] }
}

/** Whether a response belongs to this question; anything else on the socket is stray or forged. */
export function isResponseTo(options: { question: Packet; answer: Packet }): boolean {
  const [asked] = options.question.questions ?? []
  const [answered] = options.answer.questions ?? []
  if (options.answer.type !== 'response' || asked === undefined) return false
  // A server that failed early can omit the question.
  if (answered === undefined) return (options.answer.answers ?? []).length === 0
  return asked.type === answered.type && asked.name.toLowerCase() === answered.name.toLowerCase()
}

/** Parses the servers in `/etc/resolv.conf`, in order; the host’s own resolver if there are none. */
export function parseResolvers(content: string): string[] {
  const found = [...content.matchAll(/^\s*nameserver\s+([0-9a-fA-F.:]+)(%\S+)?\s*$/gm)].map((match) => match[1] ?? '')
  return found.length === 0 ? ['127.0.0.1'] : found.slice(0, 3)
}

/** Parses a list such as `192.0.2.1,192.0.2.2:5353`. */
export function parseNameServers(list: string): { address: string; port: number }[] {
  const entries = list.split(',').filter((entry) => entry !== '')
  return entries.map((entry) => {
    const [address = '', port = '53'] = entry.split(':')
    return { address, port: Number(port) }
  })
}

function withoutFinalDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name
}
