import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ThreadboxClient } from '@threadbox/sdk'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ClientProvider } from '../page/client/client.ts'
import { useTheme } from '../page/client/theme.ts'
import { UploadsProvider } from '../page/thread/state/uploads-context.ts'
import { makeUploadsStore } from '../page/thread/state/uploads-store.ts'
import { ConfirmationDialog } from '../people/auth/components/confirmation-dialog.tsx'
import { TransfersProvider } from '../sandboxes/files/state/transfers-context.tsx'
import { ToastRegion } from '../ui/toast.tsx'
import { TooltipProvider } from '../ui/tooltip.tsx'

/** The contexts that every page needs. */
export function Providers(props: { client: ThreadboxClient; queryClient: QueryClient; children: ReactNode }) {
  const { t } = useTranslation()
  const theme = useTheme()
  const [uploads] = useState(() => makeUploadsStore(props.client))
  return (
    <ClientProvider value={props.client}>
      <QueryClientProvider client={props.queryClient}>
        <TooltipProvider>
          <TransfersProvider>
            <UploadsProvider value={uploads}>{props.children}</UploadsProvider>
            <ConfirmationDialog />
          </TransfersProvider>
          <ToastRegion label={t('notifications')} closeLabel={t('close')} theme={theme} />
        </TooltipProvider>
      </QueryClientProvider>
    </ClientProvider>
  )
}
