import { makeSingleFlight, type SingleFlight } from '@threadbox/concurrency'

/** Sandboxes whose memory is being discarded. A wake waits for that. */
export type DemotionsUnderWay = {
  /** By sandbox, including those in the queue. */
  running: SingleFlight<void>
  /** Those that the host is demoting. */
  begun: Set<string>
  /** Resolves when the host is not demoting this sandbox. */
  settled(sandboxId: string): Promise<void>
}

export function makeDemotionsUnderWay(): DemotionsUnderWay {
  const running = makeSingleFlight()
  const begun = new Set<string>()
  return {
    running,
    begun,
    // A demotion that is still in the queue finds the sandbox wanted, and does nothing.
    settled: async (sandboxId) => {
      if (begun.has(sandboxId)) await running.present(sandboxId)
    },
  }
}
