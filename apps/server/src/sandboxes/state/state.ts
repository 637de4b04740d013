import { activityWindowMs } from '@threadbox/domain'
import type { RewoundSandbox } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import type { Events } from '../../platform/events/events.ts'
import type { System } from '../../platform/system/system.ts'
import type { ReadDefaults, SandboxViews, ThreadLog, ThreadRows } from '../../threads/public.ts'
import type { HostClient } from '../host/host-client.ts'
import type { SandboxEvents } from '../sandboxes.events.ts'
import { makeSandboxActivity, type SandboxActivity } from './activity.ts'
import type { AwakeLimits } from './awake-limits.ts'
import type { ReachableSandbox } from './awake-sandbox.ts'
import { makeBriefWait } from './brief-wait.ts'
import { type Claims, makeClaims } from './claims.ts'
import { type DemotionsUnderWay, makeDemotionsUnderWay } from './demotions-under-way.ts'
import type { DiskUse } from './disk-use.ts'
import { forkSandbox } from './fork-sandbox.usecases.ts'
import { pauseLeastUsed } from './least-used.ts'
import type { LifecycleRecorder } from './lifecycle-recorder.ts'
import { type ApplyLimits, makeApplyLimits } from './live-limits.ts'
import { makePausing, type Pausing } from './pausing.ts'
import { withPersonalQueues } from './personal-queues.ts'
import { makeRestorations, type Restorations } from './restorations.ts'
import { type RewindOrder, rewindSandbox } from './rewind-sandbox.ts'
import { makeWakeQueue, type WakePlace, type WakeQueue } from './room.ts'
import { makeSandboxAccess, type Sandboxes } from './sandbox-access.implementation.ts'
import {
  makeSandboxEgress,
  type ReadBrokeredHosts,
  type ReadNetworks,
  type ReadPrivateAddresses,
  type SandboxEgress,
} from './sandbox-egress.ts'
import { type PresenterContext, presentSandbox } from './sandboxes.presenter.ts'
import type { SandboxStore } from './sandboxes.store.ts'
import { makeTransition, type Transition } from './transitions.ts'
import { makeTurnSignals } from './turn-signals.ts'

/** Prepares an awake sandbox before its use. */
export type Preparer = (threadId: string, sandbox: ReachableSandbox) => Promise<void>

/** What sandboxes need of threads. */
export type ThreadsOfSandboxes = {
  rows: ThreadRows
  log: ThreadLog
  readDefaults: ReadDefaults
  networks: ReadNetworks
  brokeredHosts: ReadBrokeredHosts
  privateAddresses: ReadPrivateAddresses
  /** Sends the thread to open pages; never fails. */
  announce(threadId: string, isRecorded: boolean | 'soon'): Promise<void>
}

export type StatePorts = {
  store: SandboxStore
  host: HostClient
  threads: ThreadsOfSandboxes
  events: Pick<Events<SandboxEvents>, 'emit' | 'on'>
  recorder: LifecycleRecorder
  announceWaiting(threadId: string, place: WakePlace): Promise<void>
  limits: AwakeLimits
  diskUse: Pick<DiskUse, 'require'>
  /** Restores the files of an archived sandbox; does nothing to another one. Concurrent calls share one restore. */
  bringBack(threadId: string): Promise<void>
  preparers: () => readonly Preparer[]
  /** Key with which the manifests of a sandbox hash values. */
  hashKeyOf(sandboxId: string): string
  system: System
  logger: Logger
}

/** Sandboxes, and everything that pauses and wakes them. */
export type StateFeature = {
  transition: Transition
  activity: SandboxActivity
  demotions: DemotionsUnderWay
  pausing: Pausing
  sandboxes: Sandboxes
  applyLimits: ApplyLimits
  egress: SandboxEgress
  /** False for a thread that does not exist or is being deleted. */
  mayStart(threadId: string): Promise<boolean>
  context(threadIds?: readonly string[] | 'all'): Promise<PresenterContext>
  /** How many threads wait for memory or for their person’s limit. */
  waitingThreads(): number
  /** Since when the host can be reached; undefined while it cannot. */
  reachableSince(): number | undefined
  setReachable(isReachable: boolean): void
  /** Files that are on their way back from the archive. */
  restorations: Restorations
  exclusively: Claims['exclusively']
  views: SandboxViews
  forkSandbox: (order: Parameters<typeof forkSandbox>[1]) => ReturnType<typeof forkSandbox>
  rewindSandbox(order: RewindOrder): Promise<RewoundSandbox>
}

/** Each part is made of the parts above it. */
export function makeSandboxState(ports: StatePorts): StateFeature {
  const { store, host, threads, system, logger } = ports
  const demotions = makeDemotionsUnderWay()
  const { activity, claims, transition } = makeGround(ports)
  const restorations = makeRestorations()
  const wakeQueue = connectWakeQueue(ports, async (userId) => {
    const among = await ports.limits.places.awakeOf(userId)
    return await pauseLeastUsed({ store, pausing, context: await context(), among })
  })
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
      waiting: wakeQueue.positionOf(row.thread_id),
      restoring: restorations.of(row.id),
    }),
  })
  const egress = makeSandboxEgress({ ...threads, store, host, logger })
  const pausing = makePausing({ ...ports, transition, isHeld: claims.isHeld })
  const mayStart = async (threadId: string) => (await threads.rows.findAny(threadId))?.deleted_at === null
  const sandboxes = makeSandboxAccess({
    ...ports,
    transition,
    claims,
    activity,
    turnSignals: makeTurnSignals(ports),
    wakeQueue,
    briefWait: makeBriefWait({ ...ports, wakeQueue }),
    pausing,
    demotions,
    egress,
    mayStart,
    defaults: threads.readDefaults,
    pauseOneIdle: async () => await pauseLeastUsed({ store, pausing, context: await context() }),
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
    waitingThreads: wakeQueue.length,
    context,
    egress,
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
    restorations,
    exclusively: claims.exclusively,
    forkSandbox: async (order) => {
      await ports.diskUse.require(order.threadId)
      const source = await store.findById(order.source.id)
      if (source !== undefined) await ports.bringBack(source.thread_id)
      return await forkSandbox({ ...ports, transition, egress }, order)
    },
    rewindSandbox: async (order) => {
      await ports.bringBack(order.threadId)
      return await rewindSandbox({ store, host, transition, claims }, order)
    },
  }
}

/** Uses of sandboxes, and changes of their states. */
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
  const shared = { announce, log, lastTurnId: rows.lastTurnId }
  return {
    activity,
    claims: makeClaims({ store, activity, events, announce }),
    transition: makeTransition({ ...shared, store, activity, recorder, events, system }),
  }
}

/** The queue retries whenever memory may have become free. */
function connectWakeQueue(
  { host, threads, events, announceWaiting, limits, system }: StatePorts,
  pauseOneIdleOf: (userId: string) => Promise<boolean>,
): WakeQueue {
  const told = {
    onQueueChanged: (threadIds: readonly string[]) => {
      for (const threadId of threadIds) void threads.announce(threadId, false)
    },
    onWaiting: (threadId: string, place: WakePlace) => void announceWaiting(threadId, place),
  }
  const memory = makeWakeQueue({ ...told, countAwake: async () => (await host.info()).awakeSandboxes })
  const wakeQueue = withPersonalQueues(memory, {
    ...told,
    ...limits,
    pauseOneIdleOf,
    now: system.now,
  })
  events.on('capacity-released', wakeQueue.changed)
  events.on('sandbox-released', wakeQueue.changed)
  return wakeQueue
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
