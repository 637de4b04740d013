import { isThreadboxError } from '@threadbox/errors'
import type { Logger } from '@threadbox/telemetry'
import type { System } from '../../platform/system/system.ts'
import type { ReadDefaults } from '../../threads/public.ts'
import type { HostClient } from '../host/host-client.ts'
import type { DemotionsUnderWay } from './demotions-under-way.ts'
import type { Pausing } from './pausing.ts'
import type { Room, Wait } from './room.ts'
import type { Problem } from './sandbox.models.ts'
import type { SandboxStore } from './sandboxes.store.ts'
import type { Transition } from './transitions.ts'

export type WakingDependencies = {
  store: SandboxStore
  host: HostClient
  transition: Transition
  system: System
  logger: Logger
  room: Room
  pausing: Pausing
  demotions: Pick<DemotionsUnderWay, 'settled'>
  /** False for a thread that is not there or is being deleted. */
  mayStart: (threadId: string) => Promise<boolean>
  defaults: ReadDefaults
  hashKeyOf: (sandboxId: string) => string
}

/** When it was wished for: what a report counts its time from. Begins anew when a place was waited for. */
export type Wish = { wait: Wait; startedAt: number }

/** Whoever wanted it awake has gone: nothing failed. */
export function wasGivenUp(error: unknown): boolean {
  return isThreadboxError(error) ? error.kind === 'interrupted' : error instanceof Error && error.name === 'AbortError'
}

export function problemOf(error: unknown): Problem {
  return isThreadboxError(error)
    ? { code: error.code, message: error.message }
    : { code: 'internal.unexpected', message: 'unexpected answer' }
}
