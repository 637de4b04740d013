import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ThreadboxClient } from '@threadbox/sdk'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ToastRegion } from '../ui/toast.tsx'
import { TooltipProvider } from '../ui/tooltip.tsx'
import { ClientProvider } from './client.ts'
import { useTheme } from './theme.ts'

/** What every page needs around it. */
export function Providers(props: { client: ThreadboxClient; queryClient: QueryClient; children: ReactNode }) {
  const { t } = useTranslation()
  const theme = useTheme()
  return (
    <ClientProvider value={props.client}>
      <QueryClientProvider client={props.queryClient}>
        <TooltipProvider>
          {props.children}
          <ToastRegion label={t('notifications')} closeLabel={t('close')} theme={theme} />
        </TooltipProvider>
      </QueryClientProvider>
    </ClientProvider>
  )
}
