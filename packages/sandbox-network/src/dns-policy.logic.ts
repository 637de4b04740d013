import type { Answer, DecodedPacket, Packet } from 'dns-packet'
import { isPrivateAddress } from './private-ranges.logic.ts'
import { egressInvalid } from './sandbox-network.errors.ts'
import type { EgressPolicy } from './sandbox-network.ts'

/** Codes of RFC 1035 that the forwarder sends without an upstream; the low four bits of the flags. */
export const responseCodes = { ok: 0, formatError: 1, serverFailure: 2, noSuchName: 3, notImplemented: 4, refused: 5 }

export type DnsDecision =
  | { kind: 'forward' }
  /** A response that needs no upstream query. `isRefusal`: because of the egress policy. */
  | { kind: 'answer'; code: number; isRefusal?: true }

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
  if (egress.kind === 'none') return { kind: 'answer', code: responseCodes.refused, isRefusal: true }
  if (['AXFR', 'IXFR'].includes(question.type)) return { kind: 'answer', code: responseCodes.refused }
  if (egress.kind === 'allowlist' && !isAllowedName({ name: question.name, names: egress.names })) {
    return { kind: 'answer', code: responseCodes.noSuchName, isRefusal: true }
  }
  return question.type === 'AAAA' ? { kind: 'answer', code: responseCodes.ok } : { kind: 'forward' }
}

/** Whether a policy allows everything that an earlier one allowed. */
export function isWiderEgress(egress: EgressPolicy, earlier: EgressPolicy): boolean {
  if (egress.kind === 'open') return true
  if (egress.kind === 'none' || earlier.kind !== 'allowlist') return false
  return earlier.names.every((name) => isAllowedName({ name, names: egress.names }))
}

/** `index.example.net` allows exactly that; `*.example.com` allows everything below, not `example.com` itself. */
export function isAllowedName(options: { name: string; names: readonly string[] }): boolean {
  const name = withoutFinalDot(options.name.toLowerCase())
  return options.names.some((entry) => {
    const pattern = withoutFinalDot(entry.toLowerCase())
    return pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern
  })
}

/** Throws `network.egress-invalid` for an entry that could never match. */
export function checkEgress(egress: EgressPolicy): EgressPolicy {
  if (egress.kind !== 'allowlist') return egress
  const bad = egress.names.find((name) => !namePattern.test(name))
  if (bad !== undefined) throw egressInvalid({ name: bad })
  return egress
}

const namePattern = /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.?$/i

export type FilteredAnswer = {
  /** Undefined if nothing was removed: the original bytes can be passed on. */
  replacement: Packet | undefined
  /** The remaining addresses, with the shortest time for which any of them can be cached. */
  addresses: string[]
  ttlSeconds: number
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
  const addressed = answers.flatMap((answer) => (answer.type === 'A' ? [answer] : []))
  return {
    replacement: isWhole ? undefined : { ...packet, answers, additionals },
    addresses: [...new Set(addressed.map((answer) => answer.data))],
    ttlSeconds: addressed.reduce((least, answer) => Math.min(least, answer.ttl ?? 0), longestTtlSeconds),
  }
}

const longestTtlSeconds = 86_400

/**
 * How long an address of an allowed name stays reachable. Longer than the name can be cached, because a program
 * connects after the lookup; at least five minutes, because many programs look up once and connect repeatedly.
 */
export function reachableSeconds(ttlSeconds: number): number {
  return Math.max(300, ttlSeconds + 60)
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

function withoutFinalDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name
}
