/** Runs work one at a time, in the order of the calls. A failure reaches only its own caller; the next work runs. */
export type Serial = {
  <Result>(work: () => Result | Promise<Result>): Promise<Result>
  /** Resolves when all work given before this call has ended. Never rejects. */
  settled(): Promise<void>
}

export function makeSerial(): Serial {
  let tail: Promise<unknown> = Promise.resolve()
  const serial = <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
    const mine = tail.then(work)
    tail = mine.catch(() => undefined)
    return mine
  }
  const settled = async () => void (await tail)
  return Object.assign(serial, { settled })
}
