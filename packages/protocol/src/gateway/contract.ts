import { wireErrorSchema } from '@threadbox/errors'
import { z } from 'zod'
import { guestActivitySchema, guestHelloSchema, guestInitSchema } from '../guest/index.ts'
import { diskSpaceSchema, manifestSchema, rescueReportSchema, rescueRequestSchema } from '../guest/manifest.ts'
import { type ApiOf, call, field, nothing } from '../host/contract-call.ts'

/** A guest that the host sends a request to. */
export const guestAddressSchema = z.object({ address: z.ipv4(), accessToken: z.string() })
export type GuestAddress = z.infer<typeof guestAddressSchema>

/** A boot whose sandbox can be reached through the gateway. */
export const admittedBootSchema = guestAddressSchema.extend({ bootId: z.string(), sandboxId: z.string() })
export type AdmittedBoot = z.infer<typeof admittedBootSchema>

/** The error for requests to a sandbox that has no boot to send them to, and why. */
export const refusalSchema = z.object({ sandboxId: z.string(), reason: wireErrorSchema })
export type Refusal = z.infer<typeof refusalSchema>

/** Boots and refusals are the host’s; the gateway keeps its copy in memory only. */
export const admissionsSchema = z.object({ boots: z.array(admittedBootSchema), refusals: z.array(refusalSchema) })
export type Admissions = z.infer<typeof admissionsSchema>

/** Ends a boot’s streams. `refuses`: until the next boot, `reason` is also the error for new requests. */
export const closeBootSchema = z.object({
  sandboxId: z.string(),
  bootId: z.string(),
  reason: wireErrorSchema,
  refuses: z.boolean(),
})

/** A boot that can be frozen in memory: nothing has used it for `unusedMs`. */
export const restBootSchema = z.object({
  sandboxId: z.string(),
  bootId: z.string(),
  unusedMs: z.number().min(0),
})
export type RestBoot = z.infer<typeof restBootSchema>

/** `unusedMs`: how long nothing has used the boot; 0 while it is in use. */
export const restOutcomeSchema = z.object({ isResting: z.boolean(), unusedMs: z.number() })
export type RestOutcome = z.infer<typeof restOutcomeSchema>

export const greetGuestSchema = z.object({
  address: z.ipv4(),
  init: guestInitSchema,
  /** The guest’s current token, if it differs from the one to set. */
  presentedToken: z.string().optional(),
})

export const commandResultSchema = z.object({ exitCode: z.number().int(), output: z.string() })
export type CommandResult = z.infer<typeof commandResultSchema>

export const gatewayEventSchema = z.discriminatedUnion('type', [
  /** The first event of a stream. A gateway that has just started knows no boot. */
  z.object({ type: z.literal('opened') }),
  /** A request passed to a sandbox: `request` to a service, `guest` to the guest daemon. */
  z.object({
    type: z.literal('activity'),
    sandboxId: z.string(),
    bootId: z.string(),
    reason: z.enum(['request', 'guest']),
    /** For `request` the port. */
    detail: z.string().optional(),
    at: z.number().int(),
  }),
  /** The first request of a boot to run Python passed to its sandbox. */
  z.object({ type: z.literal('python-used'), sandboxId: z.string() }),
  /** A request waits for a boot that rests. Sent once until the boot is roused. */
  z.object({ type: z.literal('wanted'), sandboxId: z.string(), bootId: z.string() }),
  z.object({ type: z.literal('keepalive') }),
])
export type GatewayEvent = z.infer<typeof gatewayEventSchema>

const toGuest = z.object({ guest: guestAddressSchema })

/**
 * What the host daemon can order from the gateway. The host, which runs as root, reads no byte that a guest has
 * written: it gets what the gateway has parsed and limited, in these shapes.
 */
export const gatewayContract = {
  events: call('GET', '/v1/events', { response: { line: gatewayEventSchema } }),
  /** Replaces all boots and refusals; streams of boots that are missing end. */
  replaceAdmissions: call('PUT', '/v1/admissions', { body: admissionsSchema, response: nothing }),
  admit: call('POST', '/v1/admissions/admit', { body: admittedBootSchema, response: nothing }),
  /** Responds when no connection into the sandbox is left. */
  close: call('POST', '/v1/admissions/close', { body: closeBootSchema, response: nothing }),
  /** If nothing has used the boot for so long, new requests wait until it is roused, or another set of boots is sent. */
  rest: call('POST', '/v1/admissions/rest', { body: restBootSchema, response: restOutcomeSchema }),
  rouse: call('POST', '/v1/admissions/rouse', {
    body: restBootSchema.omit({ unusedMs: true }),
    response: nothing,
  }),
  setRefusal: call('POST', '/v1/admissions/refusal', {
    body: z.object({ sandboxId: z.string(), reason: wireErrorSchema.nullable() }),
    response: nothing,
  }),
  /** The handshake: tries until the guest responds or the caller cancels. */
  greet: call('POST', '/v1/guest/greet', {
    body: greetGuestSchema,
    response: guestHelloSchema,
    isCancelable: true,
    timeout: 'memory',
  }),
  manifest: call('POST', '/v1/guest/manifest', {
    body: toGuest.extend({ hashKey: z.string() }),
    response: manifestSchema,
    isCancelable: true,
  }),
  /** With `forRest`, the guest also says what prevents a rest, which takes longer. */
  activity: call('POST', '/v1/guest/activity', {
    body: toGuest.extend({ forRest: z.boolean().optional() }),
    response: guestActivitySchema,
    isCancelable: true,
  }),
  reportDiskSpace: call('POST', '/v1/guest/disk', {
    body: toGuest.extend({ space: diskSpaceSchema }),
    response: nothing,
    isCancelable: true,
  }),
  rescue: call('POST', '/v1/guest/rescue', {
    body: toGuest.extend({ budgets: rescueRequestSchema }),
    response: rescueReportSchema,
    isCancelable: true,
    timeout: 'memory',
  }),
  /** Clears from memory what use has left there, after saving what can be kept as `rescue` says. */
  forget: call('POST', '/v1/guest/forget', {
    body: toGuest.extend({ rescue: rescueRequestSchema.nullable() }),
    response: field('rescue', rescueReportSchema.nullable()),
    isCancelable: true,
    timeout: 'memory',
  }),
  /** Has the guest of a spare start what its first user would otherwise wait for. */
  prewarm: call('POST', '/v1/guest/prewarm', { body: toGuest, response: nothing, isCancelable: true }),
  /** Has the guest of a spare forget its settings; from then on it waits for its first handshake. */
  becomeTemplate: call('POST', '/v1/guest/template', { body: toGuest, response: nothing, isCancelable: true }),
  /** Runs a command of the host in the guest, in a session that isn’t the user’s. */
  run: call('POST', '/v1/guest/run', {
    body: toGuest.extend({ key: z.string(), command: z.string(), session: z.string(), timeoutMs: z.number().int() }),
    response: commandResultSchema,
    timeout: 'memory',
  }),
} as const

export type GatewayApi = ApiOf<typeof gatewayContract>
