import { makeSerial } from '@threadbox/concurrency'
import { firstFreeAddress } from '@threadbox/sandbox-network'
import type { SandboxesStore } from '../state/sandboxes.store.ts'
import type { SparesStore } from '../state/spares.store.ts'

/**
 * Assigns addresses. An address belongs to its sandbox until the sandbox is deleted, or continues from the memory of an
 * earlier moment.
 */
export type AddressBook = {
  /** Passes the first free address to `record`, which must store it before it resolves. */
  assign<Result>(record: (address: string) => Promise<Result>): Promise<Result>
}

export function makeAddressBook(options: {
  sandboxes: SandboxesStore
  spares: SparesStore
  addresses: () => Iterable<string>
  /** The address range, for the error when it is used up. */
  pool: string
}): AddressBook {
  // One at a time, so that two sandboxes never read the same list and choose the same address.
  const serial = makeSerial()
  const assign = async <Result>(record: (address: string) => Promise<Result>) => {
    const owners = [...(await options.sandboxes.list()), ...(await options.spares.list())]
    const taken = new Set(owners.map((owner) => owner.address))
    return await record(firstFreeAddress({ addresses: options.addresses(), taken, pool: options.pool }))
  }
  return {
    assign: (record) => serial(() => assign(record)),
  }
}
