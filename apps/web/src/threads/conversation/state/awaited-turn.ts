let awaited: string | undefined

/**
 * Stores the turn that the first message of a new thread started, so that the page of that thread announces its end.
 */
export function awaitTurn(turnId: string): void {
  awaited = turnId
}

export function awaitedTurn(): string | undefined {
  return awaited
}
