import type { PrivateAddress } from '@threadbox/domain'
import type { Firewall } from './firewall.ts'

/** The services in private networks that each sandbox can reach. The firewall lets egress connect to those of all. */
export type PrivateServices = {
  set(interfaceName: string, entries: readonly PrivateAddress[] | undefined): Promise<void>
}

export function makePrivateServices(firewall: Pick<Firewall, 'setPrivateServices'>): PrivateServices {
  const ofEach = new Map<string, readonly string[]>()
  return {
    set: async (interfaceName, entries = []) => {
      ofEach.delete(interfaceName)
      if (entries.length > 0) {
        ofEach.set(
          interfaceName,
          entries.map(({ range, port }) => `${range} ${port}`),
        )
      }
      const all = [...new Set([...ofEach.values()].flat())].toSorted()
      await firewall.setPrivateServices(
        all.map((each) => {
          const [range = '', port = ''] = each.split(' ')
          return { range, port: Number(port) }
        }),
      )
    },
  }
}
