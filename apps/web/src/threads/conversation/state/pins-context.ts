import { createContext, useContext } from 'react'

/** The turns whose end the user keeps. */
export type Pins = {
  pinnedTurnIds: ReadonlySet<string>
  runningTurnId: string | undefined
  setPin: (turnId: string, isPinned: boolean) => Promise<void>
}

const PinsContext = createContext<Pins | null>(null)
export const PinsProvider = PinsContext.Provider

export function usePins(): Pins {
  const pins = useContext(PinsContext)
  if (pins === null) throw new TypeError('usePins needs a PinsProvider above it')
  return pins
}
