import { useEffect, useMemo } from 'react'
import { useStore } from 'zustand'
import { useClient } from '../../client/client.ts'
import { makeThreadStore, type ThreadSnapshot, type ThreadStore } from './thread-store.ts'

/** Follows one conversation as long as the component is mounted. */
export function useThread(threadId: string): ThreadSnapshot & { store: ThreadStore } {
  const client = useClient()
  const store = useMemo(() => makeThreadStore({ client, threadId }), [client, threadId])
  useEffect(() => store.follow(), [store])
  return { ...useStore(store.conversation), store }
}
