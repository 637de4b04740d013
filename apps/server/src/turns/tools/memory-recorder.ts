import type { RunRecorder } from './run-recorder.ts'

/**
 * Takes what a run prints into memory, for a run of ours whose output is an answer and nothing to be shown. Nothing is
 * acknowledged, so after a crash it can be read again from the beginning.
 */
export function makeMemoryRecorder(limitBytes: number): RunRecorder & { text(): string } {
  const pieces: Uint8Array[] = []
  let sizeBytes = 0
  return {
    write: async (data) => {
      // What is beyond the limit is counted and thrown away: such an answer is none.
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
