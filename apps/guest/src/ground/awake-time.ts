/** A timer that does not run while the sandbox sleeps. */
export type AwakeTimer = { cancel(): void }

/** Time is measured in pieces of this length; a piece that took longer counts at most twice this. */
const pieceMs = 1_000

/**
 * Calls `action` after the sandbox has been awake for `ms`. The clock jumps forward by the time that a sandbox was
 * paused, so a plain timer would fire immediately after a wake.
 */
export function afterAwake(ms: number, action: () => void): AwakeTimer {
  let leftMs = ms
  let timer: NodeJS.Timeout
  const wait = () => {
    const startedAt = performance.now()
    const piece = Math.min(leftMs, pieceMs)
    timer = setTimeout(() => {
      leftMs -= Math.min(performance.now() - startedAt, piece + pieceMs)
      if (leftMs <= 0) action()
      else wait()
    }, piece)
  }
  wait()
  return { cancel: () => clearTimeout(timer) }
}
