import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import type {
  FileChanges,
  HostSandbox,
  HostSnapshot,
  NamesAsked,
  RewindSandbox,
  SnapshotChanges,
  SnapshotMemoryOrder,
  SnapshotMemoryProblem,
} from '@threadbox/protocol/host'

export const noFileChanges: FileChanges = {
  since: 1,
  removed: [],
  changed: [],
  added: [],
  removedCount: 0,
  changedCount: 0,
  addedCount: 0,
  folders: [],
}

/** Snapshots as a host has them, without disks. */
export type SnapshotsStandIn = {
  /** By sandbox, oldest first. */
  bySandbox: Map<string, HostSnapshot[]>
  /** Answers of the next orders: an error instead of a snapshot. */
  failures: { status: number; code: string; kind: string }[]
  /** While set, orders wait for it. */
  gate: Promise<void> | undefined
  /** While set, lists are on their way until it resolves. */
  listGate: Promise<void> | undefined
  listsAsked: number
  /** Whether something was written before the next snapshot, and how much. */
  isDiskChanged: boolean
  writtenBytes: number
  usedBytes: number
  /** What memory takes that is wanted; null: none can be saved, and `memoryProblem` says why. */
  memoryBytes: number | null
  memoryProblem: SnapshotMemoryProblem
  /** What was said of the memory that each order wanted. */
  memoryOrders: (SnapshotMemoryOrder | undefined)[]
  /** Why memory that is there cannot be used. */
  rewindProblem: string
  /** Disks that were exchanged, in the order in which they were. */
  rewinds: { sandboxId: string; snapshotId: string | null }[]
  rewindFailures: { status: number; code: string; kind: string }[]
  /** What differs from every snapshot. */
  changes: SnapshotChanges
  /** What was asked for since any moment. */
  namesAsked: NamesAsked
}

export function makeSnapshotsStandIn(): SnapshotsStandIn {
  return {
    bySandbox: new Map(),
    failures: [],
    gate: undefined,
    listGate: undefined,
    listsAsked: 0,
    rewinds: [],
    rewindFailures: [],
    rewindProblem: '',
    memoryBytes: null,
    memoryProblem: 'not-awake',
    memoryOrders: [],
    namesAsked: { knownSince: null, names: [] },
    changes: { files: [], removedCount: 0, changedCount: 0, addedCount: 0, folders: [] },
    isDiskChanged: true,
    writtenBytes: 10,
    usedBytes: 1000,
  }
}

export async function answerSnapshot(
  host: SnapshotsStandIn,
  exchange: {
    request: IncomingMessage
    response: ServerResponse
    sandbox: HostSandbox
    snapshotId: string | undefined
    /** Only the memory of the snapshot is meant. */
    isAboutMemory: boolean
    sendJson: (body: unknown, status?: number) => void
    /** Whether the answer is lost on its way. */
    isLost: () => boolean
  },
): Promise<void> {
  const { request, response, sandbox, sendJson } = exchange
  const { sandboxId, limits } = sandbox
  const present = host.bySandbox.get(sandboxId) ?? []
  const figures = { usedBytes: host.usedBytes, limitBytes: limits.diskBytes }
  if (request.method === 'GET') {
    host.listsAsked += 1
    await host.listGate
    return sendJson({ snapshots: present, ...figures })
  }
  if (request.method === 'DELETE') {
    const isMeant = (one: HostSnapshot) => one.snapshotId === exchange.snapshotId
    const left = exchange.isAboutMemory
      ? present.map((one) => (isMeant(one) ? { ...one, memoryBytes: null } : one))
      : present.filter((one) => !isMeant(one))
    host.bySandbox.set(sandboxId, left)
    return void response.writeHead(204).end()
  }
  const { snapshotId, memory } = (await json(request)) as { snapshotId: string; memory: SnapshotMemoryOrder }
  host.memoryOrders.push(memory)
  await host.gate
  const failure = host.failures.shift()
  if (failure !== undefined) {
    const { status, ...error } = failure
    return sendJson({ error: { ...error, message: 'as the test wants it', remedy: 'None.', details: {} } }, status)
  }
  const known = present.find((one) => one.snapshotId === snapshotId)
  const memoryBytes = memory === null ? null : host.memoryBytes
  const memoryProblem = memory === null || memoryBytes !== null ? null : host.memoryProblem
  const last = host.isDiskChanged || memoryBytes !== null ? undefined : present.at(-1)
  const snapshot = known ?? last ?? { snapshotId, at: Date.now(), writtenBytes: host.writtenBytes, memoryBytes }
  if (!present.includes(snapshot)) host.bySandbox.set(sandboxId, [...present, snapshot])
  if (exchange.isLost()) return void response.destroy()
  sendJson({ snapshot, isNew: snapshot.snapshotId === snapshotId, memoryProblem, durationMs: 1, ...figures })
}

/** As a host does it: the present is kept, what ran has ended, and memory of then goes on if there is some. */
export async function answerRewind(
  host: {
    snapshots: SnapshotsStandIn
    sandboxes: Map<string, HostSandbox>
    endBoot: (sandboxId: string, cause: 'stopped') => void
    loseAnswer: (order: string) => boolean
  },
  exchange: {
    request: IncomingMessage
    response: ServerResponse
    sandboxId: string
    sendJson: (body: unknown, status?: number) => void
  },
): Promise<void> {
  const { sandboxId, sendJson } = exchange
  const { snapshots } = host
  const { snapshotId, keepId, memory, bootId } = (await json(exchange.request)) as RewindSandbox
  snapshots.memoryOrders.push(memory)
  const failure = snapshots.rewindFailures.shift()
  if (failure !== undefined) {
    const { status, ...error } = failure
    return sendJson({ error: { ...error, message: 'as the test wants it', remedy: 'None.', details: {} } }, status)
  }
  const present = snapshots.bySandbox.get(sandboxId) ?? []
  const known = present.find((one) => one.snapshotId === keepId)
  const kept = known ?? {
    snapshotId: keepId,
    at: Date.now(),
    writtenBytes: 1,
    memoryBytes: memory && snapshots.memoryBytes,
  }
  if (known === undefined) {
    snapshots.bySandbox.set(sandboxId, [...present, kept])
    snapshots.rewinds.push({ sandboxId, snapshotId })
  }
  const target = present.find((one) => one.snapshotId === snapshotId)
  const goesOn = target !== undefined && target.memoryBytes !== null && snapshots.rewindProblem === ''
  const now = host.sandboxes.get(sandboxId)
  if (now?.bootId !== bootId) host.endBoot(sandboxId, 'stopped')
  const ended = host.sandboxes.get(sandboxId)
  if (goesOn && ended !== undefined) host.sandboxes.set(sandboxId, { ...ended, actual: 'ready', bootId })
  const outcome = { from: goesOn ? 'memory' : 'disk', problem: snapshots.rewindProblem }
  if (host.loseAnswer('rewind')) return void exchange.response.destroy()
  sendJson({ sandbox: host.sandboxes.get(sandboxId), kept, ...outcome })
}
