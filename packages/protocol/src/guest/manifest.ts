import { z } from 'zod'
import { threadboxDirectories } from '../ownership.ts'
import { listOf } from './bounded.ts'
import { obstacleSchema } from './obstacle.ts'
import { unreadPartsSchema } from './unread.ts'

/**
 * `GET /manifest` (access token): what is alive in the sandbox, read from the running system when requested. Taken
 * before a pause and again after a wake; comparing the two gives the survival report. Contains no value of a variable
 * and no secret: environment values are hashed with a key that the caller sends (`?hashKey=<hex>`), so manifests can be
 * compared but not read.
 *
 * What couldn’t be read is not left out silently: `unread` has the part and the reason.
 *
 * Before a pause it also ends what the guest can start again and returns unused memory; not with `keep=1`.
 *
 * With `glance=1` it takes some milliseconds and ends nothing: packages are skipped, only as many variables are read as fit a time
 * limit, and the content of a variable is compared only where it is small.
 */
export const manifestProcessSchema = z.object({
  pid: z.number().int().min(0),
  /**
   * Start time in clock ticks since the sandbox’s kernel started: with the pid it identifies one process permanently.
   */
  startTicks: z.string(),
  startedAt: z.number(),
  parentPid: z.number().int(),
  name: z.string(),
  /** The program it runs; empty where that is not visible. */
  executable: z.string().default(''),
  commandLine: listOf(z.string()),
  cwd: z.string(),
  user: z.string(),
  memoryBytes: z.number().int(),
  /** `kernel` and `shell` belong to threadbox; the others were started by a person or the agent. */
  role: z.enum(['user', 'kernel', 'shell', 'terminal', 'service']),
  /** With the role `service`: the name of the service, where known. */
  service: z.string().default(''),
})
export type ManifestProcess = z.infer<typeof manifestProcessSchema>

export const manifestVariableSchema = z.object({
  /** Kernel context; the thread’s single kernel is `main`. */
  context: z.string(),
  name: z.string(),
  /** Qualified type name, such as `pandas.DataFrame`. */
  type: z.string(),
  /** Approximate size when saved; null where measuring it would cost too much. */
  bytes: z.number().int().nullable(),
  /** `<which object>:<hash>`; `compared` says what the hash covers. Null where no cheap one exists. */
  fingerprint: z.string().nullable(),
  /** What the fingerprint covers: the whole content of the value, or only its identity. */
  compared: z.enum(['content', 'identity']).default('identity'),
  /** How a demotion could save it, judged by type without trying. */
  rescue: z.enum(['data', 'source', 'import', 'impossible', 'over-budget']),
  /** Why it can’t be saved; empty if it can. */
  reason: z.string(),
})
export type ManifestVariable = z.infer<typeof manifestVariableSchema>

/** A count above any that a sandbox can have is invalid. */
const leftOutSchema = z.number().int().min(0).max(1_000_000_000).optional()

export const manifestSchema = z.object({
  version: z.literal(1),
  takenAt: z.number(),
  processes: listOf(manifestProcessSchema),
  /** Number of running processes that are not described here. */
  processesLeftOut: leftOutSchema,
  ports: listOf(
    z.object({
      protocol: z.enum(['tcp', 'udp']),
      address: z.string(),
      port: z.number().int().min(0).max(65_535),
      pid: z.number().int().nullable(),
    }),
  ),
  connections: listOf(
    z.object({
      kind: z.enum(['tcp', 'unix']),
      /** `outside`: the other end is not in this sandbox, so whether the connection survives depends on the peer. */
      scope: z.enum(['inside', 'outside']),
      local: z.string(),
      remote: z.string(),
      state: z.string(),
      pid: z.number().int().nullable(),
    }),
  ),
  kernels: listOf(
    z.object({
      context: z.string(),
      pid: z.number().int(),
      state: z.enum(['idle', 'busy', 'not-answering']),
      variables: listOf(manifestVariableSchema),
      /** Number of variables that are not described here. */
      variablesLeftOut: leftOutSchema,
      /** False: no cell has run in it. An older guest does not say. */
      isUsed: z.boolean().optional(),
    }),
  ),
  /** Number of commands and cells that have not ended. An older guest does not say. */
  runsInProgress: leftOutSchema,
  shell: z.object({
    cwd: z.string(),
    /** Keyed hash of the value, by name. */
    environment: z.record(z.string(), z.string()),
    functions: listOf(z.string()),
    /** Keyed hash of every other thing the session holds, by name: `function greet`, `alias ll`, `variable x`. */
    parts: z.record(z.string(), z.string()).default({}),
  }),
  packages: z.object({
    python: z.record(z.string(), z.string()),
    /** Explicitly installed packages, without their dependencies. */
    apt: z.record(z.string(), z.string()),
    npm: z.record(z.string(), z.string()),
  }),
  /** Files on the disk that a process has open for writing, without threadbox’s own. */
  writtenFiles: listOf(z.object({ pid: z.number().int(), path: z.string() })).default([]),
  deletedOpenFiles: listOf(z.object({ pid: z.number().int(), path: z.string(), bytes: z.number() })),
  /** Files in memory and not on the disk, such as those in `/dev/shm`. */
  memoryFiles: listOf(z.object({ path: z.string(), bytes: z.number(), changedAt: z.number() })).default([]),
  memoryBytes: z.number().int(),
  unread: unreadPartsSchema,
})
export type Manifest = z.infer<typeof manifestSchema>

/**
 * `POST /rescue` (access token): the last call before memory is discarded. Stops user processes where they are (kernels
 * excepted), interrupts a busy kernel, saves what can be kept to the sandbox’s disk, then ends services and processes
 * in order. Variables that exceed a budget are listed, never truncated.
 */
export const rescueRequestSchema = z.object({
  /** Time limit for the whole rescue, in ms. */
  timeBudgetMs: z.number().int().positive(),
  /** Limits for all variables together, and for each, in bytes on disk. */
  totalBytes: z.number().int().positive(),
  variableBytes: z.number().int().positive(),
  /** Texts of cells are not saved, except those that functions and classes come from. */
  withoutInputs: z.boolean().optional(),
})
export type RescueRequest = z.infer<typeof rescueRequestSchema>

export const rescuedVariableSchema = z.object({
  context: z.string(),
  name: z.string(),
  type: z.string(),
  outcome: z.enum(['kept', 'lost']),
  /** How it was kept: `data` (pickle or native format), `source` (function or class with its source), `import`. */
  method: z.enum(['data', 'source', 'import', 'none']),
  bytes: z.number().int().nullable(),
  /** Why it was lost; empty when it was kept. */
  reason: z.string(),
})
export type RescuedVariable = z.infer<typeof rescuedVariableSchema>

/** What a demotion saved (`POST /rescue`), and what was restored of it after a cold start (`GET /rescue`). */
export const rescueReportSchema = z.object({
  /** `none`: nothing was rescued. `pending`: on disk, not read yet. `replayed`: restored and checked. */
  state: z.enum(['none', 'pending', 'replaying', 'replayed', 'failed']),
  takenAt: z.number().nullable(),
  variables: listOf(rescuedVariableSchema),
  shell: z.object({ outcome: z.enum(['kept', 'lost', 'none']), reason: z.string() }),
  /**
   * Processes that ran and were ended, so that they can be restarted. Environment by name only; values stay on the
   * disk.
   */
  processes: listOf(
    z.object({
      id: z.string(),
      pid: z.number().int(),
      commandLine: listOf(z.string()),
      cwd: z.string(),
      role: z.enum(['user', 'terminal', 'service']),
      /** Empty if it can be restarted as it was. */
      obstacle: obstacleSchema,
    }),
  ),
  durationMs: z.number().int(),
  /** Problems that affect everything, such as a kernel that did not respond. */
  problems: listOf(z.string()),
})
export type RescueReport = z.infer<typeof rescueReportSchema>

export const forgetRequestSchema = z.object({
  rescue: rescueRequestSchema.nullable(),
  /** Any text: it overwrites what the guest read from the network earlier. */
  padding: z.string(),
})
export const forgottenSchema = z.object({ rescue: rescueReportSchema.nullable() })

/** `POST /rescue/processes/{id}/start` restarts a rescued process: same command line, directory, environment. */
/** Names and values of variables that programs start with from now on. */
export const variablesSchema = z.object({
  variables: z.record(z.string().regex(/^[A-Z_][A-Z0-9_]{0,63}$/), z.string().regex(/^[^\0]*$/)),
})

export const guestPaths = {
  init: '/init',
  activity: '/activity',
  /**
   * `POST` (access token): {@link diskSpaceSchema}, whenever it has changed. An older guest does not have this path.
   */
  disk: '/disk',
  /**
   * `PUT` (access token): {@link variablesSchema}. Replaces what was set before; what runs keeps its environment. An older
   * guest does not have this path.
   */
  variables: '/variables',
  manifest: '/manifest',
  rescue: '/rescue',
  /**
   * `POST` (access token): makes this memory safe to share. Shells, terminals and remains of commands and cells are
   * removed; services, other programs and variables keep running. With {@link rescueRequestSchema} the guest first
   * saves the same as `POST /rescue` does; with `null` it saves nothing.
   */
  forget: '/forget',
  /** `POST` (access token), for an unused sandbox: starts its Python kernel. Responds when the kernel is ready. */
  prewarm: '/prewarm',
  /**
   * `POST` (access token): an agent’s turn has begun, in which cells are likely. Responds immediately; the guest starts
   * its Python kernel, unless one runs or earlier turns left theirs unused. An older guest does not have this path.
   */
  expectCells: '/expect-cells',
  /**
   * `POST` (access token): a turn has ended and none follows. The guest ends what was started for the turn and holds
   * nothing of the user, and reads which packages the turn has installed. An older guest does not have this path.
   */
  quiet: '/quiet',
  /**
   * `POST` (access token), for an unused sandbox: ends everything prepared and returns to the state before the first
   * handshake, to be saved and restored any number of times.
   */
  template: '/template',
  /** An upgrade to a pipe that leads to a port on the sandbox’s loopback. */
  tunnel: (port: number) => `/tunnel/${port}`,
  /** `GET` (access token): the body of an announced git request. Once, streamed. */
  gitBody: (id: string) => `/git/${id}/body`,
  /**
   * `POST` (access token): the response for git, streamed, with {@link gitAnswerHeader}. If the stream breaks off, git
   * sees that.
   */
  gitAnswer: (id: string) => `/git/${id}/answer`,
  startRescued: (id: string) => `/rescue/processes/${id}/start`,
} as const

/** What a disk holds beyond its image, and its limit. */
export const diskSpaceSchema = z.object({ usedBytes: z.number().int().min(0), limitBytes: z.number().int().min(1) })
export type DiskSpace = z.infer<typeof diskSpaceSchema>
/** Where programs in the sandbox find {@link diskSpaceSchema} as JSON: in memory, the latest value from the host. */
export const diskSpaceFile = `${threadboxDirectories.scratch}/disk.json`

/** Carries {@link gitAnswerSchema} as JSON. */
export const gitAnswerHeader = 'x-threadbox-git-answer'
export const gitAnswerSchema = z.object({
  status: z.number().int().min(200).max(599),
  headers: z.record(z.string(), z.string()),
})
export type GitAnswer = z.infer<typeof gitAnswerSchema>
