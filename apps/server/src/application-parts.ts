import type { SandboxView } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import { makeAttachmentStore } from './attachments/attachments.store.ts'
import type { AttachmentTables } from './attachments/attachments.table.ts'
import { type Attachments, makeAttachments } from './attachments/attachments.usecases.ts'
import type { AuditTables } from './audit/audit.table.ts'
import { type Audit, makeAudit } from './audit/audit.ts'
import type { BlobStore } from './blobs/blob-store.ts'
import { type OpenDatabase, tablesOf } from './database/database.ts'
import { makeOperationStore } from './operations/operations.store.ts'
import type { OperationTables } from './operations/operations.table.ts'
import { makeOperations, type Operations } from './operations/operations.ts'
import { reportBootEnd } from './sandboxes/boot-end-notice.ts'
import type { HostClient } from './sandboxes/host-client.ts'
import { type ApplyLimits, makeApplyLimits } from './sandboxes/live-limits.ts'
import { makeSandboxAccess, type Sandboxes } from './sandboxes/sandbox-access.implementation.ts'
import { type ChangeSandbox, makeChangeSandbox } from './sandboxes/sandbox-changes.ts'
import { presentSandbox } from './sandboxes/sandboxes.presenter.ts'
import { makeSandboxStore, type SandboxStore } from './sandboxes/sandboxes.store.ts'
import type { SandboxTables } from './sandboxes/sandboxes.table.ts'
import type { SearchTables } from './search/search.table.ts'
import { makeSearchIndex } from './search/search-index.ts'
import type { Settings } from './settings/settings.ts'
import type { System } from './system.ts'
import { makeLiveHub } from './threads/thread-log.hub.ts'
import { makeThreadLog, type ThreadRecorder } from './threads/thread-log.implementation.ts'
import { makeThreadStore, type ThreadStore } from './threads/threads.store.ts'
import type { ThreadTables } from './threads/threads.table.ts'
import { makeThreads, type Threads } from './threads/threads.usecases.ts'
import { makeUserHub, type UserHub } from './threads/user-hub.ts'

/** What threads and their sandboxes are made of. */
export type ThreadParts = {
  threadStore: ThreadStore
  threads: Threads
  log: ThreadRecorder
  userHub: UserHub
  operations: Operations
  sandboxStore: SandboxStore
  changeSandbox: ChangeSandbox
  sandboxes: Sandboxes
  applyLimits: ApplyLimits
  attachments: Attachments
}

export type ThreadPartsOptions = {
  open: OpenDatabase
  host: HostClient
  blobs: BlobStore
  settings: Settings
  audit: Audit
  system: System
  logger: Logger
  undoMs: number
  onThreadDeleted: (threadId: string) => void
}

/**
 * Threads, their log and their sandboxes know of each other: a sandbox that changes is announced in its thread, and a
 * thread shows its sandbox. The knot is tied here, by functions that look the other side up when they are called.
 */
export function makeThreadParts(options: ThreadPartsOptions): ThreadParts {
  const { open, system, logger } = options
  const userHub = makeUserHub()
  const threadStore = makeThreadStore(tablesOf<ThreadTables>(open.database))
  const operations = makeOperations({
    store: makeOperationStore(tablesOf<OperationTables>(open.database)),
    system,
    logger,
  })
  const searchTables = tablesOf<SearchTables>(open.database)
  const search = makeSearchIndex({ database: searchTables, kind: open.kind })
  const announce = (threadId: string, isRecorded: boolean) =>
    parts.threads.announce(threadId, { isRecorded }).catch((error: unknown) => {
      logger.warn({ err: error, threadId }, 'change of a thread was not announced')
    })
  const log = makeThreadLog({
    database: tablesOf<ThreadTables>(open.database),
    hub: makeLiveHub(),
    search,
    now: system.now,
    onCommit: ({ threadId, isSidebarChange }) => {
      if (isSidebarChange) void announce(threadId, false)
    },
  })
  const sandboxParts = makeSandboxParts(options, { threadStore, log, announce })
  const parts: ThreadParts = {
    threadStore,
    log,
    userHub,
    operations,
    ...sandboxParts,
    threads: makeThreads({
      store: threadStore,
      log,
      search,
      searchTitles: (thread) => search.putTitle(searchTables, thread),
      sandboxViews: (threadIds) => sandboxViews(options, sandboxParts, threadIds),
      operations,
      userHub,
      audit: options.audit,
      system,
      undoMs: options.undoMs,
      onDeleted: options.onThreadDeleted,
    }),
  }
  return parts
}

type SandboxParts = Pick<ThreadParts, 'sandboxStore' | 'changeSandbox' | 'sandboxes' | 'applyLimits' | 'attachments'>

function makeSandboxParts(
  options: ThreadPartsOptions,
  threads: {
    threadStore: ThreadStore
    log: ThreadRecorder
    announce: (threadId: string, isRecorded: boolean) => Promise<void>
  },
): SandboxParts {
  const { open, host, system, logger } = options
  const sandboxStore = makeSandboxStore(tablesOf<SandboxTables>(open.database))
  const changeSandbox = makeChangeSandbox({
    store: sandboxStore,
    now: system.now,
    onChanged: (threadId) => threads.announce(threadId, true),
  })
  const attachments = makeAttachments({
    store: makeAttachmentStore(tablesOf<AttachmentTables>(open.database)),
    blobs: options.blobs,
    ifAwake: (threadId) => sandboxes.ifAwake(threadId),
    system,
    logger,
  })
  const { threadStore, log } = threads
  const sandboxes = makeSandboxAccess({
    store: sandboxStore,
    host,
    change: changeSandbox,
    system,
    logger,
    mayStart: async (threadId) => (await threadStore.findAny(threadId))?.deleted_at === null,
    limits: () => options.settings.limits(),
    deliver: (threadId, sandbox) => attachments.deliver(threadId, sandbox),
    onReleased: (threadId) => void threads.announce(threadId, false),
    reportEnd: (row, end) =>
      reportBootEnd({ log, system, lastTurnId: (id) => threadStore.lastTurnId(id) }, row.thread_id, end),
  })
  const applyLimits = makeApplyLimits({
    store: sandboxStore,
    host,
    limits: () => options.settings.limits(),
    announce: (threadId) => threads.announce(threadId, true),
    logger,
  })
  return { sandboxStore, changeSandbox, sandboxes, applyLimits, attachments }
}

async function sandboxViews(
  options: ThreadPartsOptions,
  parts: SandboxParts,
  threadIds: readonly string[],
): Promise<Map<string, SandboxView>> {
  const limits = await options.settings.limits()
  const rows = new Map((await parts.sandboxStore.list(threadIds)).map((row) => [row.thread_id, row]))
  const now = options.system.now()
  return new Map(
    threadIds.map((threadId) => {
      const isHeld = parts.sandboxes.isHeld(threadId)
      return [threadId, presentSandbox(rows.get(threadId), { limits, now, isHeld })]
    }),
  )
}

/** The audit log on its table. */
export function makeAuditPart(options: { open: OpenDatabase; system: System }): Audit {
  return makeAudit({ database: tablesOf<AuditTables>(options.open.database), system: options.system })
}
