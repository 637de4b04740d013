import type { HostEvent } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import type { Audit, PeopleEvents, Settings } from '../../people/public.ts'
import type { Events } from '../../platform/events/events.ts'
import type { System } from '../../platform/system/system.ts'
import type { Archives } from '../archive/archives.usecases.ts'
import type { HostClient } from '../host/host-client.ts'
import type { SandboxEvents } from '../sandboxes.events.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'
import type { StateFeature, ThreadsOfSandboxes } from '../state/state.ts'
import { makeArchiveActions } from './archive-actions.ts'
import { type Demotion, makeDemotion } from './demotion.ts'
import { type DiskWatch, makeDiskWatch } from './disk-watch.ts'
import type { GuestQuestions } from './guest-manifest.ts'
import { noteHostEvent } from './host-events.ts'
import type { LifecycleStore } from './lifecycle.store.ts'
import { type Lifecycle, makeLifecycle } from './lifecycle.usecases.ts'
import { type MachineClock, makeLifecycleClock } from './lifecycle-clock.ts'
import { pauseAllOf } from './pause-all-of.ts'
import { makePolicyLoop, type PolicyLoop } from './policy-loop.ts'
import type { Reporting } from './reporting.ts'
import { type RetentionDependencies, recoverRemovals, removeFiles } from './retention.ts'
import { makeWakeNotes, type WakeNotes } from './wake-notes.ts'

type People = { settings: Settings; events: Pick<Events<PeopleEvents>, 'on'>; audit: Audit }
type Machine = { clock: MachineClock; system: System; logger: Logger }

export type LifecyclePorts = {
  store: SandboxStore
  lifecycleStore: LifecycleStore
  host: HostClient
  guest: GuestQuestions
  state: StateFeature
  archives: Archives
  reporting: Reporting
  people: People
  events: Pick<Events<SandboxEvents>, 'on'>
  threads: Pick<ThreadsOfSandboxes, 'readDefaults' | 'announce' | 'rows'>
  hashKeyOf(sandboxId: string): string
  machine: Machine
}

/** Decides when sandboxes sleep and what is kept of them, and carries out what a person requests. */
export type LifecycleFeature = {
  lifecycle: Lifecycle
  demotion: Demotion
  policyLoop: PolicyLoop
  wakeNotes: WakeNotes
  diskWatch: DiskWatch
  noteHostEvent(event: HostEvent): Promise<void>
  /** Completes what a crash interrupted. */
  recover(): Promise<void>
}

export function makeLifecycleFeature(ports: LifecyclePorts): LifecycleFeature {
  const { store, lifecycleStore, host, state } = ports
  const { reports, announcements } = ports.reporting
  const { transition, activity, pausing, sandboxes } = state
  const { system, logger } = ports.machine
  const announce = (threadId: string) => void ports.threads.announce(threadId, false)
  const demotion = makeDemotion({
    store,
    host,
    transition,
    settings: ports.people.settings,
    logger,
    underWay: state.demotions,
    isWanted: (threadId) => sandboxes.waking(threadId) !== undefined,
  })
  const retention: RetentionDependencies = {
    store,
    host,
    transition,
    system,
    recorder: reports,
    announce,
    isKept: state.mayStart,
    forgetArchive: ports.archives.forget,
  }
  const policyLoop = makePolicyLoop({
    store,
    activity,
    pausing,
    demotion,
    archives: {
      ...ports.archives,
      days: async () => {
        const { archiveDays } = await ports.people.settings.values()
        return archiveDays === 0 || !ports.archives.hasStore ? null : archiveDays
      },
    },
    announcements,
    announce,
    logger,
    clock: makeLifecycleClock({ store: lifecycleStore, machine: ports.machine.clock, now: system.now }),
    context: async () => {
      const context = await state.context()
      // Checked afterwards: the server may have lost the host since.
      return state.reachableSince() === undefined ? undefined : context
    },
    removeFiles: (row, days) => removeFiles(retention, row, days),
  })
  const diskWatch = makeDiskWatch({ store, host, announcements, logger, ifAwake: sandboxes.ifAwake })
  const actions = makeArchiveActions({ store, archives: ports.archives, demotion })
  const lifecycle: Lifecycle = {
    ...actions,
    ...makeLifecycle({
      lifecycleStore,
      store,
      host,
      guest: ports.guest,
      state,
      reports,
      defaults: ports.threads.readDefaults,
      hashKeyOf: ports.hashKeyOf,
      audit: ports.people.audit,
      system,
      nudge: policyLoop.nudge,
      announce: (threadId) => ports.threads.announce(threadId, true),
    }),
  }
  listen(ports, { policyLoop, diskWatch, lifecycle })
  return {
    demotion,
    policyLoop,
    diskWatch,
    lifecycle,
    wakeNotes: makeWakeNotes({ store: lifecycleStore, reports, sandboxes }),
    noteHostEvent: (event) => noteHostEvent({ store, activity, policyLoop, reports, announce, logger }, event),
    recover: async () => {
      await ports.archives.recover()
      const unreported = (await store.all()).filter(({ wake }) => wake !== null)
      await reports.recover()
      for (const { thread_id: threadId } of unreported) await ports.threads.announce(threadId, true)
      await recoverRemovals(retention).catch((error: unknown) =>
        logger.warn({ err: error }, 'interrupted removals were not completed'),
      )
    },
  }
}

function listen(
  { events, people, state, machine, store, threads: { rows } }: LifecyclePorts,
  { policyLoop, diskWatch, lifecycle }: Pick<LifecycleFeature, 'policyLoop' | 'diskWatch' | 'lifecycle'>,
): void {
  events.on('sandbox-changed', policyLoop.nudge)
  events.on('sandbox-used', policyLoop.nudge)
  events.on('host-changed', policyLoop.nudge)
  events.on('sandbox-released', ({ threadId }) => {
    diskWatch.check(threadId).catch((error: unknown) => {
      machine.logger.debug({ err: error, threadId }, 'a disk was not checked')
    })
  })
  people.events.on('person-disabled', ({ userId }) =>
    pauseAllOf({ store, rows, pause: lifecycle.pause, logger: machine.logger }, userId),
  )
  people.events.on('settings-changed', async ({ limits }) => {
    if (limits) await state.applyLimits()
    policyLoop.nudge()
  })
}
