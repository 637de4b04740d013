import type { SandboxView } from '@threadbox/protocol/public'
import type { Audit, UserHub } from '../../people/public.ts'
import type { Events } from '../../platform/events/events.ts'
import type { Operations } from '../../platform/operations/operations.ts'
import type { System } from '../../platform/system/system.ts'
import type { Access } from '../access/access.ts'
import type { ThreadRecorder } from '../log/thread-log.implementation.ts'
import type { LogTransaction } from '../log/thread-log.ts'
import type { ThreadStore } from '../log/threads.store.ts'
import type { SearchIndex } from '../search/search-index.ts'
import type { ThreadEvents } from '../threads.events.ts'

/** The sandboxes of threads in the form of the API. */
export type SandboxViews = (threadIds: readonly string[]) => Promise<Map<string, SandboxView>>

/** Adds titles to the search index, alone or in a transaction. */
export type Titles = {
  putTitle(thread: { id: string; title: string; at: number }, transaction?: LogTransaction): Promise<void>
}

export type ThreadsDependencies = {
  store: ThreadStore
  log: ThreadRecorder
  search: Pick<SearchIndex, 'find'> & Titles
  sandboxViews: SandboxViews
  operations: Operations
  userHub: UserHub
  audit: Audit
  system: System
  undoMs: number
  events: Pick<Events<ThreadEvents>, 'emit'>
  access: Access
  /** Throws unless this user can add threads to the workspace. */
  requireWorkspace: (userId: string, workspaceId: string) => Promise<void>
}
