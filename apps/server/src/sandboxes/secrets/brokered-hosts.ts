import type { UsableSecrets } from '../../threads/public.ts'
import type { ReadBrokeredHosts } from '../state/sandbox-egress.ts'

/** The hosts of the secrets that threads have, but not of values that are in their sandboxes anyway. */
export function makeBrokeredHosts(usable: Pick<UsableSecrets, 'ofThreads'>): ReadBrokeredHosts {
  return async (threadIds) => {
    const secrets = await usable.ofThreads(threadIds)
    return (threadId) => {
      const brokered = (secrets.get(threadId) ?? []).filter(({ way }) => way === 'brokered')
      return [...new Set(brokered.flatMap(({ rules }) => rules.hosts))].toSorted()
    }
  }
}
