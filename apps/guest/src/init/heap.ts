/** Gives memory that this process needs no more back to the sandbox, so that it is not saved. Only under `--expose-gc`. */
export function releaseHeap(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
