import { makeSerial, type Serial } from './serial.ts'

/**
 * Runs work on the same key one at a time, in the order of the calls; work on different keys runs in parallel. A
 * failure reaches only its own caller. Not reentrant: work that takes its own key again waits forever.
 */
export type KeyedLock = {
  <Result>(key: string, work: () => Promise<Result>): Promise<Result>
  /** Whether work on this key runs or waits: from the call until its end. */
  isBusy(key: string): boolean
  /** Resolves when all work given before this call has ended, of this key or of all keys. Never rejects. */
  settled(key?: string): Promise<void>
}

export function makeKeyedLock(): KeyedLock {
  const lines = new Map<string, { serial: Serial; count: number }>()
  const lock = async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const line = lines.get(key) ?? { serial: makeSerial(), count: 0 }
    lines.set(key, line)
    line.count += 1
    try {
      return await line.serial(work)
    } finally {
      line.count -= 1
      if (line.count === 0) lines.delete(key)
    }
  }
  const settled = async (key?: string) => {
    const waited = key === undefined ? [...lines.values()] : [lines.get(key)]
    await Promise.all(waited.map((line) => line?.serial.settled()))
  }
  return Object.assign(lock, { isBusy: (key: string) => lines.has(key), settled })
}
