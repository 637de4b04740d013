import { isThreadboxError } from '@threadbox/errors'
import type { Logger } from '@threadbox/telemetry'
import type { System } from '../../platform/system/system.ts'
import type { ReadDefaults } from '../../threads/public.ts'
import type { HostClient } from '../host/host-client.ts'
import type { DemotionsUnderWay } from './demotions-under-way.ts'
import type { Pausing } from './pausing.ts'
import type { Wait, WakeQueue } from './room.ts'
import type { Problem } from './sandbox.logic.ts'
import type { SandboxEgress } from './sandbox-egress.ts'
import type { SandboxStore } from './sandboxes.store.ts'
import type { Transition } from './transitions.ts'

export type WakingDependencies = {
  store: SandboxStore
  host: HostClient
  transition: Transition
  system: System
  logger: Logger
  wakeQueue: WakeQueue
  pausing: Pausing
  demotions: Pick<DemotionsUnderWay, 'settled'>
  /** False for a thread that does not exist or is being deleted. */
  mayStart: (threadId: string) => Promise<boolean>
  defaults: ReadDefaults
  egress: Pick<SandboxEgress, 'ordered' | 'confirm'>
  hashKeyOf: (sandboxId: string) => string
}

/** A report counts the time of a wake from `startedAt`, which is set again after a wait for memory. */
export type WakeRequest = { wait: Wait; startedAt: number }

/** True if the wait was canceled: nothing failed. */
export function wasCanceled(error: unknown): boolean {
  return isThreadboxError(error) ? error.kind === 'interrupted' : error instanceof Error && error.name === 'AbortError'
}

export function problemOf(error: unknown): Problem {
  return isThreadboxError(error)
    ? { code: error.code, message: error.message }
    : { code: 'internal.unexpected', message: 'unexpected response' }
}
