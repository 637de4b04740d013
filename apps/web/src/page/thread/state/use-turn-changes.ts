import type { ThreadState } from '@threadbox/sdk'
import { useMemo, useRef } from 'react'
import { type TurnChanges, turnChangesOf } from './turn-changes.logic.ts'

/** What the last turn changed. The same object until the content changes, however often the conversation grows. */
export function useTurnChanges(state: ThreadState | null): TurnChanges | null {
  const last = useRef<{ key: string; changes: TurnChanges | null }>({ key: '', changes: null })
  return useMemo(() => {
    const changes = state === null ? null : turnChangesOf(state.entries, state.turns)
    const key = changes === null ? '' : JSON.stringify([changes.since, changes.until, ...changes.files.values()])
    if (last.current.key !== key) last.current = { key, changes }
    return last.current.changes
  }, [state])
}
