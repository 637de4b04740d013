import type { ThreadboxClient } from '@threadbox/sdk'
import { useSyncExternalStore } from 'react'
import type { CounterWords } from './counter-program.ts'
import { type Progress, watchSurvival } from './first-minute.ts'

/** The demonstration that runs or has just ended, on its thread. */
export type FirstMinute = { threadId: string; progress: Progress; error: unknown }

const listeners = new Set<() => void>()
let current: FirstMinute | null = null
let running: AbortController | null = null

function change(next: FirstMinute | null): void {
  current = next
  for (const listener of listeners) listener()
}

/** What is to be shown of it on the page of this thread. */
export function useFirstMinute(threadId: string): FirstMinute | null {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
  return shown?.threadId === threadId ? shown : null
}

/** Runs it on a thread; goes on while the person looks at other pages. One that ran before is left where it was. */
export function beginFirstMinute(options: { client: ThreadboxClient; threadId: string; words: CounterWords }): void {
  endFirstMinute()
  const controller = new AbortController()
  running = controller
  const { threadId } = options
  const { signal } = controller
  const onProgress = (progress: Progress) => change({ threadId, progress, error: null })
  watchSurvival({ ...options, signal, onProgress }).catch((error: unknown) => {
    if (!signal.aborted && current !== null) change({ ...current, error })
  })
}

/** Leaves the thread and its computer as they are. */
export function endFirstMinute(): void {
  running?.abort()
  running = null
  change(null)
}
