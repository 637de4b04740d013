import type { SandboxDriver } from '@threadbox/sandbox-driver'
import type { StoredBoot } from '../../machine/state/boots.store.ts'

/** How much memory a boot that is about to start will need, as far as that can be known. */
export type BootMemory = {
  /** In bytes. */
  neededBytes(): Promise<number>
}

const MiB = 1024 * 1024
/** Until boots of this machine were measured: guest and kernel of a Python user, with a margin. */
const unmeasuredBytes = 256 * MiB
/** A guest with its first command holds 58 MiB, a Python kernel 36 more (docs/performance.md). */
const leastBytes = 96 * MiB
/** The newest: what threads were used for months ago says little, and each reading takes some files. */
const measuredBoots = 20
/** With fewer, one large program would decide. */
const fewestBoots = 3
const freshMs = 30_000

/**
 * The median of what awake boots hold, of the newest ones. A larger share would refuse starts because of a few large
 * programs, and what a boot takes later is limited by the host’s reserve and by its own limit.
 */
export function makeBootMemory(ports: {
  driver: Pick<SandboxDriver, 'inspect'>
  boots: { listCurrent(): Promise<Pick<StoredBoot, 'driverBootId' | 'startedAt' | 'state'>[]> }
  clock: () => number
}): BootMemory {
  let known: { bytes: number; at: number } | undefined
  const measure = async () => {
    const awake = (await ports.boots.listCurrent()).filter(({ state }) => state === 'ready')
    const newest = awake.toSorted((one, other) => other.startedAt - one.startedAt).slice(0, measuredBoots)
    const found = await Promise.all(newest.map(({ driverBootId }) => ports.driver.inspect(driverBootId)))
    const held = found.flatMap((status) => (status?.state === 'running' ? (status.memoryBytes ?? []) : []))
    if (held.length < fewestBoots) return unmeasuredBytes
    return Math.max(leastBytes, held.toSorted((one, other) => one - other)[Math.floor(held.length / 2)] ?? 0)
  }
  return {
    neededBytes: async () => {
      const now = ports.clock()
      if (known === undefined || now - known.at >= freshMs) known = { bytes: await measure(), at: now }
      return known.bytes
    },
  }
}
