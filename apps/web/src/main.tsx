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

/** The session ended while the app was open. After signing in you return to the same page. */
function leave(): void {
  const location = router.state.location
  const isSignedOutPage = location.pathname === '/login' || location.pathname === '/setup'
  // Without an earlier session the router opens the sign-in page, without the message that the session ended.
  if (isSignedOutPage || queryClient.getQueryData(queryKeys.me) === undefined) return
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
