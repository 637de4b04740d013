import type { QueryClient } from '@tanstack/react-query'
import type { ServicesView } from '@threadbox/sdk'
import { useCallback, useMemo } from 'react'
import { queryKeys } from '../../../app/query-keys.ts'
import { offerPane, openPane, pin, rememberView, usePaneView, viewOf } from '../../panes/state/pane-store.ts'
import { putServices } from '../api/services.queries.ts'
import { type PreviewView, readPreviewView, withPath, withTarget } from './preview-view.models.ts'
import { keyOfPort, startedServices } from './targets.models.ts'

const pane = 'preview'

/** What the preview of a thread showed last, and the way to change it. */
export function usePreviewView(
  threadId: string,
): [view: PreviewView, change: (update: (view: PreviewView) => PreviewView) => void] {
  const stored = usePaneView(threadId, pane)
  const view = useMemo(() => readPreviewView(stored), [stored])
  const change = useCallback(
    (update: (view: PreviewView) => PreviewView) =>
      rememberView(threadId, pane, update(readPreviewView(viewOf(threadId, pane)))),
    [threadId],
  )
  return [view, change]
}

/** Opens the preview of a service of the thread whose page is open, because the person asked for it. */
export function viewInPane(threadId: string, target: string): void {
  rememberView(threadId, pane, withTarget(readPreviewView(viewOf(threadId, pane)), target))
  openPane(pane)
}

/** Opens the preview of a port at a path, because the person asked for it. */
export function viewPort(
  queryClient: QueryClient,
  threadId: string,
  { port, path }: { port: number; path: string },
): void {
  const services = queryClient.getQueryData<ServicesView>(queryKeys.services(threadId))?.services ?? []
  const target = services.find((service) => service.port === port)?.name ?? keyOfPort(port)
  const view = readPreviewView(viewOf(threadId, pane))
  rememberView(threadId, pane, withPath(withTarget(view, target), target, path))
  openPane(pane)
}

/** Keeps the preview of a thread open wherever the person goes, or no longer. */
export function pinPreview(threadId: string, isPinned: boolean): void {
  pin(isPinned ? { threadId, pane } : null)
}

/** Takes over what the server told, and opens the preview of what just started, once per start. */
export function receiveServices(queryClient: QueryClient, threadId: string, services: ServicesView): void {
  const before = putServices(queryClient, threadId, services)
  const view = readPreviewView(viewOf(threadId, pane))
  const started = startedServices(before, services).findLast(({ name }) => !view.closed.includes(name))
  if (started === undefined) return
  rememberView(threadId, pane, { ...view, target: started.name })
  offerPane(threadId, pane)
}
