import type { ThreadboxClient } from '@threadbox/sdk'
import { createContext, useContext } from 'react'

const ClientContext = createContext<ThreadboxClient | null>(null)
export const ClientProvider = ClientContext.Provider

/** The API of this installation. */
export function useClient(): ThreadboxClient {
  const client = useContext(ClientContext)
  if (client === null) throw new TypeError('useClient needs a ClientProvider above it')
  return client
}
