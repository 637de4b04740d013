import type { OutputRecorder } from './run-recorder.ts'

/**
 * Collects the output of an internal execution in memory, for a result that isn't shown as output. Nothing is
 * acknowledged, so that it can be read again from the start after a crash.
 */
export function makeMemoryRecorder(limitBytes: number): OutputRecorder & { text(): string } {
  const pieces: Uint8Array[] = []
  let sizeBytes = 0
  return {
    write: async (data) => {
      // Output beyond the limit is counted and discarded: `text` then returns an empty string.
      if (sizeBytes + data.length <= limitBytes) pieces.push(data)
      sizeBytes += data.length
    },
    display: async () => undefined,
    flush: async () => undefined,
    tail: () => ({ tail: '', tailOffset: sizeBytes, sizeBytes }),
    acknowledgeTo: () => undefined,
    text: () => (sizeBytes > limitBytes ? '' : Buffer.concat(pieces).toString('utf8')),
  }
}
