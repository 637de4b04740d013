/** The sleep of a loop that looks at what is due, and that somebody may wake. */
export type NudgedSleep = {
  /** Forgets nudges of before: what is looked at from here on is as new as they are. */
  begin(): void
  /** Somebody nudged since the loop began to look. */
  readonly hasNews: boolean
  nudge(): void
  /** Ends after this time, or with the next nudge. */
  sleep(delayMs: number): Promise<void>
}

export function makeNudgedSleep(): NudgedSleep {
  let hasNews = false
  let wake = () => {}
  return {
    begin: () => {
      hasNews = false
    },
    get hasNews() {
      return hasNews
    },
    nudge: () => {
      hasNews = true
      wake()
    },
    sleep: (delayMs) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, delayMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
  }
}
