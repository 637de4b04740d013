import { placeAwaited } from '../../people/public.ts'
import { actingRequest } from '../../platform/http/acting-request.ts'
import type { AwakeLimits } from './awake-limits.ts'
import { quietMs } from './least-used.ts'
import type { WakeQueue } from './room.ts'

/**
 * How long a request waits for one of its person’s places. Many programs cancel a request after 10 s, and would not
 * learn why it took so long.
 */
export const placeWaitMs = 8000
/** An earlier attempt rarely gets its place: a sandbox that has just become idle isn’t paused for another one yet. */
const retryAfterSeconds = quietMs / 1000

/** Lets requests whose sender sees no queue wait for a place for a short time only. */
export type BriefWait = {
  /** True while a request is served that has an API key, or is from a person without an open page. */
  applies(): boolean
  /** Rejects with `quota.place-awaited` and aborts the signal when the thread has waited for long enough. */
  within<Result>(
    wait: { threadId: string; signal: AbortSignal | undefined },
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result>
}

export function makeBriefWait(parts: {
  wakeQueue: Pick<WakeQueue, 'positionOf'>
  limits: Pick<AwakeLimits, 'usedOf' | 'showsQueue'>
}): BriefWait {
  const refusalOf = async (threadId: string): Promise<Error | undefined> => {
    const state = await parts.limits.usedOf(threadId)
    // Read last: what has its place by now is not refused.
    const waits = parts.wakeQueue.positionOf(threadId)?.reason === 'limit'
    return state === undefined || !waits
      ? undefined
      : placeAwaited({ quota: 'awakeSandboxes', ...state, retryAfterSeconds })
  }
  return {
    applies: () => {
      const caller = actingRequest()?.caller
      return caller != null && (caller.apiKeyId !== null || !parts.limits.showsQueue(caller.userId))
    },
    within: async ({ threadId, signal }, work) => {
      const refused = new AbortController()
      const check = async () => {
        const refusal = await refusalOf(threadId)
        if (refusal !== undefined) refused.abort(refusal)
      }
      // Again and again: the wait for the place can begin long after the request.
      const timer = setInterval(() => void check().catch(() => undefined), placeWaitMs)
      try {
        return await work(AbortSignal.any([refused.signal, ...(signal === undefined ? [] : [signal])]))
      } finally {
        clearInterval(timer)
      }
    },
  }
}
