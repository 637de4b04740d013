import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ThreadboxClient } from '@threadbox/sdk'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { UploadsProvider } from '../features/composer/state/uploads-context.ts'
import { makeUploadsStore } from '../features/composer/state/uploads-store.ts'
import { ToastRegion } from '../ui/toast.tsx'
import { TooltipProvider } from '../ui/tooltip.tsx'
import { ClientProvider } from './client.ts'
import { useTheme } from './theme.ts'

/** What every page needs around it. */
export function Providers(props: { client: ThreadboxClient; queryClient: QueryClient; children: ReactNode }) {
  const { t } = useTranslation()
  const theme = useTheme()
  const [uploads] = useState(() => makeUploadsStore(props.client))
  return (
    <ClientProvider value={props.client}>
      <QueryClientProvider client={props.queryClient}>
        <TooltipProvider>
          <UploadsProvider value={uploads}>{props.children}</UploadsProvider>
          <ToastRegion label={t('notifications')} closeLabel={t('close')} theme={theme} />
        </TooltipProvider>
      </QueryClientProvider>
    </ClientProvider>
  )
}
