import type { SandboxState } from '@threadbox/domain'
import type { Logger } from '@threadbox/telemetry'
import type { Audit } from './people/audit/audit.ts'
import type { PeopleEvents } from './people/people.events.ts'
import type { Settings } from './people/settings/settings.ts'
import type { UserHub } from './people/users/user-hub.ts'
import type { BlobStore } from './platform/blobs/blob-store.ts'
import { type OpenDatabase, tablesOf } from './platform/database/database.ts'
import type { Events } from './platform/events/events.ts'
import type { Operations } from './platform/operations/operations.ts'
import type { System } from './platform/system/system.ts'
import { makeSandboxParts, type SandboxParts } from './sandbox-parts.ts'
import { type FilesWatch, makeFilesWatch } from './sandboxes/files/files-watch.ts'
import { type GitCredentialParts, makeGitCredentialParts } from './sandboxes/git-credentials/git-credentials-part.ts'
import type { HostClient } from './sandboxes/host/host-client.ts'
import { makeGuestQuestions } from './sandboxes/lifecycle/guest-manifest.ts'
import type { MachineClock } from './sandboxes/lifecycle/lifecycle-clock.ts'
import { whatRuns } from './sandboxes/lifecycle/what-runs.ts'
import { makeServiceWatch, type ServiceWatch } from './sandboxes/services/service-watch.ts'
import { makeServiceStore, type ServiceStore } from './sandboxes/services/services.store.ts'
import type { ServiceTables } from './sandboxes/services/services.table.ts'
import { makeServiceParts, makeServices, type Services } from './sandboxes/services/services.usecases.ts'
import type { ReachableSandbox } from './sandboxes/state/awake-sandbox.ts'
import { policyOf } from './sandboxes/state/sandbox-rows.ts'
import { makeSkillParts, type SkillParts } from './skill-parts.ts'
import type { Access } from './threads/access/access.ts'
import type { Attachments } from './threads/attachments/attachments.usecases.ts'
import type { ThreadRecorder } from './threads/log/thread-log.implementation.ts'
import type { ThreadStore } from './threads/log/threads.store.ts'
import type { ThreadSetups } from './threads/setups/thread-setups.ts'
import type { HiddenThreads } from './threads/threads/hidden-threads.ts'
import type { Threads } from './threads/threads/threads.usecases.ts'
import type { ThreadArea } from './threads/threads.ts'
import type { ReadDefaults } from './threads/workspaces/sandbox-defaults.ts'
import type { Workspaces } from './threads/workspaces/workspaces.usecases.ts'
import { makeTurnStore } from './turns/record/turns.store.ts'
import type { TurnTables } from './turns/record/turns.table.ts'
import { makeSnapshotStore } from './turns/snapshots/snapshots.store.ts'
import type { SnapshotTables } from './turns/snapshots/snapshots.table.ts'
import { makeSnapshots, type Snapshots } from './turns/snapshots/snapshots.usecases.ts'
import { type Installs, makeInstalls } from './workflows/agents/installs.usecases.ts'

/** What threads and their sandboxes are made of. */
export type ThreadParts = SandboxParts &
  SkillParts &
  GitCredentialParts & {
    workspaces: Workspaces
    access: Access
    readDefaults: ReadDefaults
    tellHome: ThreadArea['tellHome']
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
  events: Events<PeopleEvents>
  userHub: UserHub
  operations: Operations
  system: System
  logger: Logger
  machine: MachineClock
  manifestKey: Uint8Array
  masterKey: Uint8Array
  connectionSettings: { connectionsAllow: string; connectionSeconds: number }
  area: ThreadArea
  threadStore: ThreadStore
  /** The sandbox of this thread is in another state. */
  onSandboxChanged: (threadId: string) => void
}

/**
 * Threads, their log and their sandboxes know of each other: a sandbox that changes is announced in its thread, and a
 * thread shows its sandbox. The knot is tied here, by functions that look the other side up when they are called.
 */
export function makeThreadParts(options: ThreadPartsOptions): ThreadParts {
  const { open, system, logger, userHub, operations, area, threadStore } = options
  const { setups, log, attachments, workspaces, threads } = area
  const announce = (threadId: string, isRecorded: boolean) =>
    threads.announce(threadId, { isRecorded }).catch((error: unknown) => {
      logger.warn({ err: error, threadId }, 'change of a thread was not announced')
    })
  const sandboxParts = makeSandboxParts({
    ...options,
    threadStore, log, announce, defaults: area.readDefaults,
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
  const known = { userHub, threadStore, sandboxParts, serviceStore, area }
  const { services, serviceWatch } = makeServiceFeature(options, known)
  const skillParts = makeSkillParts({ ...options, ...known, operations, workspaces, setups })
  const gitParts = makeGitCredentialParts(options, { ...known, workspaces })
  area.events.on('inheritance-changed', async () => {
    gitParts.gitFollow.refresh()
    await sandboxParts.applyLimits()
    sandboxParts.policyLoop.nudge()
    skillParts.skillPlacement.refresh()
  })
  area.events.on('upload-stored', async ({ threadId }) => {
    const sandbox = await sandboxParts.sandboxes.ifAwake(threadId).catch(() => undefined)
    if (sandbox !== undefined) await attachments.deliver(threadId, sandbox)
  })
  area.setSandboxViews(sandboxParts.sandboxViews)
  addContentCounters(options, { sandboxStore: sandboxParts.sandboxStore, serviceStore })
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
    access: area.access,
    readDefaults: area.readDefaults,
    tellHome: area.tellHome,
    threads,
    hiddenThreads: area.hiddenThreads,
    ...skillParts,
    ...gitParts,
    sandboxChanged,
    workspaces,
  }
  options.events.on('settings-changed', () => parts.snapshots.trim())
  return parts
}

/** What a workspace has beside its conversations. */
function addContentCounters(
  { area, host }: ThreadPartsOptions,
  { sandboxStore, serviceStore }: { sandboxStore: SandboxParts['sandboxStore']; serviceStore: ServiceStore },
): void {
  area.addContentCounter({
    kind: 'sandboxes',
    count: async (threadIds) => {
      const rows = (await sandboxStore.list(threadIds)).filter((row) => row.has_run === 1)
      return new Map(rows.map((row) => [row.thread_id, { sandboxId: row.id, state: row.state as SandboxState }]))
    },
    diskBytesOf: async (sandboxId) => {
      const sandbox = await host.get(sandboxId, { withUsage: true }).catch(() => undefined)
      return sandbox?.diskUsedBytes ?? null
    },
  })
  area.addContentCounter({ kind: 'services', count: (threadIds) => serviceStore.names(threadIds) })
}

function makeFilesWatchPart(
  { system, logger }: ThreadPartsOptions,
  { userHub, sandboxParts }: { userHub: UserHub; sandboxParts: SandboxParts },
): FilesWatch {
  return makeFilesWatch({
    ifAwake: (threadId) => sandboxParts.sandboxes.ifAwake(threadId),
    publish: (userId, event) => userHub.publish(userId, event),
    now: system.now, logger,
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
    glanceMs, system, logger,
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
    area: ThreadArea
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
      const defaults = await known.area.readDefaults([threadId])
      return policyOf(await sandboxStore.find(threadId), defaults(threadId).policy).policy.maxServices
    },
    system: options.system,
    logger: options.logger,
  })
  return { services: makeServices(parts), serviceWatch: makeServiceWatch(parts) }
}
