import type { ThreadState, WakeEntry } from '@threadbox/sdk'
import { useEffect, useRef, useState } from 'react'
import { wakeToAnnounce } from '../state/wake-announcement.logic.ts'
import { useWakeWords } from '../state/wake-words.ts'

/** Announces to screen readers once, politely, that the sandbox woke and what survived. */
export function WakeAnnouncer(props: { state: ThreadState | null }) {
  const words = useWakeWords()
  const before = useRef<ThreadState | null>(null)
  const [wake, setWake] = useState<WakeEntry | undefined>(undefined)
  const { state } = props
  useEffect(() => {
    const previous = before.current
    before.current = state
    if (state === null) return
    const next = wakeToAnnounce(previous, state)
    if (next !== undefined) setWake(next)
  }, [state])
  return (
    <div className="sr" aria-live="polite">
      {wake === undefined ? '' : `${words.woke(wake.report)}: ${words.survived(wake.report)}.`}
    </div>
  )
}
