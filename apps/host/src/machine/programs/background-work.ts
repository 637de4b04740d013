import { setTimeout as delay } from 'node:timers/promises'
import { makeSerial } from '@threadbox/concurrency'
import { isMachineIdle } from './machine-pressure.ts'

/** Lets work that can wait yield to what a person waits for. */
export type BackgroundWork = {
  /** Runs what a person waits for; other work begins shortly after its end. */
  holdOffDuring<Result>(work: () => Promise<Result>): Promise<Result>
  /** Resolves when nothing is held off, after `overdueMs` at the latest, or when closed. */
  moment(overdueMs: number): Promise<void>
  /** Runs work that can wait, one after another. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>
  /** Whether work can begin now: nothing is held off, no other such work runs, and the machine isn’t busy. */
  isFree(): Promise<boolean>
  close(): void
}

/** A thread that has just got a sandbox is about to run something: work that can wait begins after that. */
export const pauseAfterMs = 700
/** Longest delay of a refill: where sandboxes are started all the time, no quiet moment comes. */
export const overdueAfterMs = 15_000
const pollEveryMs = 50

export function makeBackgroundWork(isIdle: () => Promise<boolean> = isMachineIdle): BackgroundWork {
  const ended = new AbortController()
  const inOrder = makeSerial()
  let holds = 0
  let freeAt = 0
  let running = 0
  const isHeldOff = () => holds > 0 || performance.now() < freeAt
  return {
    holdOffDuring: async (work) => {
      holds += 1
      try {
        return await work()
      } finally {
        holds -= 1
        freeAt = performance.now() + pauseAfterMs
      }
    },
    moment: async (overdueMs) => {
      const until = performance.now() + overdueMs
      while (!ended.signal.aborted && performance.now() < until && isHeldOff()) {
        await delay(pollEveryMs, undefined, { signal: ended.signal }).catch(() => undefined)
      }
    },
    inTurn: (work) => {
      running += 1
      return inOrder(work).finally(() => {
        running -= 1
      })
    },
    isFree: async () => !isHeldOff() && running === 0 && (await isIdle()),
    close: () => ended.abort(),
  }
}
