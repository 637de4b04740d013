import type { Logger } from '@threadbox/telemetry'
import { type Answer, type DecodedPacket, decode, encode, type Packet } from 'dns-packet'
import { decideQuestion, filterAnswer, isResponseTo, responseCodes } from './dns-policy.logic.ts'
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
  setClient(client: { address: string; egress: EgressPolicy; isRelay?: boolean | undefined }): void
  removeClient(address: string): void
}

const bounds = { perSecond: 100, burst: 300, inFlightEach: 64, inFlightAll: 1024 }
/** The relay asks for all sandboxes, whose connections it limits. */
const relayBounds = { perSecond: 2000, burst: 4000, inFlightEach: 512 }
/** How long a program keeps the address that stands for a name. */
const virtualTtlSeconds = 30
/** The UDP size limit unless the question allows more (RFC 1035). */
const plainUdpSize = 512

type Client = { egress: EgressPolicy; isRelay: boolean; bucket: TokenBucket | undefined; inFlight: number }

export function makeDnsResolver(options: {
  upstream: DnsUpstream
  /** The address that stands for a name that a client reaches through the relay. */
  virtualAddress: (options: { address: string; name: string }) => Promise<string>
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
    const limits = client.isRelay ? relayBounds : bounds
    const bucket = takeToken({ bucket: client.bucket, nowMs: now(), ...limits })
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
    if (client.inFlight >= limits.inFlightEach || inFlightAll >= bounds.inFlightAll) {
      return ownAnswer({ packet, code: responseCodes.serverFailure })
    }
    client.inFlight += 1
    inFlightAll += 1
    try {
      if (decision.kind === 'virtual') return await virtualAnswer({ ...options, message, packet })
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
    setClient({ address, egress, isRelay = false }) {
      const present = clients.get(address)
      if (present === undefined) clients.set(address, { egress, isRelay, bucket: undefined, inFlight: 0 })
      else present.egress = egress
    },
    removeClient: (address) => void clients.delete(address),
  }
}

async function forward(options: {
  upstream: DnsUpstream
  onAnswered: (options: { address: string; name: string }) => void
  message: DnsMessage
  packet: DecodedPacket
  client: Client
}): Promise<Buffer> {
  const { upstream, message, packet, client } = options
  const bytes = await upstream({ question: message.question, transport: message.transport })
  const answer = tryDecode(bytes)
  if (answer === undefined || !isResponseTo({ question: packet, answer })) {
    return ownAnswer({ packet, code: responseCodes.serverFailure })
  }
  // The policy may have changed during the upstream query.
  const decision = decideQuestion({ packet, egress: client.egress })
  if (decision.kind === 'answer') return ownAnswer({ packet, code: decision.code })
  // A program asks again immediately, and then gets the address that stands for the name.
  if (decision.kind === 'virtual') return ownAnswer({ packet, code: responseCodes.serverFailure })
  // The relay checks addresses when it connects: of some names it wants private ones.
  if (client.isRelay) return bytes
  const { replacement, addresses } = filterAnswer(answer)
  const name = packet.questions?.[0]?.name ?? ''
  if (addresses.length > 0 && name !== '') options.onAnswered({ address: message.from, name })
  if (replacement === undefined) return bytes
  const encoded = encode(replacement)
  return message.transport === 'tcp' || encoded.length <= udpSizeOf(packet) ? encoded : truncated(replacement)
}

async function virtualAnswer(options: {
  virtualAddress: (options: { address: string; name: string }) => Promise<string>
  onAnswered: (options: { address: string; name: string }) => void
  message: DnsMessage
  packet: DecodedPacket
}): Promise<Buffer> {
  const { message, packet } = options
  const name = packet.questions?.[0]?.name ?? ''
  const data = await options.virtualAddress({ address: message.from, name })
  options.onAnswered({ address: message.from, name })
  return ownAnswer({ packet, code: responseCodes.ok, answers: [{ type: 'A', name, data, ttl: virtualTtlSeconds }] })
}

function ownAnswer(options: { packet: Packet; code: number; answers?: Answer[] }): Buffer {
  const { packet, code, answers } = options
  const recursionFlags = 0x0180 & ((packet.flags ?? 0) | 0x0080)
  const { id, questions } = packet
  return encode({
    type: 'response',
    flags: recursionFlags | code,
    ...(id === undefined ? {} : { id }),
    ...(questions === undefined ? {} : { questions }),
    ...(answers === undefined ? {} : { answers }),
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
