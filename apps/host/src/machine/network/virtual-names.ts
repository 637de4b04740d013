import { makeSerial } from '@threadbox/concurrency'
import { addressIn } from '@threadbox/sandbox-network'
import type { VirtualNamesTable } from '../state/state.tables.ts'
import type { VirtualNamesStore } from '../state/virtual-names.store.ts'

const dayMs = 24 * 60 * 60 * 1000
/** Programs that keep an address longer than its name’s time to live must not reach another name with it. */
const keptMs = 30 * dayMs
/** Of the 16,384 addresses; a sandbox can make up as many names below a wildcard as it likes. */
const mostUnlisted = 12_288

type NameRequest = { name: string; isListed: boolean; range: string }

/**
 * Assigns the addresses that stand for names. What is asked for during a commit shares the next one: a sandbox that asks for
 * many new names delays others by little.
 */
export function makeVirtualNames(options: { names: VirtualNamesStore; clock: () => number }): {
  /** Undefined: none is free, and none was unused for 30 days. */
  obtain(wanted: NameRequest): Promise<string | undefined>
} {
  const { names, clock } = options
  const inTurn = makeSerial()
  let waiting: { wanted: NameRequest; found: PromiseWithResolvers<string | undefined> }[] = []
  const assignAll = async () => {
    const batch = waiting
    waiting = []
    if (batch.length === 0) return
    try {
      const addresses = await names.together(async (store) => {
        const assigned: (string | undefined)[] = []
        for (const { wanted } of batch) assigned.push(await assign({ store, usedAt: clock() }, wanted))
        return assigned
      })
      for (const [index, { found }] of batch.entries()) found.resolve(addresses[index])
    } catch (error) {
      for (const { found } of batch) found.reject(error)
    }
  }
  return {
    obtain: async (wanted) => {
      const known = await names.find(wanted.name)
      if (known !== undefined && !isStale(known, { ...wanted, usedAt: clock() })) return known.address
      const found = Promise.withResolvers<string | undefined>()
      waiting.push({ wanted, found })
      void inTurn(assignAll)
      return await found.promise
    },
  }
}

async function assign(
  { store, usedAt }: { store: VirtualNamesStore; usedAt: number },
  { name, isListed, range }: NameRequest,
): Promise<string | undefined> {
  const listed = isListed ? 1 : 0
  const known = await store.find(name)
  if (known !== undefined) {
    if (isStale(known, { isListed, usedAt })) {
      await store.change(known.address, { usedAt, isListed: known.isListed === 1 ? 1 : listed })
    }
    return known.address
  }
  const mayAdd = isListed || (await store.count({ isListed: 0 })) < mostUnlisted
  const free = mayAdd ? addressIn(range, (await store.count('all')) + 1) : undefined
  if (free !== undefined) {
    await store.insert({ address: free, name, isListed: listed, usedAt })
    return free
  }
  const before = usedAt - keptMs
  const unused = await store.findUnused(isListed ? { before } : { before, isListed: 0 })
  if (unused === undefined) return undefined
  await store.change(unused.address, { name, isListed: listed, usedAt })
  return unused.address
}

function isStale(known: VirtualNamesTable, wanted: { isListed: boolean; usedAt: number }): boolean {
  return wanted.usedAt - known.usedAt > dayMs || known.isListed < (wanted.isListed ? 1 : 0)
}
