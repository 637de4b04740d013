/** Gives memory that this process needs no more back to the sandbox, so that it is not saved. Only under `--expose-gc`. */
export function releaseHeap(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** More than Node keeps of them for what is read from files and sockets. */
const poolsTaken = 8

/** Takes the places out of which Node gives small buffers, so that those that were used go. */
export function leaveBufferPools(): void {
  for (let taken = 0; taken < poolsTaken * 4; taken += 1) Buffer.allocUnsafe(Buffer.poolSize >>> 2).fill(0)
}
