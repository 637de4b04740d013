import { createHmac } from 'node:crypto'
import { activityWindowMs, decideAwake } from '@threadbox/domain'
import type { HostEvent } from '@threadbox/protocol/host'
import type { SandboxView } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { PeopleEvents } from './people/people.events.ts'
import type { Settings } from './people/settings/settings.ts'
import { type OpenDatabase, tablesOf } from './platform/database/database.ts'
import type { Events } from './platform/events/events.ts'
import type { System } from './platform/system/system.ts'
import type { HostClient } from './sandboxes/host/host-client.ts'
import { type Announcements, makeAnnouncements } from './sandboxes/lifecycle/announcements.ts'
import { type Demotion, makeDemotion } from './sandboxes/lifecycle/demotion.ts'
import { type DiskWatch, makeDiskWatch } from './sandboxes/lifecycle/disk-watch.ts'
import { type GuestQuestions, makeGuestQuestions } from './sandboxes/lifecycle/guest-manifest.ts'
import { type LifecycleStore, makeLifecycleStore } from './sandboxes/lifecycle/lifecycle.store.ts'
import type { LifecycleTables } from './sandboxes/lifecycle/lifecycle.table.ts'
import { type Lifecycle, makeLifecycle } from './sandboxes/lifecycle/lifecycle.usecases.ts'
import { type MachineClock, makeLifecycleClock } from './sandboxes/lifecycle/lifecycle-clock.ts'
import { makePolicyLoop, type PolicyLoop } from './sandboxes/lifecycle/policy-loop.ts'
import { type RetentionDependencies, recoverRemovals, removeFiles } from './sandboxes/lifecycle/retention.ts'
import type { RestartedService } from './sandboxes/lifecycle/survival-items.models.ts'
import { makeSurvivalReports, type SurvivalReports } from './sandboxes/lifecycle/survival-reports.ts'
import { makeWakeNotes, type WakeNotes } from './sandboxes/lifecycle/wake-notes.ts'
import { makeSandboxActivity, type SandboxActivity } from './sandboxes/state/activity.ts'
import type { ReachableSandbox } from './sandboxes/state/awake-sandbox.ts'
import { reportBootEnd } from './sandboxes/state/boot-end-notice.ts'
import { noteEnd, type WakingDependencies } from './sandboxes/state/bring-awake.ts'
import { forkSandbox } from './sandboxes/state/fork-sandbox.usecases.ts'
import { type ApplyLimits, makeApplyLimits } from './sandboxes/state/live-limits.ts'
import { makePausing, type Pausing } from './sandboxes/state/pausing.ts'
import { makeRoom } from './sandboxes/state/room.ts'
import { makeSandboxAccess, type Sandboxes } from './sandboxes/state/sandbox-access.implementation.ts'
import { type ChangeSandbox, makeChangeSandbox } from './sandboxes/state/sandbox-changes.ts'
import { policyOf } from './sandboxes/state/sandbox-rows.ts'
import { awakeFactsOf, type PresenterContext, presentSandbox } from './sandboxes/state/sandboxes.presenter.ts'
import { makeSandboxStore, type SandboxStore } from './sandboxes/state/sandboxes.store.ts'
import type { SandboxRow, SandboxTables } from './sandboxes/state/sandboxes.table.ts'
import type { ThreadLog } from './threads/log/thread-log.ts'
import type { ThreadStore } from './threads/log/threads.store.ts'
import type { ReadDefaults } from './threads/workspaces/sandbox-defaults.ts'

/** Sandboxes, and everything that decides when they sleep. */
export type SandboxParts = {
  sandboxStore: SandboxStore
  changeSandbox: ChangeSandbox
  sandboxes: Sandboxes
  pausing: Pausing
  demotion: Demotion
  lifecycle: Lifecycle
  policyLoop: PolicyLoop
  reports: SurvivalReports
  wakeNotes: WakeNotes
  diskWatch: DiskWatch
  applyLimits: ApplyLimits
  sandboxViews: (threadIds: readonly string[]) => Promise<Map<string, SandboxView>>
  /** With which the manifests of a sandbox hash values. */
  hashKeyOf: (sandboxId: string) => string
  forkSandbox: (order: Parameters<typeof forkSandbox>[1]) => ReturnType<typeof forkSandbox>
  /** The host can be reached from now on, or cannot. */
  onHostChange: (isReachable: boolean) => void
  onHostEvent: (event: HostEvent) => Promise<void>
  /** What a crash left half done. */
  recoverLifecycle: () => Promise<void>
}

export type SandboxPartsOptions = {
  open: OpenDatabase
  host: HostClient
  settings: Settings
  events: Events<PeopleEvents>
  /** What sandboxes inherit from their workspace and the installation. */
  defaults: ReadDefaults
  system: System
  machine: MachineClock
  /** What the keys of manifests are derived from. */
  manifestKey: Uint8Array
  logger: Logger
  threadStore: ThreadStore
  log: ThreadLog
  announce: (threadId: string, isRecorded: boolean) => Promise<void>
  deliver: (threadId: string, sandbox: ReachableSandbox) => Promise<void>
  /** The sandbox of this thread is in another state. */
  onSandboxChanged: (threadId: string) => void
  restartedServices: (threadId: string, bootId: string) => Promise<RestartedService[]>
}

/** How long a sandbox must have been left alone before it may lose its place to another one. */
const quietMs = 30_000

/** What all of the parts are made from. */
type Base = SandboxPartsOptions & {
  store: SandboxStore
  lifecycleStore: LifecycleStore
  guest: GuestQuestions
  holds: Map<string, number>
  lastTurnId: (threadId: string) => Promise<string | undefined>
  hashKeyOf: (sandboxId: string) => string
  quietly: (threadId: string) => void
  change: ChangeSandbox
  activity: SandboxActivity
  reports: SurvivalReports
  announcements: Announcements
}

/** Parts know of each other in circles: each is looked up when it is needed, not when it is made. */
export function makeSandboxParts(options: SandboxPartsOptions): SandboxParts {
  const { host, system, logger, settings } = options
  const base = makeBase(options, () => policyLoop.nudge())
  const { store, lifecycleStore, change, activity, reports, announcements, quietly } = base
  const reachable = { at: undefined as number | undefined }
  const contextNow = async (threadIds: readonly string[] | 'all' = 'all'): Promise<PresenterContext> => ({
    defaults: await options.defaults(threadIds),
    now: system.now(),
    notBefore: reachable.at === undefined ? 0 : reachable.at + activityWindowMs,
    live: (row) => ({
      isHeld: base.holds.has(row.thread_id),
      isTransferring: activity.isTransferring(row.id),
      usedAt: activity.usedAt(row.id),
      activities: activity.of(row.id),
      place: room.place(row.thread_id),
    }),
  })
  const { room, pausing, waking, sandboxes, diskWatch } = makeWakingParts(base, {
    contextNow,
    demoted: (sandboxId) => demotion.settled(sandboxId),
  })
  const demotion = makeDemotion({
    store,
    host,
    change,
    settings,
    recorder: reports,
    logger,
    noteEnd: (row, actual) => noteEnd(waking, row, actual),
    isWanted: (threadId) => sandboxes.waking(threadId) !== undefined,
  })
  const retention: RetentionDependencies = {
    store,
    host,
    change,
    system,
    recorder: reports,
    announce: quietly,
    isKept: waking.mayStart,
  }
  const policyLoop = makePolicyLoop({
    store,
    activity,
    pausing,
    demotion,
    announcements,
    announce: quietly,
    logger,
    clock: makeLifecycleClock({ store: lifecycleStore, machine: options.machine, now: system.now }),
    context: async () => {
      const context = await contextNow()
      // Looked at afterwards: the host may have gone meanwhile.
      return reachable.at === undefined ? undefined : context
    },
    removeFiles: (row, days) => removeFiles(retention, row, days),
  })
  const sandboxViews = async (threadIds: readonly string[]) => {
    const context = await contextNow(threadIds)
    const rows = new Map((await store.list(threadIds)).map((row) => [row.thread_id, row]))
    return new Map(
      threadIds.map((threadId) => [threadId, presentSandbox({ threadId, row: rows.get(threadId) }, context)]),
    )
  }
  const person = makePersonParts(base, { pausing, sandboxes, policyLoop, contextNow, sandboxViews })
  options.events.on('settings-changed', async ({ limits }) => {
    if (limits) await person.applyLimits()
    policyLoop.nudge()
  })
  return {
    sandboxStore: store,
    changeSandbox: change,
    sandboxes,
    pausing,
    demotion,
    policyLoop,
    reports,
    sandboxViews,
    ...person,
    diskWatch,
    wakeNotes: makeWakeNotes({ store: lifecycleStore, reports, sandboxes }),
    hashKeyOf: base.hashKeyOf,
    forkSandbox: (order) => forkSandbox(base, order),
    onHostChange: (isReachable) => {
      reachable.at = isReachable ? system.now() : undefined
      policyLoop.nudge()
    },
    onHostEvent: (event) => heard({ store, activity, policyLoop, reports, announce: quietly, logger }, event),
    recoverLifecycle: async () => {
      await reports.recover()
      await recoverRemovals(retention).catch((error: unknown) => logger.warn({ err: error }, 'no removal finished'))
    },
  }
}

function makeBase(options: SandboxPartsOptions, nudge: () => void): Base {
  const { open, system, logger, threadStore } = options
  const store = makeSandboxStore(tablesOf<SandboxTables>(open.database))
  const lifecycleStore = makeLifecycleStore(tablesOf<LifecycleTables>(open.database))
  const guest = makeGuestQuestions(options.host)
  const lastTurnId = (threadId: string) => threadStore.lastTurnId(threadId)
  const hashKeyOf = (sandboxId: string) => createHmac('sha256', options.manifestKey).update(sandboxId).digest('hex')
  const base = { ...options, store, lifecycleStore, guest, lastTurnId, hashKeyOf, holds: new Map<string, number>() }
  return {
    ...base,
    quietly: (threadId) => void options.announce(threadId, false),
    change: makeChangeSandbox({
      store,
      now: system.now,
      onChanged: async (threadId) => {
        options.onSandboxChanged(threadId)
        await options.announce(threadId, true)
        nudge()
      },
    }),
    activity: makeSandboxActivity({
      store,
      now: system.now,
      onSeen: nudge,
      onError: (error) => logger.warn({ err: error }, 'use of a sandbox was not recorded'),
    }),
    reports: makeSurvivalReports({ ...base, store: lifecycleStore, sandboxes: store }),
    announcements: makeAnnouncements(base),
  }
}

/** What takes sandboxes to sleep and awake. */
function makeWakingParts(
  base: Base,
  late: { contextNow: () => Promise<PresenterContext>; demoted: (sandboxId: string) => Promise<void> },
) {
  const { store, host, threadStore, reports, announcements, logger, holds, quietly, activity } = base
  const room = makeRoom({
    makeRoom: async () => await pauseLeastUsed({ store, pausing, context: await late.contextNow() }),
    countAwake: async () => (await host.info()).awakeSandboxes,
    onQueueChanged: (threadIds) => threadIds.forEach(quietly),
    onWaiting: (threadId, place) => void tellWaiting({ announcements, reports, logger }, threadId, place),
  })
  const pausing = makePausing({
    ...base,
    recorder: reports,
    isHeld: (threadId) => holds.has(threadId),
    noteEnd: (row, actual) => noteEnd(waking, row, actual),
    onPaused: () => room.changed(),
  })
  const waking: WakingDependencies = {
    ...base,
    room,
    pausing,
    recorder: reports,
    demoted: late.demoted,
    mayStart: async (threadId) => (await threadStore.findAny(threadId))?.deleted_at === null,
    reportEnd: (row, end) => reportBootEnd(base, row.thread_id, end),
  }
  const sandboxes = makeSandboxAccess({
    ...waking,
    activity,
    holds,
    deliver: base.deliver,
    onHoldChanged: (threadId, sandboxId) => {
      if (sandboxId !== undefined) activity.touch(sandboxId)
      quietly(threadId)
      room.changed()
      diskWatch.look(threadId).catch((error: unknown) => logger.debug({ err: error, threadId }, 'disk not looked at'))
    },
  })
  const ifAwake = (threadId: string) => sandboxes.ifAwake(threadId)
  const diskWatch = makeDiskWatch({ store, host, announcements, logger, ifAwake })
  return { room, pausing, waking, sandboxes, diskWatch }
}

/** What a person sees and changes. */
function makePersonParts(
  base: Base,
  known: Pick<SandboxParts, 'pausing' | 'sandboxes' | 'policyLoop' | 'sandboxViews'> & {
    contextNow: () => Promise<PresenterContext>
  },
): Pick<SandboxParts, 'applyLimits' | 'lifecycle'> {
  const { reports } = base
  const announce = (threadId: string) => base.announce(threadId, true)
  const applyLimits = makeApplyLimits({ ...base, announce })
  const lifecycle = makeLifecycle({
    ...base,
    applyLimits,
    announce,
    recorder: reports,
    pausing: known.pausing,
    sandboxes: known.sandboxes,
    context: known.contextNow,
    view: async (threadId) => (await known.sandboxViews([threadId])).get(threadId) as SandboxView,
    nudge: () => known.policyLoop.nudge(),
  })
  return { applyLimits, lifecycle }
}

/** Pauses the sandbox that was left alone for longest, if there is one that nobody needs. */
async function pauseLeastUsed(known: {
  store: SandboxStore
  pausing: Pausing
  context: PresenterContext
}): Promise<boolean> {
  const { context, pausing } = known
  const idle = (await known.store.all())
    .filter((row) => row.state === 'active')
    .map((row) => ({ row, facts: awakeFactsOf(row, context) }))
    .filter(({ row, facts }) => isIdle(row, facts, context))
    .toSorted((one, other) => one.facts.usedAt - other.facts.usedAt)
  for (const { row } of idle) {
    const isPaused = await pausing.pause(row, { cause: 'room' }).then(
      () => true,
      () => false,
    )
    if (isPaused) return true
  }
  return false
}

function isIdle(row: SandboxRow, facts: ReturnType<typeof awakeFactsOf>, context: PresenterContext): boolean {
  const { reasons } = decideAwake(facts, policyOf(row, context.defaults(row.thread_id).policy).policy)
  return reasons.length === 0 && !facts.isTransferring && context.now - facts.usedAt >= quietMs
}

async function tellWaiting(
  known: { announcements: Announcements; reports: SurvivalReports; logger: Logger },
  threadId: string,
  place: { position: number; places: number },
): Promise<void> {
  try {
    await known.announcements.tell(threadId, 'sandbox-waiting', place)
    await known.reports.record(threadId, { code: 'wake-queued', params: place })
  } catch (error) {
    known.logger.debug({ err: error, threadId }, 'wait for a place was not told')
  }
}

/** What the host tells beside the beginning and the end of boots. */
async function heard(
  known: {
    store: SandboxStore
    activity: SandboxActivity
    policyLoop: PolicyLoop
    reports: SurvivalReports
    announce: (threadId: string) => void
    logger: Logger
  },
  event: HostEvent,
): Promise<void> {
  const { store, activity, logger } = known
  if (event.type === 'memory-budget') {
    known.policyLoop.overBudget(event).catch((error: unknown) => logger.warn({ err: error }, 'no memory was given up'))
    return
  }
  if (event.type !== 'activity' && event.type !== 'frozen-dropped') return
  const row = await store.findById(event.sandboxId)
  if (row?.boot_id !== event.bootId) return
  if (event.type === 'frozen-dropped') {
    await store.set(row.id, { is_frozen: 0 })
    await known.reports.record(row.thread_id, { code: 'frozen-dropped' })
    known.announce(row.thread_id)
    return
  }
  const { reason, detail = '', at } = event
  // What the guest's API is asked is known here already, with who asked and whether it counts.
  if (row.state !== 'active' || (reason !== 'cpu' && reason !== 'terminal' && reason !== 'request')) return
  activity.saw(row.id, { reason, detail, at })
}
