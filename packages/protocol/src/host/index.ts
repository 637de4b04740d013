import { z } from 'zod'

/**
 * The wire between server and host daemon: HTTP with JSON bodies over a unix socket (one machine) or TLS (several).
 * Raised when a field changes meaning; additions are optional and do not raise it.
 */
export const hostProtocolVersion = 1

/** Every request names the boot it means, where it means one. The host refuses an order for another boot. */
export const bootHeader = 'threadbox-boot'

/** Code of the gateway's own error: clients of an RPC protocol do not see the body of such an answer. */
export const errorHeader = 'threadbox-error'

export const hostLimitsSchema = z.object({
  memoryBytes: z.number().int().positive(),
  cpus: z.number().positive(),
  processes: z.number().int().positive(),
  diskBytes: z.number().int().positive(),
})

export const egressPolicySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('open') }),
  z.object({ kind: z.literal('allowlist'), names: z.array(z.string()) }),
  z.object({ kind: z.literal('none') }),
])

/** `PUT /v1/sandboxes/{sandboxId}`: makes disk and address if they are missing; changes limits if they differ. */
export const ensureSandboxSchema = z.object({ limits: hostLimitsSchema, egress: egressPolicySchema })

/**
 * `POST /v1/sandboxes/{sandboxId}/start`: answers when the guest is ready. The same boot id again is the same boot. The
 * host name is a wish: a sandbox keeps the one of its first boot, and one that was kept booted had a name before.
 */
export const startSandboxSchema = z.object({ bootId: z.string(), hostname: z.string().regex(/^[a-z0-9-]{1,63}$/) })

/** `POST /v1/sandboxes/{sandboxId}/stop` */
export const stopSandboxSchema = z.object({ bootId: z.string() })

/** Why a boot is over, read from the machine (cgroup, exit status), never guessed. */
export const bootEndCauseSchema = z.enum([
  'stopped',
  'memory-backstop',
  'killed-inside',
  'killed-outside',
  'machine-restarted',
  'unknown',
])
export type BootEndCause = z.infer<typeof bootEndCauseSchema>

export const hostSandboxSchema = z.object({
  sandboxId: z.string(),
  /** `stopped`: disk only. Starting and ready have a boot. */
  actual: z.enum(['stopped', 'starting', 'ready']),
  bootId: z.string().nullable(),
  bootStartedAt: z.number().int().nullable(),
  lastBootEnd: z
    .object({ bootId: z.string(), cause: bootEndCauseSchema, at: z.number().int(), detail: z.string() })
    .nullable(),
  limits: hostLimitsSchema,
  egress: egressPolicySchema,
  imageId: z.string(),
  diskUsedBytes: z.number().int().nullable(),
})
export type HostSandbox = z.infer<typeof hostSandboxSchema>

export const hostInfoSchema = z.object({
  protocolVersion: z.number().int(),
  version: z.string(),
  hostId: z.string(),
  memoryTotalBytes: z.number().int(),
  memoryAvailableBytes: z.number().int(),
  poolTotalBytes: z.number().int(),
  poolUsedBytes: z.number().int(),
  awakeSandboxes: z.number().int(),
  /** Sandboxes that are booted and belong to nobody yet. */
  spareSandboxes: z.number().int().optional(),
  /** What is still being prepared after an installation; empty when sandboxes can start. */
  preparing: z.array(z.string()),
})
export type HostInfo = z.infer<typeof hostInfoSchema>

/** `GET /v1/events`: newline-delimited JSON, live; the server lists the sandboxes again after each connect. */
export const hostEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('boot-ready'), sandboxId: z.string(), bootId: z.string(), at: z.number().int() }),
  z.object({
    type: z.literal('boot-ended'),
    sandboxId: z.string(),
    bootId: z.string(),
    cause: bootEndCauseSchema,
    detail: z.string(),
    at: z.number().int(),
  }),
  z.object({
    type: z.literal('activity'),
    sandboxId: z.string(),
    bootId: z.string(),
    reason: z.string(),
    at: z.number().int(),
  }),
  z.object({ type: z.literal('keepalive') }),
])
export type HostEvent = z.infer<typeof hostEventSchema>

/** `PATCH /v1/sandboxes/{sandboxId}`: changes limits or egress of a sandbox that exists, also while it runs. */
export const changeSandboxSchema = z.object({
  limits: hostLimitsSchema.optional(),
  egress: egressPolicySchema.optional(),
})

/** Carries the host's token where the daemon is reached over the network. */
export const hostTokenHeader = 'threadbox-host-token'

/**
 * Paths of the host daemon. Under `guest` the gateway forwards any method to the guest daemon with the boot's access
 * token added; under `code` to its code contexts; under `port` to a service inside, also one bound to 127.0.0.1.
 */
export const hostPaths = {
  info: '/v1/host',
  doctor: '/v1/doctor',
  events: '/v1/events',
  /** `POST`: stops every boot cleanly (disks synced) and answers when all have ended. */
  shutdown: '/v1/shutdown',
  sandboxes: '/v1/sandboxes',
  sandbox: (sandboxId: string) => `/v1/sandboxes/${sandboxId}`,
  start: (sandboxId: string) => `/v1/sandboxes/${sandboxId}/start`,
  stop: (sandboxId: string) => `/v1/sandboxes/${sandboxId}/stop`,
  guest: (sandboxId: string) => `/v1/sandboxes/${sandboxId}/guest`,
  code: (sandboxId: string) => `/v1/sandboxes/${sandboxId}/code`,
  port: (sandboxId: string, port: number) => `/v1/sandboxes/${sandboxId}/port/${port}`,
} as const

/** `GET /v1/doctor`: what the host daemon finds about its machine, one check from inside a real sandbox included. */
export const hostDoctorSchema = z.object({
  checks: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      state: z.enum(['ok', 'warning', 'failed', 'skipped']),
      /** What was found, in plain words, with figures. */
      detail: z.string(),
      /** What to do about it; empty when there is nothing to do. */
      cure: z.string(),
    }),
  ),
})
export type HostDoctor = z.infer<typeof hostDoctorSchema>
