/** Returns this process's unused memory to the sandbox, so that it is not saved. Only under `--expose-gc`. */
export function releaseHeap(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** More than Node keeps of them for reads from files and sockets. */
const poolsTaken = 8

/** Replaces the pools from which Node allocates small buffers, so that used ones are freed. */
export function leaveBufferPools(): void {
  for (let taken = 0; taken < poolsTaken * 4; taken += 1) Buffer.allocUnsafe(Buffer.poolSize >>> 2).fill(0)
}
