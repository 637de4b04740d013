import type { SandboxState } from '@threadbox/domain'
import type { Logger } from '@threadbox/telemetry'
import { type Installs, makeInstalls } from './agents/installs.usecases.ts'
import { makeThreadSetupStore } from './agents/thread-setups.store.ts'
import { makeThreadSetups, type ThreadSetups } from './agents/thread-setups.ts'
import { makeAttachmentStore } from './attachments/attachments.store.ts'
import type { AttachmentTables } from './attachments/attachments.table.ts'
import { type Attachments, makeAttachments } from './attachments/attachments.usecases.ts'
import type { AuditTables } from './audit/audit.table.ts'
import { type Audit, makeAudit } from './audit/audit.ts'
import type { BlobStore } from './blobs/blob-store.ts'
import { type OpenDatabase, tablesOf } from './database/database.ts'
import { type FilesWatch, makeFilesWatch } from './files/files-watch.ts'
import { type GitCredentialParts, makeGitCredentialParts } from './git-credentials/git-credentials-part.ts'
import { makeGuestQuestions } from './lifecycle/guest-manifest.ts'
import type { MachineClock } from './lifecycle/lifecycle-clock.ts'
import { whatRuns } from './lifecycle/what-runs.ts'
import { makeOperationStore } from './operations/operations.store.ts'
import type { OperationTables } from './operations/operations.table.ts'
import { makeOperations, type Operations } from './operations/operations.ts'
import { makeSandboxParts, type SandboxParts } from './sandbox-parts.ts'
import type { ReachableSandbox } from './sandboxes/awake-sandbox.ts'
import type { HostClient } from './sandboxes/host-client.ts'
import { policyOf } from './sandboxes/sandbox-rows.ts'
import type { SearchTables } from './search/search.table.ts'
import { makeSearchIndex } from './search/search-index.ts'
import { makeServiceWatch, type ServiceWatch } from './services/service-watch.ts'
import { makeServiceStore, type ServiceStore } from './services/services.store.ts'
import type { ServiceTables } from './services/services.table.ts'
import { makeServiceParts, makeServices, type Services } from './services/services.usecases.ts'
import type { Settings } from './settings/settings.ts'
import { makeSkillParts, type SkillParts } from './skill-parts.ts'
import { makeSnapshotStore } from './snapshots/snapshots.store.ts'
import type { SnapshotTables } from './snapshots/snapshots.table.ts'
import { makeSnapshots, type Snapshots } from './snapshots/snapshots.usecases.ts'
import type { System } from './system.ts'
import { type HiddenThreads, makeHiddenThreads } from './threads/hidden-threads.ts'
import type { ThreadSetupTables } from './threads/setups/thread-setups.table.ts'
import { makeLiveHub } from './threads/thread-log.hub.ts'
import { makeThreadLog, type ThreadRecorder } from './threads/thread-log.implementation.ts'
import { makeThreadStore, type ThreadStore } from './threads/threads.store.ts'
import type { ThreadTables } from './threads/threads.table.ts'
import { makeThreads, type Threads, type ThreadsDependencies } from './threads/threads.usecases.ts'
import { makeUserHub, type UserHub } from './threads/user-hub.ts'
import { makeTurnStore } from './turns/turns.store.ts'
import type { TurnTables } from './turns/turns.table.ts'
import { makeWorkspaceBase, makeWorkspacePart, type WorkspaceBase } from './workspace-parts.ts'
import type { Workspaces } from './workspaces/workspaces.usecases.ts'

/** What threads and their sandboxes are made of. */
export type ThreadParts = SandboxParts &
  WorkspaceBase &
  SkillParts &
  GitCredentialParts & {
    workspaces: Workspaces
    threadStore: ThreadStore
    threads: Threads
    log: ThreadRecorder
    userHub: UserHub
    operations: Operations
    attachments: Attachments
    services: Services
    serviceWatch: ServiceWatch
    filesWatch: FilesWatch
    hiddenThreads: HiddenThreads
    setups: ThreadSetups
    snapshots: Snapshots
    installs: Installs
    /** The sandbox of this thread is in another state, or was found awake. */
    sandboxChanged: (threadId: string) => void
  }

/** What a test may want shorter, or longer. */
export type ThreadTimes = {
  undoMs: number
  /** How long a guest may take to say what runs when an answer has ended. */
  glanceMs?: number
}

export type ThreadPartsOptions = ThreadTimes & {
  open: OpenDatabase
  host: HostClient
  blobs: BlobStore
  settings: Settings
  audit: Audit
  system: System
  logger: Logger
  machine: MachineClock
  manifestKey: Uint8Array
  masterKey: Uint8Array
  connectionSettings: { connectionsAllow: string; connectionSeconds: number }
  onThreadDeleted: (threadId: string) => void
  /** The sandbox of this thread is in another state. */
  onSandboxChanged: (threadId: string) => void
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
  const setups = makeThreadSetups(makeThreadSetupStore(tablesOf<ThreadSetupTables>(open.database)))
  const base = makeWorkspaceBase({ ...options, threadStore, operations })
  const searchTables = tablesOf<SearchTables>(open.database)
  const search = makeSearchIndex({ database: searchTables, kind: open.kind })
  const searchTitles: ThreadsDependencies['searchTitles'] = (thread) => search.putTitle(searchTables, thread)
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
  const attachments = makeAttachmentPart(options, (threadId) => sandboxParts.sandboxes.ifAwake(threadId))
  const sandboxParts = makeSandboxParts({
    ...options,
    ...{ threadStore, log, announce, defaults: base.readDefaults },
    deliver: (threadId, sandbox) => deliver({ attachments, ...skillParts, ...gitParts }, { threadId, sandbox }),
    onSandboxChanged: (threadId) => {
      sandboxChanged(threadId)
      options.onSandboxChanged(threadId)
    },
    restartedServices: (threadId, bootId) => serviceWatch.restarted(threadId, bootId),
  })
  const sandboxChanged = (threadId: string) => {
    serviceWatch.sandboxChanged(threadId)
    gitParts.gitFollow.sandboxChanged(threadId)
  }
  const serviceStore = makeServiceStore(tablesOf<ServiceTables>(open.database))
  const known = { userHub, threadStore, sandboxParts, serviceStore, base }
  const { services, serviceWatch } = makeServiceFeature(options, known)
  const inheritedChanged = async () => {
    gitParts.gitFollow.refresh()
    await sandboxParts.applyLimits()
    sandboxParts.policyLoop.nudge()
    skillParts.skillPlacement.refresh()
  }
  const workspaces = makeWorkspacePart({
    ...{ ...options, ...known, operations, sandboxStore: sandboxParts.sandboxStore },
    ...{ onValuesChanged: inheritedChanged, onUsableChanged: () => gitParts.gitFollow.refresh() },
  })
  const skillParts = makeSkillParts({ ...options, ...known, operations, workspaces, setups })
  const gitParts = makeGitCredentialParts(options, { ...known, workspaces })
  const parts: ThreadParts = {
    threadStore,
    log,
    userHub,
    operations,
    setups,
    installs: makeInstalls({ open, log, threadStore, system, userHub }),
    attachments,
    services,
    serviceWatch,
    snapshots: makeSnapshotPart(options, { threadStore, sandboxParts }),
    filesWatch: makeFilesWatchPart(options, { userHub, sandboxParts }),
    ...sandboxParts,
    ...base,
    ...skillParts,
    ...gitParts,
    sandboxChanged,
    workspaces,
    hiddenThreads: makeHiddenThreads({
      ...{ store: threadStore, operations, system, searchTitles },
      threads: () => parts.threads,
      onListed: (workspaceIds) => workspaces.changed(workspaceIds),
    }),
    threads: makeThreads({
      ...{ store: threadStore, log, search, searchTitles, operations, userHub, system },
      ...{ audit: options.audit, undoMs: options.undoMs },
      sandboxViews: sandboxParts.sandboxViews,
      ...{ onDeleted: options.onThreadDeleted, onUsableChanged: gitParts.gitFollow.refresh },
      access: base.access,
      requireWorkspace: (userId, workspaceId) => workspaces.requireOpen(userId, workspaceId),
      onListed: (workspaceIds) => workspaces.changed(workspaceIds),
      onMoved: inheritedChanged,
    }),
  }
  options.settings.onPolicyChanged(() => parts.snapshots.trim())
  return parts
}

function makeAttachmentPart(
  { open, blobs, system, logger }: ThreadPartsOptions,
  ifAwake: (threadId: string) => Promise<ReachableSandbox | undefined>,
): Attachments {
  const store = makeAttachmentStore(tablesOf<AttachmentTables>(open.database))
  return makeAttachments({ store, blobs, system, logger, ifAwake })
}

function makeFilesWatchPart(
  { system, logger }: ThreadPartsOptions,
  { userHub, sandboxParts }: { userHub: UserHub; sandboxParts: SandboxParts },
): FilesWatch {
  return makeFilesWatch({
    ifAwake: (threadId) => sandboxParts.sandboxes.ifAwake(threadId),
    publish: (userId, event) => userHub.publish(userId, event),
    ...{ now: system.now, logger },
  })
}

function makeSnapshotPart(
  { open, host, settings, glanceMs, system, logger }: ThreadPartsOptions,
  known: { threadStore: ThreadStore; sandboxParts: SandboxParts },
): Snapshots {
  const turnStore = makeTurnStore(tablesOf<TurnTables>(open.database))
  const { sandboxStore, hashKeyOf } = known.sandboxParts
  const inside = { guest: makeGuestQuestions(host), hashKeyOf, memoryOf: sandboxStore.memory }
  return makeSnapshots({
    store: makeSnapshotStore(tablesOf<SnapshotTables>(open.database)),
    host,
    sandboxOf: (threadId) => sandboxStore.find(threadId),
    whatRuns: (sandbox, signal) => whatRuns(inside, sandbox, signal),
    turnIds: turnStore.turnIds,
    usedSandbox: async (turnId) => {
      const turn = await turnStore.turn(turnId)
      return turn?.steps.some(({ calls }) => calls.some(({ bootId }) => bootId !== null)) ?? false
    },
    runningTurn: async (threadId) => (await known.threadStore.findAny(threadId))?.running_turn_id ?? undefined,
    settings: () => settings.values(),
    ...{ glanceMs, system, logger },
  })
}

/** What an awake sandbox is to have before somebody uses it: files that were uploaded meanwhile, skills, a way for git. */
async function deliver(
  { attachments, skillPlacement, gitFollow }: Pick<ThreadParts, 'attachments' | 'skillPlacement' | 'gitFollow'>,
  { threadId, sandbox }: { threadId: string; sandbox: ReachableSandbox },
): Promise<void> {
  const { sandboxId, bootId } = sandbox
  await Promise.all([
    attachments.deliver(threadId, sandbox),
    skillPlacement.deliver({ threadId, sandboxId, bootId }),
    gitFollow.deliver(threadId, sandbox),
  ])
}

function makeServiceFeature(
  options: ThreadPartsOptions,
  known: {
    userHub: UserHub
    threadStore: ThreadStore
    sandboxParts: SandboxParts
    serviceStore: ServiceStore
    base: WorkspaceBase
  },
): Pick<ThreadParts, 'services' | 'serviceWatch'> {
  const { sandboxes, sandboxStore } = known.sandboxParts
  const parts = makeServiceParts({
    store: known.serviceStore,
    awake: (threadId, signal) =>
      sandboxes.awake(threadId, { reason: 'api', ...(signal === undefined ? {} : { signal }) }),
    ifAwake: (threadId) => sandboxes.ifAwake(threadId),
    sandboxOf: async (threadId) => {
      const row = await sandboxStore.find(threadId)
      return row && { state: row.state as SandboxState, bootId: row.boot_id, since: row.since }
    },
    ownerOf: async (threadId) => {
      const row = await known.threadStore.findAny(threadId)
      return row?.deleted_at === null ? row.user_id : undefined
    },
    publish: (userId, event) => known.userHub.publish(userId, event),
    maxServices: async (threadId) => {
      const defaults = await known.base.readDefaults([threadId])
      return policyOf(await sandboxStore.find(threadId), defaults(threadId).policy).policy.maxServices
    },
    system: options.system,
    logger: options.logger,
  })
  return { services: makeServices(parts), serviceWatch: makeServiceWatch(parts) }
}

/** The audit log on its table. */
export function makeAuditPart(options: { open: OpenDatabase; system: System }): Audit {
  return makeAudit({ database: tablesOf<AuditTables>(options.open.database), system: options.system })
}
