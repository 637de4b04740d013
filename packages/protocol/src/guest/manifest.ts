import { z } from 'zod'
import { threadboxDirectories } from '../ownership.ts'
import { obstacleSchema } from './obstacle.ts'
import { unreadPartsSchema } from './unread.ts'

/**
 * `GET /manifest` (access token): what is alive in the sandbox, read from the running system at this moment. Taken
 * before a pause and again after a wake; the comparison of the two is the survival report. Holds no value of a variable
 * and no secret: environment values are hashed with a key that the caller sends (`?hashKey=<hex>`), so that two
 * manifests can be compared and none can be read.
 *
 * What couldn't be read is not left out silently: `unread` has the part and the reason.
 *
 * With `glance=1` it costs some milliseconds: packages are not looked at, of variables only as many as a moment allows, and
 * what a variable holds is compared only where that is little.
 */
export const manifestProcessSchema = z.object({
  pid: z.number().int(),
  /** Start time in clock ticks since the sandbox's kernel started: with the pid it names one process for ever. */
  startTicks: z.string(),
  startedAt: z.number(),
  parentPid: z.number().int(),
  name: z.string(),
  /** The program that it runs; empty where that cannot be seen. */
  executable: z.string().default(''),
  commandLine: z.array(z.string()),
  cwd: z.string(),
  user: z.string(),
  memoryBytes: z.number().int(),
  /** `kernel` and `shell` belong to threadbox; the others are what a person or the agent started. */
  role: z.enum(['user', 'kernel', 'shell', 'terminal', 'service']),
  /** With the role `service`: the name of the service that it belongs to, where that is known. */
  service: z.string().default(''),
})
export type ManifestProcess = z.infer<typeof manifestProcessSchema>

export const manifestVariableSchema = z.object({
  /** Kernel context; the thread's one kernel is `main`. */
  context: z.string(),
  name: z.string(),
  /** Qualified type name, such as `pandas.DataFrame`. */
  type: z.string(),
  /** What it would roughly take to keep it; null where measuring it would cost too much. */
  bytes: z.number().int().nullable(),
  /** `<which object>:<hash>`; the hash is of what `compared` says. Null where there is no cheap one. */
  fingerprint: z.string().nullable(),
  /** What the fingerprint is of: all that the value holds, or only which object it is. */
  compared: z.enum(['content', 'identity']).default('identity'),
  /** What a demotion could do with it, judged by type without trying. */
  rescue: z.enum(['data', 'source', 'import', 'impossible', 'over-budget']),
  /** Why it cannot be kept; empty where it can. */
  reason: z.string(),
})
export type ManifestVariable = z.infer<typeof manifestVariableSchema>

/** More than a sandbox can have is no number of its own. */
const leftOutSchema = z.number().int().min(0).max(1_000_000_000).optional()

export const manifestSchema = z.object({
  version: z.literal(1),
  takenAt: z.number(),
  processes: z.array(manifestProcessSchema),
  /** How many more run than are described here. */
  processesLeftOut: leftOutSchema,
  ports: z.array(
    z.object({
      protocol: z.enum(['tcp', 'udp']),
      address: z.string(),
      port: z.number().int(),
      pid: z.number().int().nullable(),
    }),
  ),
  connections: z.array(
    z.object({
      kind: z.enum(['tcp', 'unix']),
      /** `outside`: the other end is not in this sandbox, so whether it holds depends on the peer. */
      scope: z.enum(['inside', 'outside']),
      local: z.string(),
      remote: z.string(),
      state: z.string(),
      pid: z.number().int().nullable(),
    }),
  ),
  kernels: z.array(
    z.object({
      context: z.string(),
      pid: z.number().int(),
      state: z.enum(['idle', 'busy', 'not-answering']),
      variables: z.array(manifestVariableSchema),
      /** How many more it holds than are described here. */
      variablesLeftOut: leftOutSchema,
    }),
  ),
  shell: z.object({
    cwd: z.string(),
    /** Keyed hash of the value, by name. */
    environment: z.record(z.string(), z.string()),
    functions: z.array(z.string()),
    /** Keyed hash of every other thing it holds, by name: `function greet`, `alias ll`, `variable x`. */
    parts: z.record(z.string(), z.string()).default({}),
  }),
  packages: z.object({
    python: z.record(z.string(), z.string()),
    /** Packages that were asked for, not what they pulled in. */
    apt: z.record(z.string(), z.string()),
    npm: z.record(z.string(), z.string()),
  }),
  /** Files on the disk that a process has open to write to, without those of threadbox. */
  writtenFiles: z.array(z.object({ pid: z.number().int(), path: z.string() })).default([]),
  deletedOpenFiles: z.array(z.object({ pid: z.number().int(), path: z.string(), bytes: z.number() })),
  /** Files that are in memory and not on the disk, such as those in `/dev/shm`. */
  memoryFiles: z.array(z.object({ path: z.string(), bytes: z.number(), changedAt: z.number() })).default([]),
  memoryBytes: z.number().int(),
  unread: unreadPartsSchema,
})
export type Manifest = z.infer<typeof manifestSchema>

/**
 * `POST /rescue` (access token): the last thing before memory is given up. Stops user processes where they are (kernels
 * excepted), interrupts a busy kernel, writes what can be kept to the sandbox's disk, then ends services and processes
 * in order. Variables that exceed a budget are named, never cut.
 */
export const rescueRequestSchema = z.object({
  /** All of it together may take this long, in ms. */
  timeBudgetMs: z.number().int().positive(),
  /** Bytes that all variables together, and each alone, may take on disk. */
  totalBytes: z.number().int().positive(),
  variableBytes: z.number().int().positive(),
  /** Texts of cells are not written down, but for those that functions and classes come from. */
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

/** What a demotion kept (`POST /rescue`), and after a cold start what came back of it (`GET /rescue`). */
export const rescueReportSchema = z.object({
  /** `none`: nothing was rescued. `pending`: on disk, not read yet. `replayed`: read back and looked at. */
  state: z.enum(['none', 'pending', 'replaying', 'replayed', 'failed']),
  takenAt: z.number().nullable(),
  variables: z.array(rescuedVariableSchema),
  shell: z.object({ outcome: z.enum(['kept', 'lost', 'none']), reason: z.string() }),
  /** What ran and was ended, so that it can be started again. Environment by name only; values stay on the disk. */
  processes: z.array(
    z.object({
      id: z.string(),
      pid: z.number().int(),
      commandLine: z.array(z.string()),
      cwd: z.string(),
      role: z.enum(['user', 'terminal', 'service']),
      /** Empty when it can be started again as it was. */
      obstacle: obstacleSchema,
    }),
  ),
  durationMs: z.number().int(),
  /** Problems that concern everything, such as a kernel that did not answer. */
  problems: z.array(z.string()),
})
export type RescueReport = z.infer<typeof rescueReportSchema>

export const forgetRequestSchema = z.object({
  rescue: rescueRequestSchema.nullable(),
  /** Any text: it takes the place of what the guest has read from the network before. */
  padding: z.string(),
})
export const forgottenSchema = z.object({ rescue: rescueReportSchema.nullable() })

/** `POST /rescue/processes/{id}/start` starts a rescued process again: same command line, directory, environment. */
export const guestPaths = {
  init: '/init',
  activity: '/activity',
  /** `POST` (access token): {@link diskSpaceSchema}, whenever it has changed. An older guest does not know it. */
  disk: '/disk',
  manifest: '/manifest',
  rescue: '/rescue',
  /**
   * `POST` (access token): makes this memory fit to be given to others. Shells, terminals and what is left of commands and
   * cells go; services, other programs and variables go on. With {@link rescueRequestSchema} the same is written down first
   * as by `POST /rescue`; with `null` nothing is.
   */
  forget: '/forget',
  /** `POST` (access token), for a sandbox that nobody has used: starts its Python kernel. Answers when that is done. */
  prewarm: '/prewarm',
  /**
   * `POST` (access token), for a sandbox that nobody has used: it ends what it had ready and is as before its first
   * handshake, to be saved and restored as often as wanted.
   */
  template: '/template',
  /** An upgrade that pipes to a port of the sandbox's own loopback. */
  tunnel: (port: number) => `/tunnel/${port}`,
  /** `GET` (access token): what git sends with a request that was announced. Once, as it comes. */
  gitBody: (id: string) => `/git/${id}/body`,
  /** `POST` (access token): the answer that git gets, as it comes, with {@link gitAnswerHeader}. Broken off, git sees it so. */
  gitAnswer: (id: string) => `/git/${id}/answer`,
  startRescued: (id: string) => `/rescue/processes/${id}/start`,
} as const

/** What a disk holds beyond its image, and what it may hold. */
export const diskSpaceSchema = z.object({ usedBytes: z.number().int().min(0), limitBytes: z.number().int().min(1) })
export type DiskSpace = z.infer<typeof diskSpaceSchema>
/** Where programs inside find {@link diskSpaceSchema} as JSON: in memory, as the host last said it. */
export const diskSpaceFile = `${threadboxDirectories.scratch}/disk.json`

/** Carries {@link gitAnswerSchema} as JSON. */
export const gitAnswerHeader = 'x-threadbox-git-answer'
export const gitAnswerSchema = z.object({
  status: z.number().int().min(200).max(599),
  headers: z.record(z.string(), z.string()),
})
export type GitAnswer = z.infer<typeof gitAnswerSchema>
