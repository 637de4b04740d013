import type { Thread } from '@threadbox/sdk'
import { useCallback, useEffect, useRef } from 'react'
import { useClient } from '../../../page/client/client.ts'
import { useStable } from '../../../page/client/use-stable.ts'
import { wakeSandbox } from '../../../page/client/wake-sandbox.ts'
import { wakesAhead } from './wake-ahead.models.ts'

/** Long enough for a word, short enough to be done before the message is. */
const pauseInTypingMs = 200

/**
 * Returns what to call when the person types. A paused sandbox is woken then, once for each time it slept; opening a
 * thread, and a draft that was there before, wake nothing.
 */
export function useWakeAhead(thread: Thread | undefined): (typed: string) => void {
  const client = useClient()
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const asked = useRef<number | null>(null)
  useEffect(() => () => clearTimeout(timer.current), [])
  const wake = useStable((typed: string) => {
    if (thread === undefined || asked.current === thread.sandbox.since || !wakesAhead(thread.sandbox, typed)) return
    asked.current = thread.sandbox.since
    // Sending wakes it too and says what went wrong; this is only a head start.
    wakeSandbox(client, thread.id).catch(() => undefined)
  })
  return useCallback(
    (typed) => {
      clearTimeout(timer.current)
      timer.current = setTimeout(() => wake(typed), pauseInTypingMs)
    },
    [wake],
  )
}
