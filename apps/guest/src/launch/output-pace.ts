/**
 * Limits how fast a program's output is read, so that one that prints without end cannot take the host's processors and
 * disk: at most `burstBytes` at one time and `bytesPerSecond` sustained. The program waits; nothing is lost.
 */
export type OutputPace = {
  /** Counts bytes that were read. Returns for how many milliseconds nothing more can be read; 0 if reading continues. */
  took(sizeBytes: number, nowMs: number): number
}

/**
 * 20 MB/s is the sustained limit of the design of hostile sandboxes. One second's worth passes at full speed, so that
 * ordinary programs are never slowed down.
 */
const defaultBytesPerSecond = 20_000_000
/** Shorter waits are collected: each one costs a pause and a timer. */
const shortestWaitMs = 10

/** `nowMs` must not go back. A jump forward, as after a sleep, gives no more than one burst. */
export function makeOutputPace(limits: { bytesPerSecond?: number; burstBytes?: number } = {}): OutputPace {
  const bytesPerSecond = limits.bytesPerSecond ?? defaultBytesPerSecond
  const burstBytes = limits.burstBytes ?? bytesPerSecond
  let allowedBytes = burstBytes
  let countedAtMs: number | undefined
  return {
    took: (sizeBytes, nowMs) => {
      const gained = ((nowMs - (countedAtMs ?? nowMs)) * bytesPerSecond) / 1000
      countedAtMs = nowMs
      allowedBytes = Math.min(burstBytes, allowedBytes + gained) - sizeBytes
      const waitMs = Math.ceil((-allowedBytes * 1000) / bytesPerSecond)
      return waitMs >= shortestWaitMs ? waitMs : 0
    },
  }
}
