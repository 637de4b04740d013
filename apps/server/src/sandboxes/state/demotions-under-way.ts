import { makeSingleFlight, type SingleFlight } from '@threadbox/concurrency'

/** Sandboxes whose memory is being given up now. Whoever wants one of them awake waits for that. */
export type DemotionsUnderWay = {
  /** By sandbox, those too that wait for their turn. */
  running: SingleFlight<void>
  /** Those of which the host is giving memory up. */
  begun: Set<string>
  /** Resolves when this sandbox's memory is not being given up, now or any more. */
  settled(sandboxId: string): Promise<void>
}

export function makeDemotionsUnderWay(): DemotionsUnderWay {
  const running = makeSingleFlight()
  const begun = new Set<string>()
  return {
    running,
    begun,
    // One that only waits for its turn finds the sandbox wanted, and does nothing.
    settled: async (sandboxId) => {
      if (begun.has(sandboxId)) await running.present(sandboxId)
    },
  }
}
