import type { Thread } from '@threadbox/sdk'
import type { KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { keepFocusOn } from '../../../page/client/kept-focus.ts'
import { useMoveThread } from '../../../page/thread/api/thread-mutations.ts'
import { useAskPersonal } from '../../../page/thread/state/use-ask-personal.ts'
import { showToast } from '../../../ui/toast.tsx'
import { useWorkspaces } from '../api/workspaces.queries.ts'
import { neighbor } from './workspace-groups.logic.ts'

/** Moves a thread into a workspace, or out of all, and confirms it. Does nothing if the thread is already there. */
export function useMoveThreadTo(): (thread: Thread, workspaceId: string | null) => void {
  const { t } = useTranslation(['workspaces', 'threads'])
  const move = useMoveThread()
  const askPersonal = useAskPersonal()
  const workspaces = useWorkspaces()
  return (thread, workspaceId) => {
    if (thread.workspaceId === workspaceId) return
    const title = thread.title === '' ? t('threads:untitled') : thread.title
    const workspace = workspaces.find(({ id }) => id === workspaceId)
    const name = workspace?.name ?? ''
    const start = () =>
      move(thread, workspaceId, () => {
        const text = workspaceId === null ? t('movedOut', { title }) : t('movedTo', { title, name })
        showToast(text, { id: `moved-${thread.id}` })
      })
    // Where others are, what is one’s own stops working.
    if (workspace !== undefined && workspace.memberCount > 1 && !thread.isPrivate) askPersonal(thread.id, start)
    else start()
  }
}

/** Alt+Shift+↑ and ↓ move a thread to the workspace above or below. True if the key was one of these. */
export function useMoveByKey(): (event: KeyboardEvent, thread: Thread) => boolean {
  const moveTo = useMoveThreadTo()
  const open = useWorkspaces().filter(({ archivedAt }) => archivedAt === null)
  return (event, thread) => {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined
    if (step === undefined || !event.altKey || !event.shiftKey) return false
    event.preventDefault()
    event.stopPropagation()
    const order = open.map(({ id }) => id)
    const target = neighbor(order, thread.workspaceId, step)
    if (target === undefined || order.length === 0) return true
    keepFocusOn(thread.id)
    moveTo(thread, target)
    return true
  }
}
