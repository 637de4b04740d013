import { makeSerial } from '@threadbox/concurrency'
import { type PrivateAddress, type PrivateAddressProblem, parsePrivateAddress } from '@threadbox/domain'
import { type Audit, ownerRequired, type Users } from '../../people/public.ts'
import type { Events } from '../../platform/events/events.ts'
import type { System } from '../../platform/system/system.ts'
import type { ThreadEvents } from '../threads.events.ts'
import {
  privateAddressNameInvalid,
  privateAddressPortInvalid,
  privateAddressRangeInvalid,
  privateAddressRangeRefused,
  privateAddressRangeTooWide,
} from './network.errors.ts'
import type { NetworkChanger } from './network-changer.ts'
import type { PrivateAddressStore } from './private-addresses.store.ts'

/** The services in private networks that policies can allow. They are the owner’s. */
export type PrivateAddresses = {
  /** Throws `auth.owner-required`. */
  listFor(userId: string): Promise<PrivateAddress[]>
  /** In the order of their names. */
  list(): Promise<PrivateAddress[]>
  /**
   * Replaces all. Throws `auth.owner-required`, and `private-address.*` for the first entry that can’t be stored. Returns
   * when it is applied to sandboxes.
   */
  set(addresses: readonly PrivateAddress[], by: NetworkChanger): Promise<PrivateAddress[]>
}

export function makePrivateAddresses(dependencies: {
  store: PrivateAddressStore
  users: Pick<Users, 'administers'>
  audit: Audit
  events: Pick<Events<ThreadEvents>, 'emit'>
  system: System
}): PrivateAddresses {
  const { store, users, audit, events, system } = dependencies
  const inTurn = makeSerial()
  const requireOwner = async (userId: string) => {
    if (!(await users.administers(userId))) throw ownerRequired({})
  }
  const change = async (wanted: readonly PrivateAddress[], userId: string) => {
    const [before, after] = [wordsOf(await store.all()), wordsOf(wanted)]
    if (before === after) return
    await store.replace(wanted, system.now())
    await audit.record({
      userId,
      action: 'private-addresses-changed',
      subject: 'installation',
      before: { addresses: before },
      after: { addresses: after },
    })
  }
  return {
    list: store.all,
    listFor: async (userId) => {
      await requireOwner(userId)
      return await store.all()
    },
    set: async (addresses, by) => {
      await requireOwner(by.userId)
      const wanted = checkedAddresses(addresses)
      await inTurn(() => change(wanted, by.userId))
      await events.emit('network-changed', {})
      return await store.all()
    },
  }
}

function checkedAddresses(addresses: readonly PrivateAddress[]): PrivateAddress[] {
  const checked = addresses.map((entry) => {
    const parsed = parsePrivateAddress(entry)
    if ('problem' in parsed) throw errors[parsed.problem]({ entry: wordsOf([entry]).slice(0, longestShown) })
    return parsed
  })
  const keys = new Map(checked.map((entry) => [wordsOf([entry]), entry]))
  return [...keys].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry)
}

const longestShown = 100

const errors = {
  name: privateAddressNameInvalid,
  port: privateAddressPortInvalid,
  range: privateAddressRangeInvalid,
  'range-too-wide': privateAddressRangeTooWide,
  'range-refused': privateAddressRangeRefused,
} satisfies Record<PrivateAddressProblem, unknown>

function wordsOf(addresses: readonly PrivateAddress[]): string {
  return addresses.map(({ name, port, range }) => `${name}:${port} ${range}`).join(', ')
}
