import { RouterProvider } from '@tanstack/react-router'
import { createClient } from '@threadbox/sdk'
import { createRoot } from 'react-dom/client'
import { Providers } from '../src/app/providers.tsx'
import { makeRouter } from '../src/app/router.tsx'
import { startTexts } from '../src/i18n/language.ts'
import { makeQueryClient } from '../src/page/client/query-client.ts'
import { startTheme } from '../src/page/client/theme.ts'
import '../src/styles/index.css'
import { answer } from './recorded-server.ts'

/**
 * The real app with recorded responses instead of a server, to view it while its styles are changed:
 * `/dev/index.html?path=/threads/forecast`. Served only by the development server; not part of the build.
 */
const path = new URLSearchParams(location.search).get('path') ?? '/threads/forecast'
history.replaceState(null, '', path)

const client = createClient({
  fetch: async (input, init) => answer(new Request(new URL(String(input), location.origin), init)),
})
const queryClient = makeQueryClient({ onSignedOut: () => undefined })
const router = makeRouter({ client, queryClient })

startTheme()
await startTexts()
const root = document.getElementById('root')
if (root === null) throw new TypeError('index.html has no element with the id root')
createRoot(root).render(
  <Providers client={client} queryClient={queryClient}>
    <RouterProvider router={router} />
  </Providers>,
)
