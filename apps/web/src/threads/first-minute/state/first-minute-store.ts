import type { ThreadboxClient } from '@threadbox/sdk'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { CounterWords } from './counter-program.ts'
import { type Progress, watchSurvival } from './first-minute.ts'

/** The demonstration that runs or has just ended, on its thread. */
export type FirstMinute = { threadId: string; progress: Progress; error: unknown }

const demonstration = createStore<{ current: FirstMinute | null }>()(() => ({ current: null }))
let running: AbortController | null = null

/** What is to be shown of it on the page of this thread. */
export function useFirstMinute(threadId: string): FirstMinute | null {
  return useStore(demonstration, ({ current }) => (current?.threadId === threadId ? current : null))
}

/** Runs it on a thread; goes on while the person looks at other pages. One that ran before is left where it was. */
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

/** Leaves the thread and its computer as they are. */
export function endFirstMinute(): void {
  running?.abort()
  running = null
  demonstration.setState({ current: null })
}
