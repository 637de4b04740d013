import type { Logger } from '@threadbox/telemetry'
import { type DecodedPacket, decode, encode, type Packet } from 'dns-packet'
import { decideQuestion, filterAnswer, isResponseTo, reachableSeconds, responseCodes } from './dns-policy.logic.ts'
import type { DnsTransport, DnsUpstream } from './dns-upstream.ts'
import type { EgressPolicy } from './sandbox-network.ts'
import { type TokenBucket, takeToken } from './token-bucket.logic.ts'

export type DnsMessage = { from: string; question: Buffer; transport: DnsTransport }

/**
 * Resolves the questions of known clients by their egress policy; undefined: send nothing, as if the packet were lost.
 */
export type DnsResolver = {
  answer(message: DnsMessage): Promise<Buffer | undefined>
  isClient(address: string): boolean
  setClient(client: { address: string; egress: EgressPolicy }): void
  egressOf(address: string): EgressPolicy | undefined
  removeClient(address: string): void
}

const bounds = { perSecond: 100, burst: 300, inFlightEach: 64, inFlightAll: 1024 }
/** The UDP size limit unless the question allows more (RFC 1035). */
const plainUdpSize = 512

type Client = { egress: EgressPolicy; bucket: TokenBucket | undefined; inFlight: number }

export function makeDnsResolver(options: {
  upstream: DnsUpstream
  /** Called before a client with an allowlist gets a response: lets the client reach the addresses of a name. */
  allow: (options: { address: string; name: string; addresses: string[]; seconds: number }) => Promise<void>
  /** Called when a client gets an address of a name. */
  onAnswered: (options: { address: string; name: string }) => void
  /** Called when its policy keeps a client from a name. Not for IPv6 queries: programs send both at the same time. */
  onRefused?: (options: { address: string; name: string }) => void
  logger: Logger
  now: () => number
}): DnsResolver {
  const { logger, now } = options
  const clients = new Map<string, Client>()
  let inFlightAll = 0

  const answer = async (message: DnsMessage) => {
    const client = clients.get(message.from)
    if (client === undefined) return undefined
    const bucket = takeToken({ bucket: client.bucket, nowMs: now(), ...bounds })
    if (bucket === undefined) return undefined
    client.bucket = bucket
    const packet = tryDecode(message.question)
    if (packet === undefined) return undefined
    const decision = decideQuestion({ packet, egress: client.egress })
    if (decision.kind === 'answer') {
      const question = packet.questions?.[0]
      if (decision.isRefusal && question !== undefined && question.type !== 'AAAA') {
        options.onRefused?.({ address: message.from, name: question.name })
      }
      return ownAnswer({ packet, code: decision.code })
    }
    if (client.inFlight >= bounds.inFlightEach || inFlightAll >= bounds.inFlightAll) {
      return ownAnswer({ packet, code: responseCodes.serverFailure })
    }
    client.inFlight += 1
    inFlightAll += 1
    try {
      return await forward({ ...options, message, packet, client })
    } catch (error) {
      logger.debug({ err: error, address: message.from }, 'a name could not be resolved')
      return ownAnswer({ packet, code: responseCodes.serverFailure })
    } finally {
      client.inFlight -= 1
      inFlightAll -= 1
    }
  }

  return {
    answer,
    isClient: (address) => clients.has(address),
    setClient({ address, egress }) {
      const present = clients.get(address)
      if (present === undefined) clients.set(address, { egress, bucket: undefined, inFlight: 0 })
      else present.egress = egress
    },
    egressOf: (address) => clients.get(address)?.egress,
    removeClient: (address) => void clients.delete(address),
  }
}

async function forward(options: {
  upstream: DnsUpstream
  allow: (options: { address: string; name: string; addresses: string[]; seconds: number }) => Promise<void>
  onAnswered: (options: { address: string; name: string }) => void
  message: DnsMessage
  packet: DecodedPacket
  client: Client
}): Promise<Buffer> {
  const { upstream, allow, message, packet, client } = options
  const bytes = await upstream({ question: message.question, transport: message.transport })
  const answer = tryDecode(bytes)
  if (answer === undefined || !isResponseTo({ question: packet, answer })) {
    return ownAnswer({ packet, code: responseCodes.serverFailure })
  }
  // The policy may have changed during the upstream query.
  const decision = decideQuestion({ packet, egress: client.egress })
  if (decision.kind === 'answer') return ownAnswer({ packet, code: decision.code })
  const { replacement, addresses, ttlSeconds } = filterAnswer(answer)
  const name = packet.questions?.[0]?.name ?? ''
  if (client.egress.kind === 'allowlist' && addresses.length > 0) {
    await allow({ address: message.from, name, addresses, seconds: reachableSeconds(ttlSeconds) })
  }
  if (addresses.length > 0 && name !== '') options.onAnswered({ address: message.from, name })
  if (replacement === undefined) return bytes
  const encoded = encode(replacement)
  return message.transport === 'tcp' || encoded.length <= udpSizeOf(packet) ? encoded : truncated(replacement)
}

function ownAnswer(options: { packet: Packet; code: number }): Buffer {
  const { packet, code } = options
  const recursionFlags = 0x0180 & ((packet.flags ?? 0) | 0x0080)
  const { id, questions } = packet
  return encode({
    type: 'response',
    flags: recursionFlags | code,
    ...(id === undefined ? {} : { id }),
    ...(questions === undefined ? {} : { questions }),
  })
}

/** Makes the client repeat the question over TCP. */
function truncated(packet: Packet): Buffer {
  return encode({ ...packet, flags: (packet.flags ?? 0) | 0x0200, answers: [], authorities: [], additionals: [] })
}

function udpSizeOf(packet: Packet): number {
  const extension = packet.additionals?.find((record) => record.type === 'OPT')
  return extension !== undefined && 'udpPayloadSize' in extension
    ? Math.max(plainUdpSize, extension.udpPayloadSize)
    : plainUdpSize
}

function tryDecode(message: Buffer): DecodedPacket | undefined {
  try {
    return decode(message)
  } catch {
    return undefined
  }
}
