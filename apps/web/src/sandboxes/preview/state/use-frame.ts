import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { useClient } from '../../../page/client/client.ts'
import { useStable } from '../../../page/client/use-stable.ts'
import { errorOf, previewCheckQuery } from '../api/preview-check.queries.ts'
import { type FrameState, loadsByItself } from './frame.models.ts'
import { makePageBridge, type PageBridge, type PageSays } from './page-bridge.ts'
import { obstacleOf } from './preview-findings.models.ts'
import type { PreviewTarget } from './targets.models.ts'
import { useRefusal } from './use-refusal.ts'

/**
 * A page that has said nothing after this long may be one that cannot (a PDF), or one that this browser never gets to:
 * then it is tried which.
 */
const silentMs = 6000

export type Frame = FrameState & {
  element: RefObject<HTMLIFrameElement | null>
  /** The page went on by itself, and does not say where to. */
  hasMovedOn: boolean
  /** What the page says of itself, as far as it can. */
  page: PageSays
  bridge: PageBridge
  /** Where the page is; null until it was asked for. */
  origin: string | null
  /** Why nothing could be loaded, while `load` is `failed` or `unavailable`. */
  error: unknown
  open: (path: string) => void
  onLoad: () => void
}

/**
 * Loads pages of a target into a frame. Each load asks for a new address, which may be used once, and takes the place of the
 * page before in the browser's history; until it is there the page before stays. For another target use another one.
 */
export function useFrame(threadId: string, target: PreviewTarget, path: string): Frame {
  const client = useClient()
  const queries = useQueryClient()
  const element = useRef<HTMLIFrameElement>(null)
  const running = useRef<AbortController | null>(null)
  const wasDown = useRef(false)
  const [state, setState] = useState<FrameState>({ hasPage: false, load: 'none' })
  const [hasMovedOn, setHasMovedOn] = useState(false)
  const [origin, setOrigin] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const { port, status } = target
  const bridge = useBridge(element, origin)
  const page = useStore(bridge.says)
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
    const doubt = () => {
      if (bridge.says.getState().path !== null) return
      queries.fetchQuery(previewCheckQuery(client)).then(
        (findings) => {
          const problem = obstacleOf(findings)
          const isSilent = !abort.signal.aborted && bridge.says.getState().path === null
          if (problem !== null && isSilent) fail('unavailable', errorOf(problem))
        },
        // Whoever cannot be asked is said elsewhere.
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
        const timer = setTimeout(doubt, silentMs)
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
    if (loadsByItself(status, { ...state, wasDown: wasDown.current })) open(path)
    else if (status !== 'running' && status !== 'suspended') wasDown.current = true
  }, [status])

  return {
    ...state,
    hasMovedOn: hasMovedOn && page.path === null,
    page,
    bridge,
    element,
    origin,
    error,
    open,
    onLoad: () => {
      bridge.loaded()
      setHasMovedOn(state.hasPage && state.load === 'none')
      setState((before) => (before.load === 'loading' ? { hasPage: true, load: 'none' } : before))
    },
  }
}

/** The bridge into whatever page of this origin the frame shows. */
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
