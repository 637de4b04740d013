import { activityWindowMs } from '@threadbox/domain'
import type { RewoundSandbox } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import type { Events } from '../../platform/events/events.ts'
import type { System } from '../../platform/system/system.ts'
import type { ReadDefaults, SandboxViews, ThreadLog, ThreadRows } from '../../threads/public.ts'
import type { HostClient } from '../host/host-client.ts'
import type { SandboxEvents } from '../sandboxes.events.ts'
import { makeSandboxActivity, type SandboxActivity } from './activity.ts'
import type { ReachableSandbox } from './awake-sandbox.ts'
import { type Claims, makeClaims } from './claims.ts'
import { type DemotionsUnderWay, makeDemotionsUnderWay } from './demotions-under-way.ts'
import { forkSandbox } from './fork-sandbox.usecases.ts'
import { pauseLeastUsed } from './least-used.ts'
import type { LifecycleRecorder } from './lifecycle-recorder.ts'
import { type ApplyLimits, makeApplyLimits } from './live-limits.ts'
import { makePausing, type Pausing } from './pausing.ts'
import { type RewindOrder, rewindSandbox } from './rewind-sandbox.ts'
import { makeRoom, type Room } from './room.ts'
import { makeSandboxAccess, type Sandboxes } from './sandbox-access.implementation.ts'
import { type PresenterContext, presentSandbox } from './sandboxes.presenter.ts'
import type { SandboxStore } from './sandboxes.store.ts'
import { makeTransition, type Transition } from './transitions.ts'

/** What an awake sandbox is to have before somebody uses it. */
export type Preparer = (threadId: string, sandbox: ReachableSandbox) => Promise<void>

/** What of threads sandboxes need. */
export type ThreadsOfSandboxes = {
  rows: ThreadRows
  log: ThreadLog
  readDefaults: ReadDefaults
  /** Tells open pages how the thread is now; never fails. */
  announce(threadId: string, isRecorded: boolean): Promise<void>
}

export type StatePorts = {
  store: SandboxStore
  host: HostClient
  threads: ThreadsOfSandboxes
  events: Pick<Events<SandboxEvents>, 'emit' | 'on'>
  recorder: LifecycleRecorder
  tellWaiting(threadId: string, place: { position: number; places: number }): Promise<void>
  preparers: () => readonly Preparer[]
  /** With which the manifests of a sandbox hash values. */
  hashKeyOf(sandboxId: string): string
  system: System
  logger: Logger
}

/** Sandboxes, and everything that takes them to sleep and awake. */
export type StateFeature = {
  transition: Transition
  activity: SandboxActivity
  demotions: DemotionsUnderWay
  pausing: Pausing
  sandboxes: Sandboxes
  applyLimits: ApplyLimits
  /** False for a thread that is not there or is being deleted. */
  mayStart(threadId: string): Promise<boolean>
  context(threadIds?: readonly string[] | 'all'): Promise<PresenterContext>
  /** Since when the host can be reached; undefined while it cannot. */
  reachableSince(): number | undefined
  setReachable(isReachable: boolean): void
  views: SandboxViews
  forkSandbox: (order: Parameters<typeof forkSandbox>[1]) => ReturnType<typeof forkSandbox>
  rewindSandbox(order: RewindOrder): Promise<RewoundSandbox>
}

/** Each is made of those above it. */
export function makeSandboxState(ports: StatePorts): StateFeature {
  const { store, host, threads, system, logger } = ports
  const demotions = makeDemotionsUnderWay()
  const { activity, claims, transition } = makeGround(ports)
  const room = makeWakeQueue(ports)
  const reachable = makeReachable(system)
  const context = async (threadIds: readonly string[] | 'all' = 'all'): Promise<PresenterContext> => ({
    defaults: await threads.readDefaults(threadIds),
    now: system.now(),
    notBefore: reachable.notBefore(),
    live: (row) => ({
      isHeld: claims.isHeld(row.thread_id),
      isTransferring: activity.isTransferring(row.id),
      usedAt: activity.usedAt(row.id),
      activities: activity.of(row.id),
      place: room.place(row.thread_id),
    }),
  })
  const pausing = makePausing({ ...ports, transition, isHeld: claims.isHeld })
  const mayStart = async (threadId: string) => (await threads.rows.findAny(threadId))?.deleted_at === null
  const sandboxes = makeSandboxAccess({
    ...ports,
    transition,
    claims,
    activity,
    room,
    pausing,
    demotions,
    mayStart,
    defaults: threads.readDefaults,
    makeRoom: async () => await pauseLeastUsed({ store, pausing, context: await context() }),
    deliver: async (threadId, sandbox) => {
      await Promise.all(ports.preparers().map((prepare) => prepare(threadId, sandbox)))
    },
  })
  return {
    transition,
    activity,
    demotions,
    pausing,
    sandboxes,
    mayStart,
    context,
    applyLimits: makeApplyLimits({
      store,
      host,
      logger,
      defaults: threads.readDefaults,
      announce: (threadId) => threads.announce(threadId, true),
    }),
    ...reachable,
    views: async (threadIds) => {
      const present = await context(threadIds)
      const rows = new Map((await store.list(threadIds)).map((row) => [row.thread_id, row]))
      return new Map(
        threadIds.map((threadId) => [threadId, presentSandbox({ threadId, row: rows.get(threadId) }, present)]),
      )
    },
    forkSandbox: (order) => forkSandbox({ ...ports, transition }, order),
    rewindSandbox: (order) => rewindSandbox({ store, host, transition, claims }, order),
  }
}

/** What sandboxes are used for, and the changes of their state. */
function makeGround({ store, threads, events, recorder, system, logger }: StatePorts): {
  activity: SandboxActivity
  claims: Claims
  transition: Transition
} {
  const { announce } = threads
  const activity = makeSandboxActivity({
    store,
    now: system.now,
    onSeen: (sandboxId) => void events.emit('sandbox-used', { sandboxId }),
    onError: (error) => logger.warn({ err: error }, 'use of a sandbox was not recorded'),
  })
  const { log, rows } = threads
  const told = { announce, log, lastTurnId: rows.lastTurnId }
  return {
    activity,
    claims: makeClaims({ store, activity, events, announce }),
    transition: makeTransition({ ...told, store, activity, recorder, events, system }),
  }
}

/** Who waits for a place hears of those that became free. */
function makeWakeQueue({ host, threads, events, tellWaiting }: StatePorts): Room {
  const room = makeRoom({
    countAwake: async () => (await host.info()).awakeSandboxes,
    onQueueChanged: (threadIds) => {
      for (const threadId of threadIds) void threads.announce(threadId, false)
    },
    onWaiting: (threadId, place) => void tellWaiting(threadId, place),
  })
  events.on('capacity-released', room.changed)
  events.on('sandbox-released', room.changed)
  return room
}

function makeReachable(
  system: System,
): Pick<StateFeature, 'reachableSince' | 'setReachable'> & { notBefore(): number } {
  let since: number | undefined
  return {
    reachableSince: () => since,
    setReachable: (isReachable) => {
      since = isReachable ? system.now() : undefined
    },
    notBefore: () => (since === undefined ? 0 : since + activityWindowMs),
  }
}
