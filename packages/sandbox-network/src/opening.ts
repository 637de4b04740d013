/** The parts of opening the network of an installation, each of which takes a starting host daemon tenths of a second. */
type OpeningSteps = { openRouter(): Promise<unknown>; installRules(): Promise<void>; startNames(): Promise<void> }

export type Opening = {
  /** Resolves when the router is open. Rules and names then begin beside everything else that the daemon does. */
  begin(): Promise<void>
  /** Resolves when the rules are in place and names resolve; rejects with the error of either. */
  finish(): Promise<void>
  /** The next `begin` starts names again. */
  forgetNames(): void
  /** The next `begin` does everything again. */
  forget(): void
}

export function makeOpening(steps: OpeningSteps): Opening {
  let begun: { router?: Promise<unknown>; rules?: Promise<void>; names?: Promise<void> } = {}
  const begin = async () => {
    begun.router ??= steps.openRouter()
    await begun.router.catch((error: unknown) => {
      delete begun.router
      throw error
    })
    begun.rules ??= steps.installRules()
    begun.names ??= steps.startNames()
    // `finish` reports these errors.
    for (const part of [begun.rules, begun.names]) part.catch(() => undefined)
  }
  return {
    begin,
    async finish() {
      await begin()
      await begun.rules
      await begun.names
    },
    forgetNames: () => void delete begun.names,
    forget: () => {
      begun = {}
    },
  }
}
