import type { Events } from '../../platform/events/events.ts'
import type { System } from '../../platform/system/system.ts'
import type { ThreadLog } from '../../threads/public.ts'
import type { LifecycleMeasure, SandboxEvents } from '../sandboxes.events.ts'
import type { SandboxActivity } from './activity.ts'
import { reportBootEnd } from './boot-end-notice.ts'
import { applyInPlace, type InPlaceEvent } from './in-place.logic.ts'
import type { LifecycleRecorder } from './lifecycle-recorder.ts'
import { apply, type Effect, type LifecycleEvent, type Sandbox } from './sandbox.logic.ts'
import type { SandboxStore } from './sandboxes.store.ts'

/**
 * Applies an event to a sandbox, and resolves when its effects are done. Undefined if the lifecycle table rejects the
 * event in this state, or if the sandbox has changed since `row` was read: then it has no effects.
 */
export type Transition = (row: Sandbox, event: LifecycleEvent) => Promise<Sandbox | undefined>

export type TransitionDependencies = {
  store: Pick<SandboxStore, 'change'>
  activity: Pick<SandboxActivity, 'forget'>
  recorder: Pick<LifecycleRecorder, 'record'>
  events: Pick<Events<SandboxEvents>, 'emit'>
  /** Sends the thread to open pages; never fails. */
  announce: (threadId: string, isRecorded: boolean | 'soon') => Promise<void>
  log: ThreadLog
  lastTurnId: (threadId: string) => Promise<string | undefined>
  system: System
}

export function makeTransition(dependencies: TransitionDependencies): Transition {
  const { store, system } = dependencies
  return async (row, event) => {
    const facts = { now: system.now(), reportId: system.newId('report'), entryId: system.newId('entry') }
    const applied = apply(row, event, facts)
    if (applied === undefined) return undefined
    const expected = { id: row.id, state: row.state, bootId: row.boot_id }
    const { changed, memory, isDurable } = applied
    if (!(await store.change(expected, changed, { memory, isDurable }))) return undefined
    for (const effect of applied.effects) await follow(dependencies, row, effect)
    const measure = measureOf(event, applied.row)
    if (measure !== undefined) void dependencies.events.emit('lifecycle-measured', measure)
    return applied.row
  }
}

/**
 * Applies the event to the current row, also if its state changes concurrently. Does nothing if the sandbox is gone.
 */
export async function recordInPlace(
  store: Pick<SandboxStore, 'findById' | 'change'>,
  sandboxId: string,
  event: InPlaceEvent,
): Promise<void> {
  for (;;) {
    const row = await store.findById(sandboxId)
    if (row === undefined) return
    const { changed, memory } = applyInPlace(row, event)
    if (await store.change({ id: row.id, state: row.state, bootId: row.boot_id }, changed, { memory })) return
  }
}

function measureOf(event: LifecycleEvent, { wake }: Sandbox): LifecycleMeasure | undefined {
  if (event.type === 'boot-ready' || event.type === 'wake-finished') {
    // A first start has no report.
    return wake === null ? undefined : { kind: 'wake', way: wake.from, seconds: wake.wakeMs / 1000 }
  }
  if (event.type === 'pause-finished') return { kind: 'pause', seconds: event.paused.durationMs / 1000 }
  if (event.type === 'wake-failed') return { kind: 'fallback', way: event.cause.code }
  if (event.type === 'memory-dropped' && event.end?.cause === 'demoted') return { kind: 'demotion' }
  return undefined
}

async function follow(dependencies: TransitionDependencies, row: Sandbox, effect: Effect): Promise<void> {
  const { activity, recorder, events } = dependencies
  const { thread_id: threadId } = row
  switch (effect.type) {
    case 'announce':
      void events.emit('sandbox-changed', { threadId })
      return await dependencies.announce(threadId, effect.isSoon ? 'soon' : true)
    case 'clear-usage':
      return activity.forget(row.id)
    case 'log':
      return await recorder.record(threadId, effect.line)
    case 'report-stopped':
      return await reportBootEnd(dependencies, threadId, effect.end)
    case 'release-capacity':
      return void events.emit('capacity-released', {})
  }
}
