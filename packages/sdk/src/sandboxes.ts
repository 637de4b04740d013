import type {
  ChangeSandboxDetail,
  HoldSandbox,
  SandboxAction,
  SandboxDetail,
  SurvivalReport,
} from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** A thread's computer: its state, how long it stays awake, and what survived its pauses. */
export function sandboxCalls(connection: Connection) {
  const at = (threadId: string, rest = '') => `/threads/${encodeURIComponent(threadId)}/sandbox${rest}`
  const act = (threadId: string, action: SandboxAction, signal?: AbortSignal) =>
    connection.json<SandboxDetail>('POST', at(threadId, `/${action}`), { signal })
  return {
    get: (threadId: string, signal?: AbortSignal) => connection.json<SandboxDetail>('GET', at(threadId), { signal }),
    /** Changes limits, also while it runs, and the thread's own policy. */
    change: (threadId: string, request: ChangeSandboxDetail) =>
      connection.json<SandboxDetail>('PATCH', at(threadId), { json: request }),
    /** Refused with `sandbox.turn-running` while an answer is being made. */
    pause: (threadId: string) => act(threadId, 'pause'),
    /** Calls at the same time join; awake already is no error. Aborting the call does not take the wake back. */
    wake: (threadId: string, signal?: AbortSignal) => act(threadId, 'wake', signal),
    /** Ends every process and starts again over the same disk. */
    restart: (threadId: string) => act(threadId, 'restart'),
    /** Keeps it awake until then; null ends the hold. */
    hold: (threadId: string, request: HoldSandbox) =>
      connection.json<SandboxDetail>('POST', at(threadId, '/hold'), { json: request }),
    report: (threadId: string, reportId: string, signal?: AbortSignal) =>
      connection.json<SurvivalReport>('GET', at(threadId, `/reports/${encodeURIComponent(reportId)}`), { signal }),
    /** Starts a process that ended with the memory again: `restartId` of an item of a report. */
    startRescued: (threadId: string, restartId: string) =>
      connection.json<unknown>('POST', at(threadId, `/rescued/${encodeURIComponent(restartId)}/start`)),
  }
}
