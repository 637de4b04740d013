import { z } from 'zod'
import { archiveOrderSchema, diskContentSchema, restoreOrderSchema, sendDiskQuerySchema } from './archives.ts'
import { cleanedSandboxSchema, cleanSandboxSchema, preservedSandboxSchema, preserveSandboxSchema } from './cleaning.ts'
import { type ApiOf, bytes, call, field, type IdsOf, nothing, pathOf } from './contract-call.ts'
import { receiveDiskSchema } from './disk-transfer.ts'
import { hostMachineSchema, machineQuerySchema } from './machine.ts'
import { namesAskedSchema, namesQuerySchema } from './names-asked.ts'
import {
  abandonedPauseSchema,
  abandonPauseSchema,
  changeSandboxSchema,
  demotedSandboxSchema,
  demoteSandboxSchema,
  ensureSandboxSchema,
  fileChangesSchema,
  forkedSandboxSchema,
  forkSandboxSchema,
  hostDoctorSchema,
  hostEventSchema,
  hostInfoSchema,
  hostSandboxSchema,
  pausedSandboxSchema,
  pauseSandboxSchema,
  rewindSandboxSchema,
  rewoundSandboxSchema,
  shutdownOrderSchema,
  shutdownOutcomeSchema,
  startSandboxSchema,
  stopSandboxSchema,
  usageQuerySchema,
  wakeSandboxSchema,
  wokenSandboxSchema,
} from './sandboxes.ts'
import { placedSkillsSchema, placeSkillsSchema } from './skills.ts'
import { sleepingAnswer, sleepingQuestionSchema } from './sleeping-files.ts'
import { snapshotChangesSchema } from './snapshot-changes.ts'
import { hostSnapshotsSchema, takenSnapshotSchema, takeSnapshotSchema } from './snapshots.ts'

/**
 * Every call of the host daemon: its client, its routes, the types of its implementations and its paths are derived
 * from this object. The contract of a call is at its schema. Calls to a sandbox’s guest are not here: they go through
 * the gateway ({@link gatewayPaths}).
 */
export const hostContract = {
  info: call('GET', '/v1/host', { response: hostInfoSchema }),
  /** What takes how much of this machine. */
  machine: call('GET', '/v1/machine', { query: machineQuerySchema, response: hostMachineSchema }),
  doctor: call('GET', '/v1/doctor', { response: hostDoctorSchema }),
  events: call('GET', '/v1/events', { response: { line: hostEventSchema } }),
  /** Pauses every boot to the disk, stops spares, and responds when nothing of each is running or it has failed. */
  shutdown: call('POST', '/v1/shutdown', {
    body: shutdownOrderSchema,
    response: shutdownOutcomeSchema,
    timeout: 'unlimited',
  }),
  /**
   * Has sandboxes trust the authority that certifies hosts for which they have secrets, in addition to the others. Those
   * that run see it with their next boot.
   */
  trustAuthority: call('PUT', '/v1/authority', {
    body: z.object({ certificate: z.string().max(16_384) }),
    response: nothing,
  }),
  list: call('GET', '/v1/sandboxes', { response: field('sandboxes', z.array(hostSandboxSchema)) }),
  get: call('GET', '/v1/sandboxes/:sandboxId', {
    query: usageQuerySchema,
    response: hostSandboxSchema,
    allowMissing: true,
  }),
  ensure: call('PUT', '/v1/sandboxes/:sandboxId', { body: ensureSandboxSchema, response: hostSandboxSchema }),
  change: call('PATCH', '/v1/sandboxes/:sandboxId', { body: changeSandboxSchema, response: hostSandboxSchema }),
  /** Deletes everything of a sandbox; a sandbox that no longer exists is not an error. */
  delete: call('DELETE', '/v1/sandboxes/:sandboxId', { response: nothing, allowMissing: true }),
  start: call('POST', '/v1/sandboxes/:sandboxId/start', {
    body: startSandboxSchema,
    ids: { bootId: 'boot' },
    hasBootHeader: true,
    response: hostSandboxSchema,
  }),
  /** Ends a boot; one that has already ended is not an error. */
  stop: call('POST', '/v1/sandboxes/:sandboxId/stop', {
    body: stopSandboxSchema,
    hasBootHeader: true,
    response: hostSandboxSchema,
  }),
  pause: call('POST', '/v1/sandboxes/:sandboxId/pause', {
    body: pauseSandboxSchema,
    hasBootHeader: true,
    response: pausedSandboxSchema,
    timeout: 'memory',
  }),
  abandonPause: call('POST', '/v1/sandboxes/:sandboxId/abandon-pause', {
    body: abandonPauseSchema,
    hasBootHeader: true,
    response: abandonedPauseSchema,
  }),
  wake: call('POST', '/v1/sandboxes/:sandboxId/wake', {
    body: wakeSandboxSchema,
    hasBootHeader: true,
    response: wokenSandboxSchema,
    timeout: 'memory',
  }),
  demote: call('POST', '/v1/sandboxes/:sandboxId/demote', {
    body: demoteSandboxSchema,
    hasBootHeader: true,
    response: demotedSandboxSchema,
    timeout: 'memory',
  }),
  fileChanges: call('GET', '/v1/sandboxes/:sandboxId/file-changes', { response: fileChangesSchema }),
  sleepingFiles: call('GET', '/v1/sandboxes/:sandboxId/sleeping-files', {
    query: sleepingQuestionSchema,
    response: sleepingAnswer,
    isCancelable: true,
  }),
  takeSnapshot: call('POST', '/v1/sandboxes/:sandboxId/snapshots', {
    body: takeSnapshotSchema,
    ids: { snapshotId: 'snapshot' },
    response: takenSnapshotSchema,
    timeout: 'memory',
  }),
  snapshots: call('GET', '/v1/sandboxes/:sandboxId/snapshots', { response: hostSnapshotsSchema }),
  /** A snapshot or sandbox that no longer exists is not an error. */
  removeSnapshot: call('DELETE', '/v1/sandboxes/:sandboxId/snapshots/:snapshotId', {
    response: nothing,
    allowMissing: true,
  }),
  /** Discards the memory of a snapshot; the snapshot stays. */
  removeSnapshotMemory: call('DELETE', '/v1/sandboxes/:sandboxId/snapshots/:snapshotId/memory', {
    response: nothing,
    allowMissing: true,
  }),
  snapshotChanges: call('GET', '/v1/sandboxes/:sandboxId/snapshots/:snapshotId/changes', {
    response: snapshotChangesSchema,
  }),
  fork: call('POST', '/v1/sandboxes/:sandboxId/fork', {
    body: forkSandboxSchema,
    ids: { bootId: 'boot' },
    response: forkedSandboxSchema,
    timeout: 'memory',
  }),
  rewind: call('POST', '/v1/sandboxes/:sandboxId/rewind', {
    body: rewindSandboxSchema,
    ids: { keepId: 'snapshot', snapshotId: 'snapshot', bootId: 'boot' },
    response: rewoundSandboxSchema,
    timeout: 'memory',
  }),
  namesAsked: call('GET', '/v1/sandboxes/:sandboxId/names', { query: namesQuerySchema, response: namesAskedSchema }),
  placeSkills: call('PUT', '/v1/sandboxes/:sandboxId/skills', {
    body: placeSkillsSchema,
    hasBootHeader: true,
    response: placedSkillsSchema,
  }),
  /** A package that an order named. */
  storeSkill: call('PUT', '/v1/skills/:digest', { sends: 'bytes', response: nothing }),
  clean: call('POST', '/v1/sandboxes/:sandboxId/clean', {
    body: cleanSandboxSchema,
    response: cleanedSandboxSchema,
    timeout: 'memory',
  }),
  preserve: call('POST', '/v1/sandboxes/:sandboxId/preserve', {
    body: preserveSandboxSchema,
    response: preservedSandboxSchema,
    timeout: 'memory',
  }),
  sendDisk: call('GET', '/v1/sandboxes/:sandboxId/disk', {
    query: sendDiskQuerySchema,
    response: bytes('application/zstd'),
  }),
  /** The same of one snapshot, which is only read, whatever runs in the sandbox. */
  sendSnapshot: call('GET', '/v1/sandboxes/:sandboxId/snapshots/:snapshotId/disk', {
    response: bytes('application/zstd'),
  }),
  receiveDisk: call('PUT', '/v1/sandboxes/:sandboxId/disk', {
    order: receiveDiskSchema,
    sends: 'stream',
    response: hostSandboxSchema,
    timeout: 'unlimited',
  }),
  diskContent: call('GET', '/v1/sandboxes/:sandboxId/disk/content', { response: diskContentSchema }),
  archive: call('POST', '/v1/sandboxes/:sandboxId/archive', {
    body: archiveOrderSchema,
    response: hostSandboxSchema,
    timeout: 'memory',
  }),
  restore: call('PUT', '/v1/sandboxes/:sandboxId/archive', {
    order: restoreOrderSchema,
    sends: 'stream',
    response: hostSandboxSchema,
    timeout: 'unlimited',
  }),
} as const

/** `pause(sandboxId, order): Promise<PausedSandbox>` and so on: ids of the path first, then the order, then bytes. */
export type HostApi = ApiOf<typeof hostContract>

type HostPaths = {
  [Name in keyof typeof hostContract]: (...ids: IdsOf<(typeof hostContract)[Name]['path']>) => string
}

export const hostPaths = Object.fromEntries(
  Object.entries(hostContract).map(([name, row]) => [name, (...ids: string[]) => pathOf(row, ids)]),
) as HostPaths

/**
 * Requests to what runs in a sandbox, of any method. Under `guest` the gateway forwards to the guest daemon and adds
 * the boot’s access token; under `code` to its code contexts; under `port` to a service inside, including one bound to
 * 127.0.0.1.
 */
export const gatewayPaths = {
  guest: (sandboxId: string) => `/v1/sandboxes/${sandboxId}/guest`,
  code: (sandboxId: string) => `/v1/sandboxes/${sandboxId}/code`,
  port: (sandboxId: string, port: number) => `/v1/sandboxes/${sandboxId}/port/${port}`,
} as const
