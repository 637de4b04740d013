import { z } from 'zod'
import { type ApiOf, call, nothing } from '../host/contract-call.ts'

/** As many names as a sandbox can have. */
export const maxRelayedNames = 4096
/** A name of at most 253 characters, with a port. */
const entry = z.string().min(1).max(259)
const hostName = z.string().min(1).max(253)

/** What a sandbox may reach through the relay. */
export const relayedSandboxSchema = z.object({
  sandboxId: z.string(),
  address: z.ipv4(),
  kind: z.enum(['open', 'allowlist', 'none']),
  /**
   * Under `allowlist` the entries of the policy: `name`, for the ports 80 and 443, or `name:port`. `*.name` is everything
   * below it. Otherwise empty.
   */
  names: z.array(entry).max(maxRelayedNames),
  /** Where it has secrets for: `name`, for port 443, or `name:port`. Without wildcards. */
  brokered: z.array(entry).max(maxRelayedNames),
  /**
   * Services in private networks: at this port the name is reached only while all of its addresses are in its ranges.
   */
  privateAddresses: z.array(z.object({ name: hostName, port: z.number().int(), range: z.string() })).default([]),
})
export type RelayedSandbox = z.infer<typeof relayedSandboxSchema>

/** A virtual address and the name that it stands for. */
export const virtualNameSchema = z.object({ address: z.ipv4(), name: hostName })
export type VirtualName = z.infer<typeof virtualNameSchema>

/** The host’s; the egress process keeps its copy in memory only. */
export const relayTableSchema = z.object({
  sandboxes: z.array(relayedSandboxSchema),
  names: z.array(virtualNameSchema),
})
export type RelayTable = z.infer<typeof relayTableSchema>

/** Why a connection was refused. */
export const refusalReasonSchema = z.enum([
  /** Name or port isn’t in the policy. */
  'not-allowed',
  /** The address stands for no name. */
  'address-unknown',
  'too-many-connections',
  /** TLS for another name, or for none; the first request for another host, or for none. */
  'server-name-wrong',
  'server-name-missing',
  'host-wrong',
  'host-missing',
  /** Not what the port is for: no TLS, no HTTP, or not in a form that all servers read in the same way. */
  'not-tls',
  'tls-invalid',
  'http-invalid',
  /** The connection sent nothing, or not enough to say what it is for. */
  'too-slow',
  'too-long',
  'name-unresolved',
  /** The name resolves to addresses that no sandbox can reach. */
  'address-private',
  /** The name is allowed for ranges of private addresses, and one of its addresses is in none of them. */
  'address-out-of-range',
  'unreachable',
  /** The name has secrets, and nothing here can insert them. */
  'broker-missing',
])
export type RefusalReason = z.infer<typeof refusalReasonSchema>

export const egressEventSchema = z.discriminatedUnion('type', [
  /** The first event of a stream. A process that has just started knows no sandbox. */
  z.object({ type: z.literal('opened') }),
  /** At least one connection like this. Equal ones are reported once a second. */
  z.object({
    type: z.literal('connection'),
    sandboxId: z.string(),
    /** The address, if it stands for no name. */
    name: z.string(),
    port: z.number().int(),
    decision: z.enum(['relayed', 'brokered', 'refused']),
    reason: refusalReasonSchema.nullable(),
    at: z.number().int(),
  }),
  z.object({ type: z.literal('keepalive') }),
])
export type EgressEvent = z.infer<typeof egressEventSchema>
export type ConnectionEvent = Extract<EgressEvent, { type: 'connection' }>

const ids = { sandboxId: 'sandbox' } as const

/**
 * What the host daemon can order from the egress process: what each sandbox can reach. The host reads no byte that a sandbox
 * sent through the relay.
 */
export const egressContract = {
  events: call('GET', '/v1/events', { response: { line: egressEventSchema } }),
  /** Replaces all sandboxes and names. Responds after connections that are no longer allowed have ended. */
  replaceAll: call('PUT', '/v1/relay', { body: relayTableSchema, response: nothing }),
  /** Responds after connections that are no longer allowed have ended. */
  setSandbox: call('POST', '/v1/relay/sandbox', { body: relayedSandboxSchema, ids, response: nothing }),
  /** Responds after its connections have ended. */
  removeSandbox: call('POST', '/v1/relay/remove', {
    body: z.object({ sandboxId: z.string() }),
    ids,
    response: nothing,
  }),
  addNames: call('POST', '/v1/relay/names', {
    body: z.object({ names: z.array(virtualNameSchema) }),
    response: nothing,
  }),
  /** While a sandbox is held, nothing is read for it: before its link goes down, and until it is awake again. */
  hold: call('POST', '/v1/relay/hold', {
    body: z.object({ sandboxId: z.string(), isHeld: z.boolean() }),
    ids,
    response: nothing,
  }),
} as const

export type EgressApi = ApiOf<typeof egressContract>
