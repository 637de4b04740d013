import type { Thread } from '@threadbox/sdk'
import { useCallback, useEffect, useRef } from 'react'
import { useClient } from '../../../page/client/client.ts'
import { useStable } from '../../../page/client/use-stable.ts'
import { wakeSandbox } from '../../../page/client/wake-sandbox.ts'
import { shouldWakeOnTyping } from './wake-ahead.logic.ts'

/** Long enough for a word, short enough to finish before the message does. */
const pauseInTypingMs = 200

/**
 * Returns a function to call when the user types. It wakes a paused sandbox, once per pause. Opening a thread or having
 * an earlier draft wakes nothing.
 */
export function useWakeOnTyping(thread: Thread | undefined): (typed: string) => void {
  const client = useClient()
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const requestedFor = useRef<number | null>(null)
  useEffect(() => () => clearTimeout(timer.current), [])
  const wake = useStable((typed: string) => {
    if (
      thread === undefined ||
      requestedFor.current === thread.sandbox.since ||
      !shouldWakeOnTyping(thread.sandbox, typed)
    )
      return
    requestedFor.current = thread.sandbox.since
    // Sending wakes it too and reports failures; this is only a head start.
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
