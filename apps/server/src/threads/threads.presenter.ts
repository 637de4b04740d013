import type { SandboxView, Thread } from '@threadbox/protocol/public'
import type { ThreadRow } from './threads.table.ts'

/** A thread as its owner sees it. */
export function presentThread(row: ThreadRow, sandbox: SandboxView): Thread {
  return {
    id: row.id,
    title: row.title,
    titleSource: row.title_source as Thread['titleSource'],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    isPinned: row.is_pinned === 1,
    deletedAt: row.deleted_at,
    modelId: row.model_id,
    workspaceId: row.workspace_id,
    isTurnRunning: row.running_turn_id !== null,
    hasUnread: row.news_seq > row.read_seq,
    sandbox,
  }
}
