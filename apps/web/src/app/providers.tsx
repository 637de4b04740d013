import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ThreadboxClient } from '@threadbox/sdk'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { UploadsProvider } from '../features/composer/state/uploads-context.ts'
import { makeUploadsStore } from '../features/composer/state/uploads-store.ts'
import { renewFolder } from '../features/files/api/files.queries.ts'
import { makeTransfers } from '../features/files/state/transfers.ts'
import { TransfersProvider } from '../features/files/state/transfers-context.ts'
import { ToastRegion } from '../ui/toast.tsx'
import { TooltipProvider } from '../ui/tooltip.tsx'
import { ClientProvider } from './client.ts'
import { useTheme } from './theme.ts'

/** What every page needs around it. */
export function Providers(props: { client: ThreadboxClient; queryClient: QueryClient; children: ReactNode }) {
  const { t } = useTranslation()
  const theme = useTheme()
  const { queryClient } = props
  const [transfers] = useState(() =>
    makeTransfers(props.client, (threadId, folder) => renewFolder(queryClient, threadId, folder)),
  )
  const [uploads] = useState(() => makeUploadsStore(props.client))
  return (
    <ClientProvider value={props.client}>
      <QueryClientProvider client={props.queryClient}>
        <TooltipProvider>
          <TransfersProvider value={transfers}>
            <UploadsProvider value={uploads}>{props.children}</UploadsProvider>
          </TransfersProvider>
          <ToastRegion label={t('notifications')} closeLabel={t('close')} theme={theme} />
        </TooltipProvider>
      </QueryClientProvider>
    </ClientProvider>
  )
}
