/** Models that failed often, so that they are not asked for a while. */
export type Circuits = {
  isOpen(modelId: string): boolean
  failed(modelId: string): void
  succeeded(modelId: string): void
}

const failuresToOpen = 3
const countedMs = 60_000
const openMs = 60_000

/**
 * Three failures within a minute open the circuit of a model for a minute; then one request tries it again. Only in
 * memory: after a restart of the server each model is tried.
 */
export function makeCircuits(now: () => number): Circuits {
  const failures = new Map<string, number[]>()
  const openUntil = new Map<string, number>()
  return {
    isOpen: (modelId) => (openUntil.get(modelId) ?? 0) > now(),
    failed: (modelId) => {
      const recent = [...(failures.get(modelId) ?? []), now()].filter((at) => at > now() - countedMs)
      failures.set(modelId, recent.slice(-failuresToOpen))
      if (recent.length >= failuresToOpen) openUntil.set(modelId, now() + openMs)
    },
    succeeded: (modelId) => {
      failures.delete(modelId)
      openUntil.delete(modelId)
    },
  }
}
