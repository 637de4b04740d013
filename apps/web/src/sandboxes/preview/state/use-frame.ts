import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { useClient } from '../../../page/client/client.ts'
import { useStable } from '../../../page/client/use-stable.ts'
import { errorOf, previewCheckQuery } from '../api/preview-check.queries.ts'
import { type FrameState, shouldAutoLoad } from './frame.logic.ts'
import { makePageBridge, type PageBridge, type PageState } from './page-bridge.ts'
import { obstacleOf } from './preview-findings.logic.ts'
import type { PreviewTarget } from './targets.logic.ts'
import { useRefusal } from './use-refusal.ts'

/**
 * A page that has reported nothing after this time either can’t (a PDF) or wasn’t reachable for this browser. A check
 * then finds out which.
 */
const silentMs = 6000

export type Frame = FrameState & {
  element: RefObject<HTMLIFrameElement | null>
  /** The page navigated without reporting where to. */
  hasNavigated: boolean
  /** What the page reports about itself, if it does. */
  page: PageState
  bridge: PageBridge
  /** The origin of the page; null before the first request. */
  origin: string | null
  /** The reason why nothing was loaded, while `load` is `failed` or `unavailable`. */
  error: unknown
  open: (path: string) => void
  onLoad: () => void
}

/**
 * Loads pages of a target into a frame. Each load requests a single-use address, which replaces the previous page in
 * the browser’s history. The previous page stays visible until the new one is loaded. Use one instance per target.
 */
export function useFrame(threadId: string, target: PreviewTarget, path: string): Frame {
  const client = useClient()
  const queries = useQueryClient()
  const element = useRef<HTMLIFrameElement>(null)
  const running = useRef<AbortController | null>(null)
  const wasDown = useRef(false)
  const [state, setState] = useState<FrameState>({ hasPage: false, load: 'none' })
  const [hasNavigated, setHasNavigated] = useState(false)
  const [origin, setOrigin] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const { port, status } = target
  const bridge = useBridge(element, origin)
  const page = useStore(bridge.page)
  const refusalOf = useRefusal()

  const open = useStable((wanted: string) => {
    running.current?.abort()
    const abort = new AbortController()
    running.current = abort
    wasDown.current = false
    const become = (load: FrameState['load']) => setState((before) => ({ ...before, load }))
    const fail = (load: 'failed' | 'unavailable', cause: unknown) => {
      setError(cause)
      become(load)
    }
    const checkPreviewSetup = () => {
      if (bridge.page.getState().path !== null) return
      queries.fetchQuery(previewCheckQuery(client)).then(
        (findings) => {
          const problem = obstacleOf(findings)
          const isSilent = !abort.signal.aborted && bridge.page.getState().path === null
          if (problem !== null && isSilent) fail('unavailable', errorOf(problem))
        },
        // If the check can’t be made, the app shows the lost connection elsewhere.
        () => undefined,
      )
    }
    become('asked')
    client.previews.open(threadId, { port, path: wanted }, abort.signal).then(
      (preview) => {
        if (abort.signal.aborted) return
        setOrigin(preview.origin)
        const cause = refusalOf(preview)
        if (cause !== null) return fail('unavailable', cause)
        become('loading')
        bridge.leave()
        element.current?.contentWindow?.location.replace(preview.url ?? 'about:blank')
        const timer = setTimeout(checkPreviewSetup, silentMs)
        abort.signal.addEventListener('abort', () => clearTimeout(timer))
      },
      (cause: unknown) => {
        if (!abort.signal.aborted) fail('failed', cause)
      },
    )
  })
  useEffect(() => () => running.current?.abort(), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per change of the status
  useEffect(() => {
    if (shouldAutoLoad(status, { ...state, wasDown: wasDown.current })) open(path)
    else if (status !== 'running' && status !== 'suspended') wasDown.current = true
  }, [status])

  return {
    ...state,
    hasNavigated: hasNavigated && page.path === null,
    page,
    bridge,
    element,
    origin,
    error,
    open,
    onLoad: () => {
      bridge.loaded()
      setHasNavigated(state.hasPage && state.load === 'none')
      setState((before) => (before.load === 'loading' ? { hasPage: true, load: 'none' } : before))
    },
  }
}

/** The bridge into the page that the frame shows, for this origin. */
function useBridge(element: RefObject<HTMLIFrameElement | null>, origin: string | null): PageBridge {
  const current = useRef(origin)
  current.current = origin
  const [bridge] = useState(() =>
    makePageBridge({
      post: (message) => {
        if (current.current !== null) element.current?.contentWindow?.postMessage(message, current.current)
      },
      now: () => Date.now(),
    }),
  )
  useEffect(() => {
    const onMessage = (event: MessageEvent) => {
      const isPage = event.source === element.current?.contentWindow && event.source !== null
      if (isPage && event.origin === current.current) bridge.receive(event.data)
    }
    addEventListener('message', onMessage)
    return () => removeEventListener('message', onMessage)
  }, [bridge, element])
  return bridge
}
