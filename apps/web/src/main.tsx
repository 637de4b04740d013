import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Providers } from './app/providers.tsx'
import { makeRouter } from './app/router.tsx'
import { startTexts } from './i18n/language.ts'
import { makePageClient } from './page/client/page-client.ts'
import { makeQueryClient } from './page/client/query-client.ts'
import { queryKeys } from './page/client/query-keys.ts'
import { startTheme } from './page/client/theme.ts'
import './styles/index.css'

const client = makePageClient()
const queryClient = makeQueryClient({ onSignedOut: () => leave() })
const router = makeRouter({ client, queryClient })

/** The session ended while the app was open: the login brings the person back to the same place. */
function leave(): void {
  const location = router.state.location
  const isAtTheDoor = location.pathname === '/login' || location.pathname === '/setup'
  // Whoever was never let in is led to the door by the router, and not told that they were signed out.
  if (isAtTheDoor || queryClient.getQueryData(queryKeys.me) === undefined) return
  queryClient.clear()
  void router.navigate({ to: '/login', search: { return: location.href, expired: true } })
}

async function start(): Promise<void> {
  startTheme()
  await startTexts()
  const root = document.getElementById('root')
  if (root === null) throw new TypeError('index.html has no element with the id root')
  createRoot(root).render(
    <StrictMode>
      <Providers client={client} queryClient={queryClient}>
        <RouterProvider router={router} />
      </Providers>
    </StrictMode>,
  )
}

void start()
