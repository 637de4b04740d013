/** Waits for the disk. Those who need it at the same time share one wait. */
export type DiskWait = {
  /** Notes that something was written that has to be on the disk. */
  note(): void
  /**
   * Resolves when everything that was noted before is on the disk. If the disk fails, this rejects, and all later calls do
   * too: the kernel reports such a failure once, and what the disk has is unknown from then on.
   */
  settled(): Promise<void>
}

/** `sync` resolves when all that was written before its call is on the disk. */
export function makeDiskWait(sync: () => Promise<void>): DiskWait {
  let noted = 0
  let onDisk = 0
  let running: Promise<void> | undefined
  const run = async () => {
    const upTo = noted
    await sync()
    onDisk = upTo
    running = undefined
  }
  return {
    note: () => {
      noted += 1
    },
    settled: async () => {
      const needed = noted
      while (onDisk < needed) {
        running ??= run()
        await running
      }
    },
  }
}
