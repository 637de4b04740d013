/** A mounted btrfs in which a disk store may do what it wants below {@link Pool.root}. */
export type Pool = {
  root: string
  /** Whether the whole file system is ours, so that its quotas are too. */
  isOwn: boolean
  /** What must stay free for others on the same file system. */
  keepFreeBytes: number
  /** Makes, mounts and grows it as configured. Called again: changes nothing. */
  prepare(): Promise<void>
  /** Unmounts it. Throws `disk.pool-busy` while it is in use. */
  close(): Promise<void>
}
