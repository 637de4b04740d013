import type { UserEvent } from '@threadbox/protocol/public'
import type { Kysely } from 'kysely'
import type { People } from '../people/people.ts'
import { tablesOf } from '../platform/database/database.ts'
import { type Events, makeEvents } from '../platform/events/events.ts'
import type { Registration } from '../platform/events/registrations.ts'
import type { Api, OpenThread } from '../platform/http/api.ts'
import type { AllowedHosts } from '../platform/http/origins.ts'
import type { SocketRoute } from '../platform/http/socket-server.ts'
import type { Platform } from '../platform/platform.ts'
import { type Access, type AccessSubject, makeAccess, subjectOfThread } from './access/access.ts'
import { type Home, notifyMembers } from './access/notify-members.ts'
import { makeOpenings } from './access/openings.ts'
import { makeWorkspaceStore } from './access/workspaces.store.ts'
import type { WorkspaceTables } from './access/workspaces.table.ts'
import { makeAttachmentStore } from './attachments/attachments.store.ts'
import type { AttachmentTables } from './attachments/attachments.table.ts'
import { type Attachments, makeAttachments } from './attachments/attachments.usecases.ts'
import { blobPrefixesOf } from './attachments/blob-keys.ts'
import { contentRoutes } from './attachments/content.routes.ts'
import { makeLiveHub } from './log/thread-log.hub.ts'
import { makeThreadLog, type ThreadRecorder } from './log/thread-log.implementation.ts'
import type { LogTransaction } from './log/thread-log.ts'
import type { ThreadRows } from './log/thread-rows.ts'
import { makeThreadStore, type ThreadStore } from './log/threads.store.ts'
import type { ThreadTables } from './log/threads.table.ts'
import { networkRoutes } from './network/network.routes.ts'
import { makeNetworkStore } from './network/network.store.ts'
import type { NetworkTables } from './network/network.table.ts'
import { makeNetworkPolicies, type NetworkPolicies } from './network/network-policies.ts'
import { makePrivateAddressStore } from './network/private-addresses.store.ts'
import type { PrivateAddressTables } from './network/private-addresses.table.ts'
import { makePrivateAddresses, type PrivateAddresses } from './network/private-addresses.ts'
import type { SearchTables } from './search/search.table.ts'
import { makeSearchIndex } from './search/search-index.ts'
import { makeSecretsFeature, type SecretsFeature } from './secrets/secrets.ts'
import { makeThreadSetupStore } from './setups/thread-setups.store.ts'
import type { ThreadSetupTables } from './setups/thread-setups.table.ts'
import { makeThreadSetups, type ThreadSetups } from './setups/thread-setups.ts'
import { makePresence } from './threads/presence.ts'
import { streamSocketRoute } from './threads/stream-socket.route.ts'
import { makeStreamSources, type StreamSources } from './threads/stream-sources.ts'
import { makeStreamVisits } from './threads/stream-visits.ts'
import { registerThreadDeletion, replanDeletions, type ThreadEraser } from './threads/thread-deletion.ts'
import { makeThreadDrafts, type ThreadDrafts } from './threads/thread-drafts.ts'
import { threadRoutes } from './threads/threads.routes.ts'
import { makeThreads, type Threads } from './threads/threads.usecases.ts'
import type { SandboxViews } from './threads/threads-dependencies.ts'
import { makeWorkspaceThreads } from './threads/workspace-threads.ts'
import type { ThreadEvents } from './threads.events.ts'
import { makeThreadLeaving } from './workspaces/leaving.ts'
import type { LeavingThreads } from './workspaces/leaving-threads.ts'
import { memberRoutes } from './workspaces/members.routes.ts'
import { makeMembers } from './workspaces/members.usecases.ts'
import type { PersonalUse } from './workspaces/personal-uses.ts'
import type { ReadDefaults } from './workspaces/sandbox-defaults.ts'
import type { ContentCounter } from './workspaces/workspace-contents.ts'
import { makeReadDefaults } from './workspaces/workspace-defaults.ts'
import {
  registerWorkspaceDeletion,
  replanWorkspaceDeletions,
  type WorkspaceEraser,
} from './workspaces/workspace-deletion.ts'
import { workspaceNetworkRoutes } from './workspaces/workspace-network.routes.ts'
import { workspaceRoutes } from './workspaces/workspaces.routes.ts'
import { makeWorkspaces, type Workspaces } from './workspaces/workspaces.usecases.ts'

/** Conversations and workspaces. */
export type ThreadArea = {
  events: Pick<Events<ThreadEvents>, 'on'>
  access: Access
  log: ThreadRecorder
  setups: ThreadSetups
  attachments: Attachments
  threads: Threads
  threadDrafts: ThreadDrafts
  workspaces: Workspaces
  readDefaults: ReadDefaults
  network: NetworkPolicies
  privateAddresses: Pick<PrivateAddresses, 'list'>
  secrets: Omit<SecretsFeature, 'routes'>
  /** Throws `thread.not-found` unless the thread is this user's. */
  open: OpenThread
  rows: ThreadRows
  /** The thread’s creator; undefined when the thread doesn't exist or is deleted. */
  ownerOf(threadId: string): Promise<string | undefined>
  /** Who can see the thread; empty when it doesn't exist or is deleted. */
  readersOf(threadId: string): Promise<string[]>
  /** See `Access.personalOwner`. */
  personalOwnerOf(threadId: string): Promise<string | null>
  /** Where the thread is; undefined when it doesn't exist or is deleted. */
  subjectOf(threadId: string): Promise<AccessSubject | undefined>
  /** Publishes the event to the workspace's members, or to the user. */
  notifyMembers(home: Home, event: UserEvent): Promise<void>
  setSandboxViews(views: SandboxViews): void
  /** Erasers run in reverse order of registration; the thread's own row is deleted last. */
  addEraser(erase: ThreadEraser): void
  addWorkspaceEraser(erase: WorkspaceEraser): void
  addContentCounter(counter: ContentCounter): void
  /** Adds what of a person’s own threads use. */
  addPersonalUse(use: PersonalUse): void
  /** Call at start: plans an operation for each thread that is marked as deleted. */
  replanDeletions(): Promise<void>
  /** For tests only. */
  inside: { store: ThreadStore; sources: StreamSources }
  sockets: SocketRoute[]
  routes: Api[]
}

type AreasBelow = { platform: Platform; people: People }

export function makeThreadArea(known: AreasBelow, options: { undoMs: number; hosts: AllowedHosts }): ThreadArea {
  const { open, blobs, operations, registrations, system, logger } = known.platform
  const { settings, audit, userHub, users } = known.people
  const events = makeEvents<ThreadEvents>(logger)
  const sandboxViews = registrations.one<SandboxViews>('threads.setSandboxViews')
  const counters = registrations.list<ContentCounter>('workspaces.addContentCounter')
  const workspaceStore = makeWorkspaceStore(tablesOf<WorkspaceTables>(open.database))
  const openings = makeOpenings(known)
  const access = makeAccess({ store: workspaceStore, openings })
  const { store, log, titles, search } = makeLog(known, events)
  const setups = makeThreadSetups(makeThreadSetupStore(tablesOf<ThreadSetupTables>(open.database)))
  const attachmentStore = makeAttachmentStore(tablesOf<AttachmentTables>(open.database))
  const attachments = makeAttachments({ store: attachmentStore, blobs, events, system, logger })
  const shared = { access, events, operations, userHub, audit, system, undoMs: options.undoMs }
  const workspaceThreads = makeWorkspaceThreads({ store, operations })
  const workspaces = makeWorkspaces({
    ...shared,
    store: workspaceStore,
    threads: workspaceThreads,
    installation: async () => ({ policy: await settings.policy(), limits: await settings.limits() }),
    counters: counters.entries,
  })
  const threads = makeThreads({
    ...shared,
    store,
    log,
    search: { find: search.find, ...titles },
    sandboxViews: (threadIds) => sandboxViews.get()(threadIds),
    requireWorkspace: workspaces.requireOpen,
  })
  const members = makeMembers({ ...shared, store: workspaceStore, workspaces, threads: workspaceThreads, users })
  known.people.setWorkspaceInvites({ requireManaged: workspaces.requireManaged, ...members })
  const { network, privateAddresses } = makeNetwork(known, { store, events })
  const secrets = makeSecrets(known, { ...options, store, access, workspaces, events })
  const places = makePlaces({ store, access })
  const { sources, presence, visits } = makeStreams(known, { store, threads, log, readersOf: places.readersOf })
  known.people.setWorkspaceCheck(async (userId, workspaceId) => void (await workspaces.get(userId, workspaceId)))
  const { remove, ...deletion } = makeDeletion(known, { ...options, store, workspaceStore, workspaceThreads, events })
  const leaving = makeThreadLeaving(known, {
    ...shared,
    store,
    workspaceStore,
    threads,
    workspaces,
    log,
    remove,
    openings,
  })
  leaving.addPersonalUse({ kind: 'secrets', read: secrets.personalIn })
  events.on('sidebar-changed', ({ threadId }) => threads.announce(threadId, { isRecorded: false }))
  events.on('threads-listed', ({ workspaceIds }) => workspaces.changed(workspaceIds))
  return {
    events,
    access,
    log,
    setups,
    attachments,
    threads,
    workspaces,
    threadDrafts: makeThreadDrafts({ store, operations, threads, titles, events, system }),
    readDefaults: makeReadDefaults({ store: workspaceStore, settings, workspacesOf: store.workspacesOf }),
    network,
    privateAddresses,
    secrets,
    open: threads.open,
    rows: store,
    ...places,
    notifyMembers: (home, event) => notifyMembers({ workspaceStore, userHub }, { home, event }),
    setSandboxViews: sandboxViews.set,
    addPersonalUse: leaving.addPersonalUse,
    ...deletion,
    addContentCounter: counters.add,
    inside: { store, sources },
    sockets: [streamSocketRoute({ sources, visits, logger })],
    routes: [
      threadRoutes({ threads, network, log, sources, visits, presence }),
      networkRoutes({ network, privateAddresses, users }),
      secrets.routes,
      workspaceRoutes({ workspaces }),
      memberRoutes({ members }),
      leaving.routes,
      workspaceNetworkRoutes({ network, workspaces }),
      contentRoutes({ open: threads.open, log, blobs, attachments }),
    ],
  }
}

/** What pages of threads receive while they are open. */
function makeStreams(
  { platform, people }: AreasBelow,
  known: { store: ThreadStore; threads: Threads; log: ThreadRecorder; readersOf: ThreadArea['readersOf'] },
) {
  const { system, logger } = platform
  const { userHub, holds } = people
  const { store, threads, log, readersOf } = known
  return {
    sources: makeStreamSources({
      threads,
      now: system.now,
      workspaceOf: async (threadId) => (await store.findAny(threadId))?.workspace_id ?? null,
      log,
      userHub,
    }),
    presence: makePresence({ readersOf, userHub, now: system.now }),
    visits: makeStreamVisits({ holds, system, logger }),
  }
}

/** Who has what to do with a thread, for areas above. */
function makePlaces({
  store,
  access,
}: {
  store: ThreadStore
  access: Access
}): Pick<ThreadArea, 'ownerOf' | 'readersOf' | 'personalOwnerOf' | 'subjectOf'> {
  const find = async (threadId: string) => {
    const row = await store.findAny(threadId)
    return row?.deleted_at === null ? row : undefined
  }
  return {
    ownerOf: async (threadId) => (await find(threadId))?.user_id,
    readersOf: async (threadId) => {
      const row = await find(threadId)
      return row === undefined ? [] : await access.people('read', subjectOfThread(row))
    },
    personalOwnerOf: async (threadId) => {
      const row = await find(threadId)
      return row === undefined ? null : await access.personalOwner(row)
    },
    subjectOf: async (threadId) => {
      const row = await find(threadId)
      return row && subjectOfThread(row)
    },
  }
}

function makeSecrets(
  { platform, people }: AreasBelow,
  known: {
    hosts: AllowedHosts
    store: ThreadStore
    access: Access
    workspaces: Workspaces
    events: Events<ThreadEvents>
  },
) {
  const { hosts, store, access, workspaces, events } = known
  const secrets = makeSecretsFeature({
    ...platform,
    ...people,
    threads: store,
    access,
    requireManaged: workspaces.requireManaged,
    hosts,
    events,
  })
  platform.secrets.addHolder(secrets.values)
  people.addLeaving(secrets.leaving)
  return secrets
}

function makeNetwork(
  { platform, people }: AreasBelow,
  { store, events }: { store: ThreadStore; events: Events<ThreadEvents> },
) {
  const { users, audit } = people
  const { open, system } = platform
  const shared = { users, audit, events, system }
  const addressStore = makePrivateAddressStore(tablesOf<PrivateAddressTables>(open.database))
  const privateAddresses = makePrivateAddresses({ ...shared, store: addressStore })
  const networkStore = makeNetworkStore(tablesOf<NetworkTables>(open.database))
  const network = makeNetworkPolicies({ ...shared, store: networkStore, threads: store, privateAddresses })
  return { network, privateAddresses }
}

function makeLog({ platform }: AreasBelow, events: Events<ThreadEvents>) {
  const { open, system, logger } = platform
  const store = makeThreadStore(tablesOf<ThreadTables>(open.database))
  const searchTables = tablesOf<SearchTables>(open.database)
  const search = makeSearchIndex({ database: searchTables, kind: open.kind })
  const log = makeThreadLog({
    database: tablesOf<ThreadTables>(open.database),
    hub: makeLiveHub(),
    search,
    now: system.now,
    onCommit: ({ threadId, isSidebarChange }) => {
      if (isSidebarChange) void events.emit('sidebar-changed', { threadId })
    },
    onUnrecorded: (error, threadId) => logger.debug({ err: error, threadId }, 'state of a thread was not recorded'),
  })
  const titles = {
    putTitle: (thread: { id: string; title: string; at: number }, transaction?: LogTransaction) =>
      search.putTitle((transaction as unknown as Kysely<SearchTables> | undefined) ?? searchTables, thread),
  }
  return { store, log, search, titles }
}

/** Registers the permanent deletion of threads and workspaces. */
function makeDeletion(
  { platform }: AreasBelow,
  known: {
    store: ThreadStore
    workspaceStore: ReturnType<typeof makeWorkspaceStore>
    workspaceThreads: ReturnType<typeof makeWorkspaceThreads>
    events: Events<ThreadEvents>
    undoMs: number
  },
): Pick<ThreadArea, 'addEraser' | 'addWorkspaceEraser' | 'replanDeletions'> & Pick<LeavingThreads, 'remove'> {
  const { blobs, operations, registrations, system, logger } = platform
  const { store, undoMs } = known
  const erasers: Registration<ThreadEraser> = registrations.list('threads.addEraser')
  const workspaceErasers: Registration<WorkspaceEraser> = registrations.list('workspaces.addEraser')
  erasers.add(async (threadId) => {
    for (const prefix of blobPrefixesOf(threadId)) await blobs.deleteAll(prefix)
  })
  const threadDeletion = registerThreadDeletion({
    operations,
    store,
    events: known.events,
    system,
    logger,
    erasers: () => erasers.entries().toReversed(),
  })
  const deletion = { operations, store: known.workspaceStore, threads: known.workspaceThreads, system, logger }
  const workspaceDeletion = registerWorkspaceDeletion({
    ...deletion,
    events: known.events,
    erasers: workspaceErasers.entries,
  })
  return {
    remove: { thread: threadDeletion.remove, workspace: workspaceDeletion.remove },
    addEraser: erasers.add,
    addWorkspaceEraser: workspaceErasers.add,
    replanDeletions: async () => {
      await replanWorkspaceDeletions({ ...deletion, undoMs })
      await replanDeletions({ operations, store, system, undoMs })
    },
  }
}
