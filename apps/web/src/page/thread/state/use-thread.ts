import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { useClient } from '../../client/client.ts'
import { makeThreadStore, type ThreadSnapshot, type ThreadStore } from './thread-store.ts'

const empty: ThreadSnapshot = { state: null, error: null, isLoadingOlder: false, outgoing: [] }

/** Follows one conversation for as long as the component is mounted. */
export function useThread(threadId: string): ThreadSnapshot & { store: ThreadStore | null } {
  const client = useClient()
  const holder = useMemo(() => {
    let store: ThreadStore | null = null
    const listeners = new Set<() => void>()
    return {
      open: () => {
        store = makeThreadStore({ client, threadId })
        const stop = store.subscribe(() => {
          for (const listener of listeners) listener()
        })
        for (const listener of listeners) listener()
        return () => {
          stop()
          store?.close()
          store = null
        }
      },
      subscribe: (listener: () => void) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      store: () => store,
      snapshot: () => store?.get() ?? empty,
    }
  }, [client, threadId])
  useEffect(() => holder.open(), [holder])
  const snapshot = useSyncExternalStore(holder.subscribe, holder.snapshot)
  return { ...snapshot, store: holder.store() }
}
