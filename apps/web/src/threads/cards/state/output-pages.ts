import type { ThreadboxClient } from '@threadbox/sdk'
import { useCallback, useState } from 'react'

/** The size of one request for more output. */
const outputPageBytes = 128 * 1024
/** The most output kept in the page: all of it can be downloaded. */
export const outputKeptBytes = 2 * 1024 * 1024

export type OutputPages = {
  /** Null until the full output is requested. */
  text: string | null
  endOffset: number
  sizeBytes: number
  isLoading: boolean
  error: unknown
  loadMore: () => Promise<void>
  close: () => void
}

/** Loads a recorded output from its beginning, page by page, on request. */
export function useOutputPages(options: { client: ThreadboxClient; threadId: string; callId: string }): OutputPages {
  const { client, threadId, callId } = options
  const [pages, setPages] = useState<{ text: string | null; endOffset: number; sizeBytes: number }>(nothing)
  const [isLoading, setIsLoading] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const { endOffset } = pages
  const loadMore = useCallback(async () => {
    setIsLoading(true)
    setError(null)
    try {
      const page = await client.threads.output(threadId, callId, { offset: endOffset, limit: outputPageBytes })
      const readBytes = new TextEncoder().encode(page.text).length
      setPages((before) => ({
        text: (before.text ?? '') + page.text,
        endOffset: before.endOffset + readBytes,
        sizeBytes: Math.max(page.sizeBytes, before.sizeBytes),
      }))
    } catch (failure) {
      setError(failure)
    } finally {
      setIsLoading(false)
    }
  }, [client, threadId, callId, endOffset])
  const close = useCallback(() => setPages(nothing), [])
  return { ...pages, isLoading, error, loadMore, close }
}

const nothing = { text: null, endOffset: 0, sizeBytes: 0 }
