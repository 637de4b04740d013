import type { ThreadboxClient } from '@threadbox/sdk'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { CounterWords } from './counter-program.ts'
import { type Progress, watchSurvival } from './first-minute.ts'

/** The demonstration that is running or has just ended, and its thread. */
export type FirstMinute = { threadId: string; progress: Progress; error: unknown }

const demonstration = createStore<{ current: FirstMinute | null }>()(() => ({ current: null }))
let running: AbortController | null = null

/** The demonstration if it belongs to this thread. */
export function useFirstMinute(threadId: string): FirstMinute | null {
  return useStore(demonstration, ({ current }) => (current?.threadId === threadId ? current : null))
}

/** Starts the demonstration in a thread. It continues across navigation. An earlier one is stopped where it is. */
export function beginFirstMinute(options: { client: ThreadboxClient; threadId: string; words: CounterWords }): void {
  endFirstMinute()
  const controller = new AbortController()
  running = controller
  const { threadId } = options
  const { signal } = controller
  const onProgress = (progress: Progress) => demonstration.setState({ current: { threadId, progress, error: null } })
  watchSurvival({ ...options, signal, onProgress }).catch((error: unknown) => {
    const { current } = demonstration.getState()
    if (!signal.aborted && current !== null) demonstration.setState({ current: { ...current, error } })
  })
}

/** Stops the demonstration. The thread and its sandbox stay as they are. */
export function endFirstMinute(): void {
  running?.abort()
  running = null
  demonstration.setState({ current: null })
}
