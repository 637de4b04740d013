import type { WorkspaceAction } from '@threadbox/domain'
import {
  type ForkedFrom,
  forkedFromSchema,
  type SandboxView,
  type StartedFrom,
  startedFromSchema,
  type Thread,
} from '@threadbox/protocol/public'
import type { ThreadRow } from '../log/threads.table.ts'

/** What a thread was forked from. */
export function forkedFromOf(row: Pick<ThreadRow, 'forked_from_json'>): ForkedFrom | null {
  return row.forked_from_json === null ? null : forkedFromSchema.parse(JSON.parse(row.forked_from_json))
}

function startedFromOf(row: Pick<ThreadRow, 'started_from_json'>): StartedFrom | null {
  return row.started_from_json === null ? null : startedFromSchema.parse(JSON.parse(row.started_from_json))
}

/** A thread in the view of a person who can do what is `allowed`; `row` has what they have for themselves. */
export function presentThread(
  row: ThreadRow,
  { sandbox, allowed }: { sandbox: SandboxView; allowed: WorkspaceAction[] },
): Thread {
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
    creatorId: row.user_id,
    isPrivate: row.is_private === 1,
    isPersonalOff: row.is_personal_off === 1,
    allowed,
    isTurnRunning: row.running_turn_id !== null,
    hasUnread: row.news_seq > row.read_seq,
    forkedFrom: forkedFromOf(row),
    startedFrom: startedFromOf(row),
    sandbox,
  }
}
