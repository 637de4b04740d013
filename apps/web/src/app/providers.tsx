import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ThreadboxClient } from '@threadbox/sdk'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ClientProvider } from '../page/client/client.ts'
import { useTheme } from '../page/client/theme.ts'
import { UploadsProvider } from '../page/thread/state/uploads-context.ts'
import { makeUploadsStore } from '../page/thread/state/uploads-store.ts'
import { renewFolder } from '../sandboxes/files/api/files.queries.ts'
import { makeTransfers } from '../sandboxes/files/state/transfers.ts'
import { TransfersProvider } from '../sandboxes/files/state/transfers-context.ts'
import { ToastRegion } from '../ui/toast.tsx'
import { TooltipProvider } from '../ui/tooltip.tsx'

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
