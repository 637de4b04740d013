import type { QueryClient } from '@tanstack/react-query'
import type { ServicesView } from '@threadbox/sdk'
import { useCallback, useEffect, useMemo } from 'react'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { offerPane, openPane, pin, rememberView, usePaneView, viewOf } from '../../panes/state/pane-store.ts'
import { putServices, useServices } from '../api/services.queries.ts'
import { type PreviewView, readPreviewView, withPath, withTarget } from './preview-view.logic.ts'
import { keyOfPort, startedServices } from './targets.logic.ts'

const pane = 'preview'

/** What the preview of a thread showed last, and a function to change it. */
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

/** Opens the preview of a service in the open thread, on request of the user. */
export function viewInPane(threadId: string, target: string): void {
  rememberView(threadId, pane, withTarget(readPreviewView(viewOf(threadId, pane)), target))
  openPane(pane)
}

/** Opens the preview of a port at a path, on request of the user. */
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

/** Keeps a thread’s preview open across navigation, or no longer. */
export function pinPreview(threadId: string, isPinned: boolean): void {
  pin(isPinned ? { threadId, pane } : null)
}

/** The last known services of each thread, to which the next ones are compared to find those that started. */
const seen = new Map<string, ServicesView>()

/**
 * Opens the preview of a service that started since the services of the thread were last seen, once per start. Both
 * events and fetched lists come here: a start without an event of its own (not connected yet, or several changes in one
 * event) is in the list.
 */
function openStarted(threadId: string, services: ServicesView): void {
  const started = startedServices(seen.get(threadId), services, performance.timeOrigin)
  seen.set(threadId, services)
  const view = readPreviewView(viewOf(threadId, pane))
  const latest = started.findLast(({ name }) => !view.closed.includes(name))
  if (latest === undefined) return
  rememberView(threadId, pane, { ...view, target: latest.name })
  offerPane(threadId, pane)
}

/** Applies a `services` event of any thread. */
export function receiveServices(queryClient: QueryClient, threadId: string, services: ServicesView): void {
  putServices(queryClient, threadId, services)
  openStarted(threadId, services)
}

/** Opens the preview of services that start in the open thread automatically. */
export function usePreviewOfStarted(threadId: string): void {
  const { data } = useServices(threadId)
  useEffect(() => {
    if (data !== undefined) openStarted(threadId, data)
  }, [threadId, data])
}
