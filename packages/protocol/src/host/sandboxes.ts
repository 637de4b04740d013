import { z } from 'zod'
import { manifestSchema, rescueReportSchema, rescueRequestSchema } from '../guest/manifest.ts'
import { findingValuesSchema } from '../public/finding-values.ts'
import { maxPrivateAddresses } from '../public/network.ts'
import { setupSteps } from '../public/setup-steps.ts'
import { hostLimitsSchema } from './limits.ts'
import { folderChangesSchema } from './snapshot-changes.ts'
import { hostSnapshotSchema, snapshotMemoryOrderSchema } from './snapshots.ts'

/**
 * The wire between server and host daemon: HTTP with JSON bodies over a unix socket (one machine) or TLS (several).
 * Raised when a field changes meaning; additions are optional and do not raise it.
 */
export const hostProtocolVersion = 1

/** Every request that concerns a boot names it. The host rejects an order for another boot. */
export const bootHeader = 'threadbox-boot'

/** Code of the gateway’s own error: clients of an RPC protocol do not see the body of such a response. */
export const errorHeader = 'threadbox-error'

/**
 * Marks a request to a service that runs in the background (polling, a live-reload socket), so it does not keep a
 * sandbox awake.
 */
export const backgroundHeader = 'threadbox-background'

/**
 * Marks a request to the guest whose response only reports changes. It can stay open while the sandbox rests, because
 * nothing changes then.
 */
export const watchHeader = 'threadbox-watch'
export const followsChanges: Readonly<Record<string, string>> = { [watchHeader]: '1' }

/** Marks a request to the guest that starts a Python cell, where the path alone doesn’t say so. */
export const cellHeader = 'threadbox-cell'

/** Names, also with a port, that the sandbox has secrets for. Missing: none. */
const brokered = z.array(z.string().max(259)).max(4096).optional()
/** Services in private networks, each at the addresses that its name has in the range. Missing: none. */
const privateAddresses = z
  .array(z.object({ name: z.string().max(253), port: z.number().int(), range: z.string().max(18) }))
  .max(maxPrivateAddresses)
  .optional()

/** `names`: `name`, `*.name`, each also with a port. */
export const egressPolicySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('open'), brokered, privateAddresses }),
  z.object({ kind: z.literal('allowlist'), names: z.array(z.string()), brokered, privateAddresses }),
  z.object({ kind: z.literal('none'), brokered, privateAddresses }),
])

const hashKeySchema = z.string().regex(/^[0-9a-f]{16,128}$/)

/** `PUT /v1/sandboxes/{sandboxId}`: creates disk and address if they are missing; changes limits if they differ. */
export const ensureSandboxSchema = z.object({
  limits: hostLimitsSchema,
  egress: egressPolicySchema,
  /** Key for the manifest of a pause that the host starts at a shutdown; kept for the sandbox. */
  hashKey: hashKeySchema.optional(),
})

/**
 * `POST /v1/sandboxes/{sandboxId}/start`: responds when the guest is ready. The same boot id again is the same boot.
 * The host name is a request: a sandbox keeps the one of its first boot, and a spare already had one.
 */
export const startSandboxSchema = z.object({ bootId: z.string(), hostname: z.string().regex(/^[a-z0-9-]{1,63}$/) })

/** `POST /v1/sandboxes/{sandboxId}/stop` */
export const stopSandboxSchema = z.object({ bootId: z.string() })

/**
 * `POST /v1/sandboxes/{sandboxId}/pause`: saves the memory of the boot and stops its clock. Returns {@link
 * pausedSandboxSchema}. If it fails, the boot continues unaffected, and the error says why. Already paused: returns the
 * same again. The boot id stays valid: a wake from memory continues the same boot.
 */
export const pauseSandboxSchema = z.object({
  bootId: z.string(),
  /**
   * Key for the manifest’s hashes: to compare it with a later manifest, send the same key there. Without it: a random
   * one.
   */
  hashKey: z
    .string()
    .regex(/^[0-9a-f]{16,128}$/)
    .optional(),
})

/**
 * `POST /v1/sandboxes/{sandboxId}/abandon-pause`: the boot is needed while it is being paused. Responds immediately;
 * the pause then fails with `sandbox.pause-abandoned` as soon as the boot can continue, unless its memory is already
 * saved: then the pause ends as usual, followed by a wake.
 */
export const abandonPauseSchema = z.object({ bootId: z.string() })

/** Whether a pause of this boot was in progress. */
export const abandonedPauseSchema = z.object({ wasUnderWay: z.boolean() })
export type AbandonedPause = z.infer<typeof abandonedPauseSchema>

/** Code of the error with which an abandoned pause fails. The boot keeps running. */
export const pauseAbandonedCode = 'sandbox.pause-abandoned'

/**
 * `POST /v1/sandboxes/{sandboxId}/wake`: continues the paused boot, from RAM (`frozen`) or from its memory image
 * (`memory`). Already awake: `awake`. If the memory can’t be used, it is discarded and the order fails with
 * `sandbox.memory-unusable`, whose `reason` is one of {@link memoryProblemSchema}; the disk is untouched, and `start`
 * with a new boot id starts the sandbox from it.
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
 * `POST /v1/sandboxes/{sandboxId}/demote`: discards the memory of a paused boot in order: wakes it with its link down,
 * rescues, stops, and syncs. Afterwards the sandbox is `stopped`. Returns {@link demotedSandboxSchema}.
 */
export const demoteSandboxSchema = z.object({ bootId: z.string(), budgets: rescueRequestSchema })

/** Why a boot ended, read from the machine (cgroup, exit status), never guessed. */
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
  /** True: its disk is kept outside of the host. Missing: it is here. */
  isArchived: z.boolean().optional(),
  /** Only in the response to `GET /v1/sandboxes/{sandboxId}?usage=true`. */
  diskUsedBytes: z.number().int().nullable(),
  /**
   * The disk was lost before this boot started: the boot runs over a snapshot of this time, and later writes are lost.
   * Null or missing: the disk was not restored.
   */
  diskRestoredFrom: z.number().int().nullable().optional(),
  /** While `paused`: since when, the size of the memory image, and whether the processes are also frozen in RAM. */
  paused: z.object({ at: z.number().int(), imageBytes: z.number().int(), isFrozen: z.boolean() }).nullable().optional(),
})
export type HostSandbox = z.infer<typeof hostSandboxSchema>

/** Reading the disk usage takes the file system some 15 ms, so it is only included on request. */
export const usageQuerySchema = z.object({ usage: z.stringbool().optional() })

export const pausedSandboxSchema = z.object({
  sandbox: hostSandboxSchema,
  /** Taken immediately before; null if the guest could not provide it, with the reason. */
  manifest: manifestSchema.nullable(),
  manifestProblem: z.string(),
  /**
   * The longest time that a caller who needed the boot during the pause would have waited: until the pause could be
   * abandoned, or from there until it ended. `durationMs` is the whole duration.
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
  /** Null if nothing could be rescued; `problem` says why. */
  rescue: rescueReportSchema.nullable(),
  problem: z.string(),
})
export type DemotedSandbox = z.infer<typeof demotedSandboxSchema>

/**
 * `GET /v1/sandboxes/{sandboxId}/file-changes`: files that differ from those at the last pause or demotion, compared on
 * both disks, without threadbox’s own; null if that state no longer exists. At most 1000 names each; the counts cover
 * all.
 */
export const fileChangesSchema = z.object({
  since: z.number().int().nullable(),
  removed: z.array(z.string()),
  changed: z.array(z.string()),
  added: z.array(z.string()),
  removedCount: z.number().int(),
  changedCount: z.number().int(),
  addedCount: z.number().int(),
  /** Some of `changed`: files that begin with everything they held at that time, followed by this many bytes. */
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
 * `POST /v1/sandboxes/{sandboxId}/fork`: creates this sandbox from another one, which continues unaffected in every
 * case. With a snapshot it gets the snapshot’s disk, without one the current disk. If memory of the same time exists,
 * it gets that too: it is running when the order returns, under its own address, host name, token and randomness.
 * Returns {@link forkedSandboxSchema}. Already created: returns the same again.
 */
export const forkSandboxSchema = z.object({
  source: z.object({ sandboxId: z.string(), snapshotId: z.string().nullable() }),
  /** Id of its first boot, if it runs. */
  bootId: z.string(),
  hostname: z.string().regex(/^[a-z0-9-]{1,63}$/),
  limits: hostLimitsSchema,
  egress: egressPolicySchema,
  hashKey: hashKeySchema.optional(),
})

export const forkedSandboxSchema = z.object({
  sandbox: hostSandboxSchema,
  /** `memory`: everything that ran continues in both. `disk`: files only; it is stopped. */
  from: z.enum(['memory', 'disk']),
  /** Why existing memory couldn’t be used; empty if it was used or there was none. */
  problem: z.string(),
  /** How long the source was stopped. */
  stallMs: z.number(),
  durationMs: z.number(),
})
export type ForkedSandbox = z.infer<typeof forkedSandboxSchema>

/**
 * `POST /v1/sandboxes/{sandboxId}/rewind`: keeps the current disk as a snapshot, stops what runs, discards saved
 * memory, and gives the disk the content of an earlier snapshot, or of its image (null). With a boot id, the memory of
 * that snapshot continues over it, if there is any. Returns {@link rewoundSandboxSchema}. If it fails before the stop,
 * nothing has changed; after the stop the host always finishes the rewind. The same `keepId` again is the same rewind.
 */
export const rewindSandboxSchema = z.object({
  snapshotId: z.string().nullable(),
  keepId: z.string(),
  /** For the memory of the current state. */
  memory: snapshotMemoryOrderSchema.default(null),
  /** Id of the resulting boot; null: the sandbox stays stopped. */
  bootId: z.string().nullable().default(null),
})

export type RewindSandbox = z.infer<typeof rewindSandboxSchema>

export const rewoundSandboxSchema = z.object({
  sandbox: hostSandboxSchema,
  /** Has the disk’s previous content: an earlier snapshot if nothing had changed since. */
  kept: hostSnapshotSchema,
  /** `memory`: what ran at the snapshot runs. `disk`: files only; it is stopped. */
  from: z.enum(['memory', 'disk']).default('disk'),
  /** Why existing memory couldn’t be used; empty if it was used or there was none. */
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
  /** Paused sandboxes whose processes are kept in RAM, and how much they hold there. */
  frozenSandboxes: z.number().int().optional(),
  frozenBytes: z.number().int().optional(),
  /** Disk space of memory images, and its limit. */
  memoryImageBytes: z.number().int().optional(),
  memoryImageBudgetBytes: z.number().int().optional(),
  /** Spares: booted sandboxes that no thread has adopted yet. */
  spareSandboxes: z.number().int().optional(),
  /** How many of these have a Python kernel. */
  spareKernels: z.number().int().optional(),
  /** What is still being prepared after an installation; empty if sandboxes can start. */
  preparing: z.array(z.string()),
  /** The same in codes. */
  preparingSteps: z.array(z.enum(setupSteps)).optional(),
  /** For what the programs of this host may read and its daemon may not, see `sealText`. */
  sealingKey: z.string(),
  /** Why the base image of this release couldn’t be prepared; absent if it could. */
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
    /**
     * `cpu`: user processes computed; `terminal`: a person typed; `request`: a service got a request; `guest`: the API.
     */
    reason: z.string(),
    /** For `cpu` the busiest process, for `request` the port. */
    detail: z.string().optional(),
    at: z.number().int(),
  }),
  /** A paused sandbox’s frozen copy was discarded because memory was needed; its image is kept. */
  z.object({ type: z.literal('frozen-dropped'), sandboxId: z.string(), bootId: z.string(), at: z.number().int() }),
  /** Memory images exceed their budget: the server demotes the oldest that can be demoted. */
  z.object({ type: z.literal('memory-budget'), usedBytes: z.number().int(), budgetBytes: z.number().int() }),
  /** New number of awake sandboxes on this host, including spares. */
  z.object({ type: z.literal('awake-changed'), awakeSandboxes: z.number().int() }),
  z.object({ type: z.literal('keepalive') }),
])
export type HostEvent = z.infer<typeof hostEventSchema>

/** `POST /v1/shutdown`. `keepsMemory: false` stops what would be paused. */
export const shutdownOrderSchema = z.object({ keepsMemory: z.boolean().default(true) })

/** Response of `POST /v1/shutdown`. An entry without a sandbox id is a spare. */
export const shutdownOutcomeSchema = z.object({
  /** Sandboxes of which nothing runs anymore. */
  stopped: z.array(z.string()),
  /** Those whose memory is kept. */
  paused: z.array(z.string()).optional(),
  failed: z.array(z.object({ sandboxId: z.string().nullable(), reason: z.string() })),
})
export type ShutdownOutcome = z.infer<typeof shutdownOutcomeSchema>

/** `PATCH /v1/sandboxes/{sandboxId}`: changes limits or egress of an existing sandbox, also while it runs. */
export const changeSandboxSchema = z.object({
  limits: hostLimitsSchema.optional(),
  egress: egressPolicySchema.optional(),
})

/** Carries the host’s token if the daemon is reached over the network. */
export const hostTokenHeader = 'threadbox-host-token'

/** `GET /v1/doctor`: what the host daemon finds about its machine, including one check from inside a real sandbox. */
export const hostDoctorSchema = z.object({
  checks: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      state: z.enum(['ok', 'warning', 'failed', 'skipped']),
      /** Finding in plain words, with measured values. */
      detail: z.string(),
      /** What to do about it; empty if there is nothing to do. */
      cure: z.string(),
      /** Permanent code of both texts, or of the error they are from, and the values in them. */
      code: z.string().optional(),
      values: findingValuesSchema.optional(),
    }),
  ),
})
export type HostDoctor = z.infer<typeof hostDoctorSchema>
