import { activityWindowMs } from '@threadbox/domain'
import type { Logger } from '@threadbox/telemetry'
import type { Events } from '../../platform/events/events.ts'
import type { System } from '../../platform/system/system.ts'
import type { ReadDefaults, SandboxViews, ThreadLog, ThreadRows } from '../../threads/public.ts'
import type { HostClient } from '../host/host-client.ts'
import type { SandboxEvents } from '../sandboxes.events.ts'
import { makeSandboxActivity, type SandboxActivity } from './activity.ts'
import type { ReachableSandbox } from './awake-sandbox.ts'
import { reportBootEnd } from './boot-end-notice.ts'
import { noteEnd, type WakingDependencies } from './bring-awake.ts'
import { type DemotionsUnderWay, makeDemotionsUnderWay } from './demotions-under-way.ts'
import { forkSandbox } from './fork-sandbox.usecases.ts'
import { pauseLeastUsed } from './least-used.ts'
import type { LifecycleRecorder } from './lifecycle-recorder.ts'
import { type ApplyLimits, makeApplyLimits } from './live-limits.ts'
import { makePausing, type Pausing } from './pausing.ts'
import { makeRoom } from './room.ts'
import { makeSandboxAccess, type Sandboxes } from './sandbox-access.implementation.ts'
import { type ChangeSandbox, makeChangeSandbox } from './sandbox-changes.ts'
import { type PresenterContext, presentSandbox } from './sandboxes.presenter.ts'
import type { SandboxStore } from './sandboxes.store.ts'

/** What an awake sandbox is to have before somebody uses it. */
export type Preparer = (threadId: string, sandbox: ReachableSandbox) => Promise<void>

export type StatePorts = {
  store: SandboxStore
  host: HostClient
  /** What of threads sandboxes need. */
  threads: {
    rows: ThreadRows
    log: ThreadLog
    readDefaults: ReadDefaults
    /** Tells open pages how the thread is now; never fails. */
    announce(threadId: string, isRecorded: boolean): Promise<void>
  }
  events: Pick<Events<SandboxEvents>, 'emit'>
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
  change: ChangeSandbox
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
}

export function makeSandboxState(ports: StatePorts): StateFeature {
  const { store, host, threads, events, system, logger } = ports
  const holds = new Map<string, number>()
  const demotions = makeDemotionsUnderWay()
  let reachableSince: number | undefined
  const change = makeChangeSandbox({
    store,
    now: system.now,
    onChanged: async (threadId) => {
      void events.emit('sandbox-changed', { threadId })
      await threads.announce(threadId, true)
    },
  })
  const activity = makeSandboxActivity({
    store,
    now: system.now,
    onSeen: (sandboxId) => void events.emit('sandbox-used', { sandboxId }),
    onError: (error) => logger.warn({ err: error }, 'use of a sandbox was not recorded'),
  })
  const context = async (threadIds: readonly string[] | 'all' = 'all'): Promise<PresenterContext> => ({
    defaults: await threads.readDefaults(threadIds),
    now: system.now(),
    notBefore: reachableSince === undefined ? 0 : reachableSince + activityWindowMs,
    live: (row) => ({
      isHeld: holds.has(row.thread_id),
      isTransferring: activity.isTransferring(row.id),
      usedAt: activity.usedAt(row.id),
      activities: activity.of(row.id),
      place: room.place(row.thread_id),
    }),
  })
  const { room, ...waking } = makeWaking(ports, { holds, demotions, change, activity, context })
  return {
    change,
    activity,
    demotions,
    context,
    ...waking,
    applyLimits: makeApplyLimits({
      store,
      host,
      logger,
      defaults: threads.readDefaults,
      announce: (threadId) => threads.announce(threadId, true),
    }),
    reachableSince: () => reachableSince,
    setReachable: (isReachable) => {
      reachableSince = isReachable ? system.now() : undefined
    },
    views: async (threadIds) => {
      const present = await context(threadIds)
      const rows = new Map((await store.list(threadIds)).map((row) => [row.thread_id, row]))
      return new Map(
        threadIds.map((threadId) => [threadId, presentSandbox({ threadId, row: rows.get(threadId) }, present)]),
      )
    },
    forkSandbox: (order) => forkSandbox(ports, order),
  }
}

/** A pause looks at what wakes and a wake at what is paused: each calls the other when it works, not when it is made. */
function makeWaking(
  ports: StatePorts,
  known: Pick<StateFeature, 'change' | 'activity' | 'demotions' | 'context'> & { holds: Map<string, number> },
) {
  const { store, host, threads, events, recorder, system } = ports
  const { holds, activity, context, demotions } = known
  const quietly = (threadId: string) => void threads.announce(threadId, false)
  const mayStart = async (threadId: string) => (await threads.rows.findAny(threadId))?.deleted_at === null
  const room = makeRoom({
    makeRoom: async () => await pauseLeastUsed({ store, pausing, context: await context() }),
    countAwake: async () => (await host.info()).awakeSandboxes,
    onQueueChanged: (threadIds) => threadIds.forEach(quietly),
    onWaiting: (threadId, place) => void ports.tellWaiting(threadId, place),
  })
  const pausing = makePausing({
    ...ports,
    ...known,
    isHeld: (threadId) => holds.has(threadId),
    noteEnd: (row, actual) => noteEnd(waking, row, actual),
    onPaused: () => room.changed(),
  })
  const waking: WakingDependencies = {
    ...ports,
    ...known,
    room,
    pausing,
    recorder,
    mayStart,
    defaults: threads.readDefaults,
    demoted: demotions.settled,
    reportEnd: (row, end) =>
      reportBootEnd({ log: threads.log, system, lastTurnId: threads.rows.lastTurnId }, row.thread_id, end),
  }
  const sandboxes = makeSandboxAccess({
    ...waking,
    activity,
    holds,
    deliver: async (threadId, sandbox) => {
      await Promise.all(ports.preparers().map((prepare) => prepare(threadId, sandbox)))
    },
    onHoldChanged: (threadId, sandboxId) => {
      if (sandboxId !== undefined) activity.touch(sandboxId)
      quietly(threadId)
      room.changed()
      void events.emit('sandbox-released', { threadId })
    },
  })
  return { room, pausing, sandboxes, mayStart }
}
