import { makeSerial } from '@threadbox/concurrency'
import { addressIn } from '@threadbox/sandbox-network'
import type { VirtualNamesStore } from '../state/virtual-names.store.ts'

const dayMs = 24 * 60 * 60 * 1000
/** Programs that keep an address longer than its name’s time to live must not reach another name with it. */
const keptMs = 30 * dayMs
/** Of the 16,384 addresses; a sandbox can make up as many names below a wildcard as it likes. */
const mostUnlisted = 12_288

/** Assigns the addresses that stand for names. */
export function makeVirtualNames(options: { names: VirtualNamesStore; clock: () => number }): {
  /** Undefined: none is free, and none was unused for 30 days. */
  obtain(wanted: { name: string; isListed: boolean; range: string }): Promise<string | undefined>
} {
  const { names, clock } = options
  const inTurn = makeSerial()
  const obtain = async ({ name, isListed, range }: { name: string; isListed: boolean; range: string }) => {
    const usedAt = clock()
    const listed = isListed ? 1 : 0
    const known = await names.find(name)
    if (known !== undefined) {
      const isStale = usedAt - known.usedAt > dayMs || known.isListed < listed
      if (isStale) await names.change(known.address, { usedAt, isListed: known.isListed === 1 ? 1 : listed })
      return known.address
    }
    const mayAdd = isListed || (await names.count({ isListed: 0 })) < mostUnlisted
    const free = mayAdd ? addressIn(range, (await names.count('all')) + 1) : undefined
    if (free !== undefined) {
      await names.insert({ address: free, name, isListed: listed, usedAt })
      return free
    }
    const before = usedAt - keptMs
    const unused = await names.findUnused(isListed ? { before } : { before, isListed: 0 })
    if (unused === undefined) return undefined
    await names.change(unused.address, { name, isListed: listed, usedAt })
    return unused.address
  }
  return { obtain: (wanted) => inTurn(() => obtain(wanted)) }
}
