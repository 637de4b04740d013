let awaited: string | undefined

/** Remembers the turn that the first message of a new thread began, for the page of that thread to announce its end. */
export function awaitTurn(turnId: string): void {
  awaited = turnId
}

export function awaitedTurn(): string | undefined {
  return awaited
}
