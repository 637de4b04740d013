import type { ThreadboxClient } from '@threadbox/sdk'
import { useCallback, useState } from 'react'

/** The size of one request for more output. */
const outputPageBytes = 128 * 1024
/** The most characters of output in the page: what was kept can be downloaded. */
export const outputPageCharacters = 2 * 1024 * 1024

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
export function useOutputPages(options: {
  client: ThreadboxClient
  threadId: string
  callId: string
  /** The line in place of bytes that weren’t kept. */
  notKeptLine: (bytes: number) => string
}): OutputPages {
  const { client, threadId, callId, notKeptLine } = options
  const [pages, setPages] = useState<{ text: string | null; endOffset: number; sizeBytes: number }>(nothing)
  const [isLoading, setIsLoading] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const { endOffset } = pages
  const loadMore = useCallback(async () => {
    setIsLoading(true)
    setError(null)
    try {
      const page = await client.threads.output(threadId, callId, { offset: endOffset, limit: outputPageBytes })
      const next = pageEnd(page, endOffset)
      const gap = next.skippedBytes === 0 ? '' : `\n${notKeptLine(next.skippedBytes)}\n`
      setPages((before) => ({
        text: (before.text ?? '') + page.text + gap,
        endOffset: next.endOffset,
        sizeBytes: Math.max(page.sizeBytes, before.sizeBytes),
      }))
    } catch (failure) {
      setError(failure)
    } finally {
      setIsLoading(false)
    }
  }, [client, threadId, callId, endOffset, notKeptLine])
  const close = useCallback(() => setPages(nothing), [])
  return { ...pages, isLoading, error, loadMore, close }
}

/** Where the next page begins: after a page that ends at bytes that weren’t kept, behind those. */
export function pageEnd(
  page: { text: string; kept: { headBytes: number; tailFrom: number } },
  offset: number,
): { endOffset: number; skippedBytes: number } {
  const end = offset + new TextEncoder().encode(page.text).length
  const { headBytes, tailFrom } = page.kept
  const isAtGap = headBytes < tailFrom && end >= headBytes && end < tailFrom
  return isAtGap ? { endOffset: tailFrom, skippedBytes: tailFrom - headBytes } : { endOffset: end, skippedBytes: 0 }
}

const nothing = { text: null, endOffset: 0, sizeBytes: 0 }
