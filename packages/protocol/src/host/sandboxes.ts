import { z } from 'zod'
import { manifestSchema, rescueReportSchema, rescueRequestSchema } from '../guest/manifest.ts'
import { setupSteps } from '../public/setup-steps.ts'
import { hostLimitsSchema } from './limits.ts'
import { folderChangesSchema } from './snapshot-changes.ts'
import { hostSnapshotSchema, snapshotMemoryOrderSchema } from './snapshots.ts'

/**
 * The wire between server and host daemon: HTTP with JSON bodies over a unix socket (one machine) or TLS (several).
 * Raised when a field changes meaning; additions are optional and do not raise it.
 */
export const hostProtocolVersion = 1

/** Every request names the boot it means, where it means one. The host refuses an order for another boot. */
export const bootHeader = 'threadbox-boot'

/** Code of the gateway's own error: clients of an RPC protocol do not see the body of such an answer. */
export const errorHeader = 'threadbox-error'

/** On a request to a service: nobody waits for it (polling, a live-reload socket), so it does not keep a sandbox awake. */
export const backgroundHeader = 'threadbox-background'

export const egressPolicySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('open') }),
  z.object({ kind: z.literal('allowlist'), names: z.array(z.string()) }),
  z.object({ kind: z.literal('none') }),
])

const hashKeySchema = z.string().regex(/^[0-9a-f]{16,128}$/)

/** `PUT /v1/sandboxes/{sandboxId}`: makes disk and address if they are missing; changes limits if they differ. */
export const ensureSandboxSchema = z.object({
  limits: hostLimitsSchema,
  egress: egressPolicySchema,
  /** Key for the manifest of a pause that the host decides on itself, at a shutdown; kept for the sandbox. */
  hashKey: hashKeySchema.optional(),
})

/**
 * `POST /v1/sandboxes/{sandboxId}/start`: answers when the guest is ready. The same boot id again is the same boot. The
 * host name is a wish: a sandbox keeps the one of its first boot, and one that was kept booted had a name before.
 */
export const startSandboxSchema = z.object({ bootId: z.string(), hostname: z.string().regex(/^[a-z0-9-]{1,63}$/) })

/** `POST /v1/sandboxes/{sandboxId}/stop` */
export const stopSandboxSchema = z.object({ bootId: z.string() })

/**
 * `POST /v1/sandboxes/{sandboxId}/pause`: saves the memory of the boot and stops its clock. Answers
 * {@link pausedSandboxSchema}. When it fails the boot goes on as if nothing had happened, and the error says why. Paused
 * already: answers the same again. The boot id lives on: a wake from memory continues the same boot.
 */
export const pauseSandboxSchema = z.object({
  bootId: z.string(),
  /** Key for the manifest's hashes: who compares it with a later manifest sends the same there. Without: a random one. */
  hashKey: z
    .string()
    .regex(/^[0-9a-f]{16,128}$/)
    .optional(),
})

/**
 * `POST /v1/sandboxes/{sandboxId}/abandon-pause`: somebody wants the boot while it is being paused. Answers at once; the
 * pause then fails with `sandbox.pause-abandoned` as soon as the boot can go on, unless its memory is saved already:
 * then the pause ends as usual and a wake is the way on.
 */
export const abandonPauseSchema = z.object({ bootId: z.string() })

/** Whether a pause of this boot was under way. */
export const abandonedPauseSchema = z.object({ wasUnderWay: z.boolean() })
export type AbandonedPause = z.infer<typeof abandonedPauseSchema>

/** Code of the error with which an abandoned pause fails. The boot runs on. */
export const pauseAbandonedCode = 'sandbox.pause-abandoned'

/**
 * `POST /v1/sandboxes/{sandboxId}/wake`: the paused boot goes on, out of RAM (`frozen`) or out of its memory image
 * (`memory`). Awake already: says so (`awake`). When the memory cannot be used it is dropped and the order fails with
 * `sandbox.memory-unusable`, whose `reason` is one of {@link memoryProblemSchema}; the disk is untouched, and `start`
 * with a new boot id is the way on.
 */
export const wakeSandboxSchema = z.object({ bootId: z.string() })

export const memoryProblemSchema = z.enum([
  'missing',
  'corrupt',
  'consumed',
  'other-version',
  'cpu-features',
  'disk-changed',
  'restore-failed',
  'guest-silent',
])
export type MemoryProblem = z.infer<typeof memoryProblemSchema>

/**
 * `POST /v1/sandboxes/{sandboxId}/demote`: gives the memory of a paused boot up, gracefully: woken with its link down,
 * rescued, stopped, synced. Afterwards the sandbox is `stopped`. Answers {@link demotedSandboxSchema}.
 */
export const demoteSandboxSchema = z.object({ bootId: z.string(), budgets: rescueRequestSchema })

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
  /** `stopped`: disk only. The others have a boot; `paused`: with its memory saved and its clock stopped. */
  actual: z.enum(['stopped', 'starting', 'ready', 'paused']),
  bootId: z.string().nullable(),
  bootStartedAt: z.number().int().nullable(),
  lastBootEnd: z
    .object({ bootId: z.string(), cause: bootEndCauseSchema, at: z.number().int(), detail: z.string() })
    .nullable(),
  limits: hostLimitsSchema,
  egress: egressPolicySchema,
  imageId: z.string(),
  /** Only in the answer to `GET /v1/sandboxes/{sandboxId}?usage=true`. */
  diskUsedBytes: z.number().int().nullable(),
  /**
   * The disk was lost when this boot was to start: it runs over a snapshot of this moment, and what was written later is
   * gone. Null or missing: the disk is the one there always was.
   */
  diskRestoredFrom: z.number().int().nullable().optional(),
  /** While `paused`: since when, what the memory image takes, and whether the processes are also frozen in RAM. */
  paused: z.object({ at: z.number().int(), imageBytes: z.number().int(), isFrozen: z.boolean() }).nullable().optional(),
})
export type HostSandbox = z.infer<typeof hostSandboxSchema>

/** What the disk holds takes the file system some 15 ms to say, so it is asked for. */
export const usageQuerySchema = z.object({ usage: z.stringbool().optional() })

export const pausedSandboxSchema = z.object({
  sandbox: hostSandboxSchema,
  /** Taken right before; null when the guest could not say, with the reason. */
  manifest: manifestSchema.nullable(),
  manifestProblem: z.string(),
  /**
   * The longest that somebody who wanted it meanwhile would have waited: until the pause could be abandoned, or from
   * there until it was over. And how long everything took.
   */
  stallMs: z.number(),
  durationMs: z.number(),
})
export type PausedSandbox = z.infer<typeof pausedSandboxSchema>

export const wokenSandboxSchema = z.object({
  sandbox: hostSandboxSchema,
  from: z.enum(['awake', 'frozen', 'memory']),
  durationMs: z.number(),
})
export type WokenSandbox = z.infer<typeof wokenSandboxSchema>

export const demotedSandboxSchema = z.object({
  sandbox: hostSandboxSchema,
  /** Null when nothing could be rescued; then `problem` says why. */
  rescue: rescueReportSchema.nullable(),
  problem: z.string(),
})
export type DemotedSandbox = z.infer<typeof demotedSandboxSchema>

/**
 * `GET /v1/sandboxes/{sandboxId}/file-changes`: files that differ from the moment of the last pause or demotion, by
 * looking at both, without what belongs to threadbox; null when there is no such moment any more. At most 1000 names each;
 * the counts are of all.
 */
export const fileChangesSchema = z.object({
  since: z.number().int().nullable(),
  removed: z.array(z.string()),
  changed: z.array(z.string()),
  added: z.array(z.string()),
  removedCount: z.number().int(),
  changedCount: z.number().int(),
  addedCount: z.number().int(),
  /** Those of `changed` that begin with all that they held at that moment, and have so many bytes after it. Of some of them. */
  extended: z.array(z.object({ name: z.string(), addedBytes: z.number() })).default([]),
  folders: z.array(folderChangesSchema).default([]),
})
export type FileChanges = z.infer<typeof fileChangesSchema>

export const noFileChanges: Omit<FileChanges, 'since'> = {
  removed: [],
  changed: [],
  added: [],
  removedCount: 0,
  changedCount: 0,
  addedCount: 0,
  extended: [],
  folders: [],
}

/**
 * `POST /v1/sandboxes/{sandboxId}/fork`: makes this sandbox out of another one, which goes on unharmed whatever happens.
 * With a snapshot it gets the disk of then, without one that of now. Where there is memory of the same moment, it gets that
 * too: it runs when the order is answered, under its own address, host name, token and randomness. Answers
 * {@link forkedSandboxSchema}. Made before: says so again.
 */
export const forkSandboxSchema = z.object({
  source: z.object({ sandboxId: z.string(), snapshotId: z.string().nullable() }),
  /** Of the boot that it begins with, if it runs. */
  bootId: z.string(),
  hostname: z.string().regex(/^[a-z0-9-]{1,63}$/),
  limits: hostLimitsSchema,
  egress: egressPolicySchema,
  hashKey: hashKeySchema.optional(),
})

export const forkedSandboxSchema = z.object({
  sandbox: hostSandboxSchema,
  /** `memory`: everything that ran goes on in both. `disk`: files only; it is stopped. */
  from: z.enum(['memory', 'disk']),
  /** Why memory that there was could not be used; empty when it was, or there was none. */
  problem: z.string(),
  /** How long the source stood still. */
  stallMs: z.number(),
  durationMs: z.number(),
})
export type ForkedSandbox = z.infer<typeof forkedSandboxSchema>

/**
 * `POST /v1/sandboxes/{sandboxId}/rewind`: the present is kept as a snapshot, what runs is stopped, what was saved of its
 * memory is given up, and the disk gets the content of an earlier snapshot, or of its image (null). With a boot id the
 * memory of that snapshot goes on over it, if there is some. Answers {@link rewoundSandboxSchema}. When it fails before the
 * stop everything is as it was; after it the host finishes it, whatever comes between. The same `keepId` again is the same
 * rewind.
 */
export const rewindSandboxSchema = z.object({
  snapshotId: z.string().nullable(),
  keepId: z.string(),
  /** For the memory of the present. */
  memory: snapshotMemoryOrderSchema.default(null),
  /** Of the boot that comes of it; null: it is to be stopped. */
  bootId: z.string().nullable().default(null),
})

export type RewindSandbox = z.infer<typeof rewindSandboxSchema>

export const rewoundSandboxSchema = z.object({
  sandbox: hostSandboxSchema,
  /** Has what the disk contained before: an earlier one when nothing had changed since. */
  kept: hostSnapshotSchema,
  /** `memory`: what ran then runs. `disk`: files only; it is stopped. */
  from: z.enum(['memory', 'disk']).default('disk'),
  /** Why memory that there was could not be used; empty when it was, or there was none. */
  problem: z.string().default(''),
})
export type RewoundSandbox = z.infer<typeof rewoundSandboxSchema>

export const hostInfoSchema = z.object({
  protocolVersion: z.number().int(),
  version: z.string(),
  hostId: z.string(),
  memoryTotalBytes: z.number().int(),
  memoryAvailableBytes: z.number().int(),
  poolTotalBytes: z.number().int(),
  poolUsedBytes: z.number().int(),
  awakeSandboxes: z.number().int(),
  /** Paused sandboxes whose processes are kept in RAM, and what they hold there. */
  frozenSandboxes: z.number().int().optional(),
  frozenBytes: z.number().int().optional(),
  /** What memory images take on disk, and what they may. */
  memoryImageBytes: z.number().int().optional(),
  memoryImageBudgetBytes: z.number().int().optional(),
  /** Sandboxes that are booted and belong to nobody yet. */
  spareSandboxes: z.number().int().optional(),
  /** What is still being prepared after an installation; empty when sandboxes can start. */
  preparing: z.array(z.string()),
  /** The same in codes. */
  preparingSteps: z.array(z.enum(setupSteps)).optional(),
  /** Why the base image of this release could not be prepared; absent when it could. */
  imageProblem: z.string().optional(),
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
    /** `cpu`: user processes computed; `terminal`: somebody typed; `request`: a service was asked; `guest`: the API. */
    reason: z.string(),
    /** For `cpu` the busiest process, for `request` the port. */
    detail: z.string().optional(),
    at: z.number().int(),
  }),
  /** A paused sandbox's frozen copy was given up because memory was needed; its image is still there. */
  z.object({ type: z.literal('frozen-dropped'), sandboxId: z.string(), bootId: z.string(), at: z.number().int() }),
  /** Memory images exceed their budget: the server demotes the oldest that it may. */
  z.object({ type: z.literal('memory-budget'), usedBytes: z.number().int(), budgetBytes: z.number().int() }),
  /** So many sandboxes are awake on this host from now on, those of no thread among them. */
  z.object({ type: z.literal('awake-changed'), awakeSandboxes: z.number().int() }),
  z.object({ type: z.literal('keepalive') }),
])
export type HostEvent = z.infer<typeof hostEventSchema>

/** `POST /v1/shutdown`. `keepsMemory: false` stops what would be paused. */
export const shutdownOrderSchema = z.object({ keepsMemory: z.boolean().default(true) })

/** Answer of `POST /v1/shutdown`. Without a sandbox id: those that belonged to nobody. */
export const shutdownOutcomeSchema = z.object({
  /** Of these nothing runs any more. */
  stopped: z.array(z.string()),
  /** Those of them whose memory is kept. */
  paused: z.array(z.string()).optional(),
  failed: z.array(z.object({ sandboxId: z.string().nullable(), reason: z.string() })),
})
export type ShutdownOutcome = z.infer<typeof shutdownOutcomeSchema>

/** `PATCH /v1/sandboxes/{sandboxId}`: changes limits or egress of a sandbox that exists, also while it runs. */
export const changeSandboxSchema = z.object({
  limits: hostLimitsSchema.optional(),
  egress: egressPolicySchema.optional(),
})

/** Carries the host's token where the daemon is reached over the network. */
export const hostTokenHeader = 'threadbox-host-token'

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
