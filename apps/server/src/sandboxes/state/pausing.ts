import { makeSingleFlight } from '@threadbox/concurrency'
import { isErrorOf, isThreadboxError } from '@threadbox/errors'
import { type PausedSandbox, pauseAbandonedCode } from '@threadbox/protocol/host'
import type { PauseCause } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { System } from '../../platform/system/system.ts'
import { hostUnreachable } from '../host/host.errors.ts'
import type { HostClient } from '../host/host-client.ts'
import type { LifecycleRecorder } from './lifecycle-recorder.ts'
import { endedEvent, type PauseReason, type Sandbox } from './sandbox.logic.ts'
import { sandboxNotReady, sandboxTurnRunning } from './sandboxes.errors.ts'
import type { SandboxStore } from './sandboxes.store.ts'
import type { Transition } from './transitions.ts'

/** Takes sandboxes from active to paused. One pause per sandbox at a time; a concurrent call joins it. */
export type Pausing = {
  /**
   * Resolves when the memory is saved; immediately if the sandbox is already paused. Throws `sandbox.turn-running` in a
   * turn, `sandbox.not-ready` if it is not awake, the host’s error if the pause failed: the sandbox then keeps running.
   */
  pause(row: Sandbox, reason: PauseReason): Promise<void>
  /**
   * Completes a pause in progress: one of this server, or one that a crash cut off. Afterwards the sandbox is in
   * another state, unless the host cannot be reached.
   */
  settle(row: Sandbox): Promise<void>
  /**
   * Ends a pause in progress because the sandbox is wanted: cancels the pause if that is still possible, otherwise
   * completes it.
   */
  cancel(row: Sandbox): Promise<void>
  /** Records a pause that the host made on its own, as it does when the installation shuts down. */
  adopt(row: Sandbox): Promise<void>
}

export type PausingDependencies = {
  store: SandboxStore
  host: HostClient
  transition: Transition
  system: System
  logger: Logger
  recorder: Pick<LifecycleRecorder, 'reportWake' | 'finishReport'>
  isHeld: (threadId: string) => boolean
  hashKeyOf: (sandboxId: string) => string
}

export function makePausing(dependencies: PausingDependencies): Pausing {
  const { store, transition, recorder } = dependencies
  const running = makeSingleFlight()
  const begin = async (row: Sandbox, reason: PauseReason) => {
    // A sandbox that sleeps again can’t be checked.
    await recorder.finishReport(row.thread_id)
    const now = (await store.find(row.thread_id)) ?? row
    if (now.state === 'paused') return
    if (now.state === 'pausing') return await order(dependencies, now)
    if (isRefused(dependencies, row.thread_id, reason.cause)) throw sandboxTurnRunning({})
    const pausing = await transition(now, { type: 'pause-requested', reason })
    if (pausing === undefined) throw sandboxNotReady({ state: now.state })
    await order(dependencies, pausing)
  }
  const settle = (row: Sandbox) => running.join(row.id, () => order(dependencies, row))
  return {
    pause: (row, reason) => running.join(row.id, () => begin(row, reason)),
    settle,
    cancel: async (row) => {
      const present = running.present(row.id)
      await dependencies.host.abandonPause(row.id, { bootId: row.boot_id ?? '' })
      // Joins the pause as it was: it may have ended by now, and what follows it must not be paused again.
      await (present ?? settle(row))
    },
    adopt: (row) => running.join(row.id, () => begin(row, { cause: 'shutdown' })),
  }
}

/** Orders the pause in the row. A repeated order gets the same response, so a pause that a crash cut off continues. */
async function order(dependencies: PausingDependencies, row: Sandbox): Promise<void> {
  const { host, transition, recorder } = dependencies
  const bootId = row.boot_id ?? ''
  // A turn that began after the decision takes precedence.
  if (isRefused(dependencies, row.thread_id, row.pause_cause)) {
    await transition(row, { type: 'pause-failed', why: 'turn-began' })
    throw sandboxTurnRunning({})
  }
  let paused: PausedSandbox
  try {
    // The report of the last wake needs the manifest that this pause replaces.
    await recorder.reportWake(row.thread_id)
    paused = await host.pause(row.id, { bootId, hashKey: dependencies.hashKeyOf(row.id) })
  } catch (error) {
    // How far the pause got is unknown: the row stays as it is until the host can be asked.
    if (isErrorOf(hostUnreachable, error)) throw error
    const actual = await host.get(row.id)
    if (actual?.actual === 'stopped' || actual?.bootId !== bootId) await transition(row, endedEvent(row, actual))
    else if (isErrorOf({ code: pauseAbandonedCode }, error))
      await transition(row, { type: 'pause-failed', why: 'abandoned' })
    else {
      dependencies.logger.warn({ err: error, sandboxId: row.id }, 'sandbox was not paused')
      const message = isThreadboxError(error) ? error.message : 'unexpected response'
      await transition(row, { type: 'pause-failed', why: { message } })
    }
    throw error
  }
  await transition(row, { type: 'pause-finished', paused })
}

/** True in a turn. The host’s own pause at a shutdown is never refused: it is a fact, not a decision. */
function isRefused({ isHeld }: PausingDependencies, threadId: string, cause: string | null): boolean {
  return isHeld(threadId) && cause !== ('shutdown' satisfies PauseCause)
}
