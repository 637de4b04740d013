/** What of a sandbox's files has arrived from the archive. */
export type Restoring = { restoredBytes: number }

/** Restores in progress, for what people see of them. */
export type Restorations = {
  /** Shows a restore until the result is disposed of. */
  begin(sandboxId: string): Disposable & { add(bytes: number): void }
  of(sandboxId: string): Restoring | undefined
}

export function makeRestorations(): Restorations {
  const present = new Map<string, Restoring>()
  return {
    begin: (sandboxId) => {
      const restoring = { restoredBytes: 0 }
      present.set(sandboxId, restoring)
      return {
        add: (bytes) => {
          restoring.restoredBytes += bytes
        },
        [Symbol.dispose]: () => void present.delete(sandboxId),
      }
    },
    of: (sandboxId) => present.get(sandboxId),
  }
}
