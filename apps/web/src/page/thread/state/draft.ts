import { useCallback, useState } from 'react'

const key = (threadId: string) => `threadbox.draft.${threadId}`

/** The unsent text of a thread, on this device. `new` is the thread that doesn’t exist yet. */
export function readDraft(threadId: string): string {
  return localStorage.getItem(key(threadId)) ?? ''
}

export function writeDraft(threadId: string, text: string): void {
  try {
    if (text === '') localStorage.removeItem(key(threadId))
    else localStorage.setItem(key(threadId), text)
  } catch {
    // The storage is full: the text stays in the field, and only a reload would lose it.
  }
}

/** The draft of one thread as state. The caller remounts for another thread. */
export function useDraft(threadId: string): [text: string, setText: (text: string) => void] {
  const [text, setText] = useState(() => readDraft(threadId))
  const change = useCallback(
    (next: string) => {
      setText(next)
      writeDraft(threadId, next)
    },
    [threadId],
  )
  return [text, change]
}
