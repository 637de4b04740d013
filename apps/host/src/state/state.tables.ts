import type { BootEndCause } from '@threadbox/protocol/host'

/** Tables of the host's own state. Times are ms since epoch; egress and ends are JSON. */
export type StateTables = {
  sandboxes: SandboxesTable
  boots: BootsTable
  facts: { name: string; value: string }
}

export type SandboxesTable = {
  sandboxId: string
  imageId: string
  memoryBytes: number
  cpus: number
  processes: number
  diskBytes: number
  egress: string
  /** The sandbox's own for as long as it exists, also while nothing runs. */
  address: string
  createdAt: number
  /** 1 once its deletion was ordered: it is finished after a crash, never undone. */
  isDeleting: 0 | 1
}

export type BootsTable = {
  bootId: string
  sandboxId: string
  /** `starting`: nobody was told of it yet, so a crash undoes it. */
  state: 'starting' | 'ready' | 'ended'
  startedAt: number
  hostname: string
  guestDirectory: string
  /** Guards the guest of this boot. Leaves this file only as a header to that guest. Emptied at the end. */
  accessToken: string
  endedAt: number | null
  endCause: BootEndCause | null
  endDetail: string | null
}
