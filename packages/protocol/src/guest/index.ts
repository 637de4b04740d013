import { z } from 'zod'
import { listOf } from './bounded.ts'

export * from '../ownership.ts'
export type { RestartObstacle } from '../public/survival-codes.ts'
export { maxGuestEntries, parseGuestJson } from './bounded.ts'
export * as filesystem from './generated/filesystem/filesystem_pb.js'
export * as process from './generated/process/process_pb.js'
export * as git from './generated/threadbox/guest/v1/git_pb.js'
export * as runs from './generated/threadbox/guest/v1/runs_pb.js'
export * as services from './generated/threadbox/guest/v1/services_pb.js'
export * as terminals from './generated/threadbox/guest/v1/terminals_pb.js'
export * from './manifest.ts'
export * from './page-look.ts'
export { type ManifestPart, manifestParts, type UnreadPart, type UnreadReason, unreadReasons } from './unread.ts'

/** Raised when a message changes meaning. A woken guest can be older than its host: the host adapts. */
export const guestProtocolVersion = 1
/** Returned by `GET /health` and to E2B clients, whose features depend on it (at least 0.6.4). */
export const envdVersion = '0.6.13'

export const guestPort = 49_983
export const codePort = 49_999
/** Port on the sandbox’s loopback at which programs reach git servers that need credentials. */
export const gitPort = 49_987
/** Ports of the guest daemon: user programs can’t listen on them. */
export const guestPorts: readonly number[] = [guestPort, codePort, gitPort]
/**
 * Key of the one command that the host runs in an unused sandbox. It changes nothing, so the guest keeps its shell for the
 * first command of a user.
 */
export const warmUpKey = 'warm-up'
export const accessTokenHeader = 'x-access-token'
/** Code of the guest’s error, over HTTP and over Connect. A guest older than this header sends none. */
export const guestErrorHeader = 'threadbox-guest-error'
/** The path of a directory was given where a file is expected. */
export const pathIsDirectoryCode = 'file.path-is-directory'
/**
 * Protocol to which the host’s gateway upgrades its connection to the guest, for a service that only listens on
 * loopback.
 */
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
 * `POST /init`: the host’s handshake after each boot, restore or wake. The first one sets the access token; later ones
 * must carry it. Returns 200 with {@link guestHelloSchema}.
 */
export const guestInitSchema = z.object({
  accessToken: z.string().min(32),
  /** Wall clock of the host, ms since epoch. */
  timestampMs: z.number(),
  hostname: z.string(),
  bootId: z.string(),
  /** Added to the environment of everything the guest starts. Never a secret. */
  envVars: z.record(z.string(), z.string()),
  defaultUser: z.string().default('user'),
  defaultWorkdir: z.string().default('/home/user'),
  limits: z.object({ memoryBytes: z.number(), processes: z.number() }),
  /** 32 bytes from the host, base64: reseeds every random generator that was restored from a memory image. */
  entropy: z.string(),
  /**
   * Origin of this incarnation. `booted`: from disk. `resumed`: the same processes continue. `restored`: from this
   * sandbox’s own memory image. `cloned`: from a template, over a disk it doesn’t know. `forked`: from the memory of
   * another sandbox, over a copy of its disk. For the last two, siblings exist or might exist: all randomness must
   * differ from theirs.
   */
  origin: z.enum(['booted', 'resumed', 'restored', 'cloned', 'forked']).default('booted'),
  /** For a guest from a template: directories whose attributes the template has cached from another disk. */
  directories: z.array(diskDirectorySchema).max(16).default([]),
})
export type GuestInit = z.input<typeof guestInitSchema>

export const guestHelloSchema = z.object({
  protocolVersion: z.number().int(),
  guestVersion: z.string(),
  bootId: z.string(),
})
export type GuestHello = z.infer<typeof guestHelloSchema>

/** Longest description of what prevents a rest, in characters. */
export const maxRestObstacle = 200

/** `GET /activity` (access token): the user’s active programs, from which the host decides about idleness. */
export const guestActivitySchema = z.object({
  runningKeys: listOf(z.string()),
  terminalsLastInputAt: z.number().nullable(),
  userCpuSeconds: z.number().min(0),
  busiestProcess: z.string().nullable(),
  listeningPorts: listOf(z.number().int()),
  /**
   * Only with the parameter `rest=1`: the first thing of the user’s that runs, so that the sandbox can’t be frozen
   * unnoticed; null if nothing does. A guest older than this sends nothing.
   */
  restObstacle: z.string().max(maxRestObstacle).nullable().optional(),
})
export type GuestActivity = z.infer<typeof guestActivitySchema>
