import { z } from 'zod'

export * from '../ownership.ts'
export type { RestartObstacle } from '../public/survival-codes.ts'
export * as filesystem from './generated/filesystem/filesystem_pb.js'
export * as process from './generated/process/process_pb.js'
export * as git from './generated/threadbox/guest/v1/git_pb.js'
export * as runs from './generated/threadbox/guest/v1/runs_pb.js'
export * as services from './generated/threadbox/guest/v1/services_pb.js'
export * as terminals from './generated/threadbox/guest/v1/terminals_pb.js'
export * from './manifest.ts'
export * from './page-look.ts'
export { type ManifestPart, manifestParts, type UnreadPart, type UnreadReason, unreadReasons } from './unread.ts'

/** Raised when a message changes meaning. A woken guest may be older than its host: the host adapts. */
export const guestProtocolVersion = 1
/** What `GET /health` and E2B clients are told; features of E2B's client depend on it (at least 0.6.4). */
export const envdVersion = '0.6.13'

export const guestPort = 49_983
export const codePort = 49_999
/** Where programs of the sandbox, on its loopback only, find git's servers that want a login. */
export const gitPort = 49_987
/** Ports of the guest itself: nothing of the user's listens there. */
export const guestPorts: readonly number[] = [guestPort, codePort, gitPort]
export const accessTokenHeader = 'x-access-token'
/** Code of the error that the guest answers with, over HTTP and over Connect. A guest from before it sends none. */
export const guestErrorHeader = 'threadbox-guest-error'
/** A path of a directory, where a file is wanted. */
export const pathIsDirectoryCode = 'file.path-is-directory'
/** What the host's gateway asks the guest's connection to become, for a service that only listens on loopback. */
export const tunnelProtocol = 'threadbox-tunnel'

/** A directory as it is on the disk. */
export const diskDirectorySchema = z.object({
  path: z.string(),
  /** Permissions only, without the type. */
  mode: z.number().int(),
  uid: z.number().int(),
  gid: z.number().int(),
  /** Nanoseconds since the epoch. */
  modifiedNs: z.string().regex(/^-?\d{1,20}$/),
})
export type DiskDirectory = z.infer<typeof diskDirectorySchema>

/**
 * `POST /init`: the host's handshake after each boot, restore or wake. The first one sets the access token; later ones
 * must carry it. Answers 200 with {@link guestHelloSchema}.
 */
export const guestInitSchema = z.object({
  accessToken: z.string().min(32),
  /** Wall clock of the host, ms since epoch. */
  timestampMs: z.number(),
  hostname: z.string(),
  bootId: z.string(),
  /** Added to the environment of everything that the guest starts. Never a secret. */
  envVars: z.record(z.string(), z.string()),
  defaultUser: z.string().default('user'),
  defaultWorkdir: z.string().default('/home/user'),
  limits: z.object({ memoryBytes: z.number(), processes: z.number() }),
  /** 32 bytes from the host, base64: reseeds every generator that came out of a memory image. */
  entropy: z.string(),
  /**
   * How this incarnation came to be. `booted`: anew. `resumed`: the very processes go on. `restored`: out of this
   * sandbox's own memory image. `cloned`: out of a template, over a disk that it does not know. `forked`: out of the memory
   * of another sandbox, over a copy of its disk. Of these two others exist or may: all randomness must differ from theirs.
   */
  origin: z.enum(['booted', 'resumed', 'restored', 'cloned', 'forked']).default('booted'),
  /** For a guest out of a template: directories whose attributes the template has in memory, as another disk had them. */
  directories: z.array(diskDirectorySchema).max(16).default([]),
})
export type GuestInit = z.input<typeof guestInitSchema>

export const guestHelloSchema = z.object({
  protocolVersion: z.number().int(),
  guestVersion: z.string(),
  bootId: z.string(),
})
export type GuestHello = z.infer<typeof guestHelloSchema>

/** `GET /activity` (access token): what of the user's is at work, so that the host can decide about idleness. */
export const guestActivitySchema = z.object({
  runningKeys: z.array(z.string()),
  terminalsLastInputAt: z.number().nullable(),
  userCpuSeconds: z.number(),
  busiestProcess: z.string().nullable(),
  listeningPorts: z.array(z.number().int()),
})
export type GuestActivity = z.infer<typeof guestActivitySchema>
