/** Capabilities of an implementation beyond the contract's minimum. Tests that need a missing one are skipped. */
export type DiskStoreAbilities = {
  /** A write beyond the limit fails inside the disk. */
  enforcesLimits: boolean
  /** Even root cannot write to an image or a snapshot. */
  freezesImages: boolean
  /** Disks can have snapshots without evading their limits. */
  makesSnapshots: boolean
}
