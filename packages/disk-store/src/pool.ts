/** A mounted btrfs whose content below {@link Pool.root} belongs to a disk store. */
export type Pool = {
  root: string
  /** Whether the whole file system belongs to threadbox, including its quotas. */
  isOwn: boolean
  /** What must stay free for others on the same file system. */
  keepFreeBytes: number
  /** Creates, mounts and grows the pool as configured. Does nothing if it is prepared. */
  prepare(): Promise<void>
  /** Unmounts the pool. Throws `disk.pool-busy` while it is in use. */
  close(): Promise<void>
}
