import type {
  ChangeSandboxDetail,
  HoldSandbox,
  SandboxAction,
  SandboxDetail,
  SurvivalReport,
} from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** A thread’s sandbox: its state, how long it stays awake, and what survived its pauses. */
export function sandboxCalls(connection: Connection) {
  const at = (threadId: string, rest = '') => `/threads/${encodeURIComponent(threadId)}/sandbox${rest}`
  const act = (threadId: string, action: SandboxAction, signal?: AbortSignal) =>
    connection.json<SandboxDetail>('POST', at(threadId, `/${action}`), { signal })
  return {
    get: (threadId: string, signal?: AbortSignal) => connection.json<SandboxDetail>('GET', at(threadId), { signal }),
    /** Changes limits, also while it is running, and the thread’s own policy. */
    change: (threadId: string, request: ChangeSandboxDetail) =>
      connection.json<SandboxDetail>('PATCH', at(threadId), { json: request }),
    /** Fails with `sandbox.turn-running` during a turn. */
    pause: (threadId: string) => act(threadId, 'pause'),
    /** Concurrent calls share one wake; does nothing if awake. Aborting the call does not cancel the wake. */
    wake: (threadId: string, signal?: AbortSignal) => act(threadId, 'wake', signal),
    /** Ends all processes and restarts the sandbox from its disk. */
    restart: (threadId: string) => act(threadId, 'restart'),
    /** Moves the files of a sleeping sandbox to the archive; its saved memory is discarded. */
    archive: (threadId: string) => act(threadId, 'archive'),
    /** Restores archived files without a start. Every use of an archived sandbox restores them as well. */
    restore: (threadId: string) => act(threadId, 'restore'),
    /** Keeps the sandbox awake until the given time; null ends the hold. */
    hold: (threadId: string, request: HoldSandbox) =>
      connection.json<SandboxDetail>('POST', at(threadId, '/hold'), { json: request }),
    report: (threadId: string, reportId: string, signal?: AbortSignal) =>
      connection.json<SurvivalReport>('GET', at(threadId, `/reports/${encodeURIComponent(reportId)}`), { signal }),
    /** Restarts a process that was lost with the memory: `restartId` of an item of a report. */
    startRescued: (threadId: string, restartId: string) =>
      connection.json<unknown>('POST', at(threadId, `/rescued/${encodeURIComponent(restartId)}/start`)),
  }
}
