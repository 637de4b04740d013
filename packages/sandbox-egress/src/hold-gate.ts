/** Whether nothing may be read for a connection right now. */
export type HoldGate = {
  isHeld(): boolean
  hold(isHeld: boolean): void
  /** Called after each change. Returns how to stop that. */
  onChange(listener: () => void): () => void
}

export function makeHoldGate(isHeldAtFirst: boolean): HoldGate {
  const listeners = new Set<() => void>()
  let isHeld = isHeldAtFirst
  return {
    isHeld: () => isHeld,
    hold: (wanted) => {
      if (wanted === isHeld) return
      isHeld = wanted
      for (const listener of [...listeners]) listener()
    },
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
