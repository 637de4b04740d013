import { createHmac } from 'node:crypto'
import type { People } from '../people/people.ts'
import { tablesOf } from '../platform/database/database.ts'
import { type Events, makeEvents } from '../platform/events/events.ts'
import type { Api } from '../platform/http/api.ts'
import type { AllowedHosts } from '../platform/http/origins.ts'
import type { SocketRoute } from '../platform/http/socket-server.ts'
import type { Platform } from '../platform/platform.ts'
import type { ThreadArea } from '../threads/threads.ts'
import { type ArchiveOptions, makeArchiveFeature } from './archive/archive.ts'
import { type FilesFeature, makeFilesFeature } from './files/files.ts'
import { makeGitFeature } from './git/git.ts'
import { makeGitCredentialStore } from './git-credentials/git-credentials.store.ts'
import type { GitCredentialTables } from './git-credentials/git-credentials.table.ts'
import { type GitCredentialsFeature, makeGitCredentialsFeature } from './git-credentials/git-credentials.ts'
import type { HostClient } from './host/host-client.ts'
import { type GuestQuestions, makeGuestQuestions } from './lifecycle/guest-manifest.ts'
import { lifecycleRoutes } from './lifecycle/lifecycle.routes.ts'
import { makeLifecycleStore } from './lifecycle/lifecycle.store.ts'
import type { LifecycleTables } from './lifecycle/lifecycle.table.ts'
import { type LifecycleFeature, makeLifecycleFeature } from './lifecycle/lifecycle.ts'
import type { MachineClock } from './lifecycle/lifecycle-clock.ts'
import { makeReporting, type Reporting, type RestartSource } from './lifecycle/reporting.ts'
import { makeRefusedNames, type RefusedNames } from './network/refused-names.ts'
import { threadNetworkRoutes } from './network/thread-network.routes.ts'
import type { LookUpName } from './previews/preview-check.usecases.ts'
import type { PreviewServer } from './previews/preview-server.ts'
import { makePreviewsFeature, type PreviewsFeature } from './previews/previews.ts'
import type { SandboxEvents } from './sandboxes.events.ts'
import { makeBrokeredHosts } from './secrets/brokered-hosts.ts'
import { makeSandboxSecretsFeature, type SandboxSecretsFeature } from './secrets/sandbox-secrets.ts'
import { type BeginAs, makeBeginAs } from './services/begin-as.ts'
import type { SandboxFacts } from './services/services.logic.ts'
import { makeServiceStore, type ServiceStore } from './services/services.store.ts'
import type { ServiceTables } from './services/services.table.ts'
import { makeServicesFeature, type ServicesFeature } from './services/services.ts'
import { makePersonLimits } from './state/person-limits.ts'
import { startReconciler } from './state/reconciler.ts'
import { eraseSandbox } from './state/sandbox-deletion.ts'
import type { SandboxReads } from './state/sandbox-reads.ts'
import { makeSandboxStore, type SandboxStore } from './state/sandboxes.store.ts'
import type { SandboxTables } from './state/sandboxes.table.ts'
import { makeSandboxState, type Preparer, type StateFeature } from './state/state.ts'
import { makeTerminalsFeature, type TerminalsFeature } from './terminals/terminals.ts'

export type SandboxOptions = {
  host: HostClient
  /** Socket of the gateway, to which requests of previews are passed on. */
  gatewaySocket: string
  /** Socket of the process that inserts secrets. */
  egressSocket: string
  hosts: AllowedHosts
  webDirectory: string
  lookUpName: LookUpName
  machine: MachineClock
  archive: ArchiveOptions
  connectionSettings: { connectionsAllow: string; connectionSeconds: number }
}

/** The sandboxes of threads, and what people see in them. */
export type SandboxArea = Pick<StateFeature, 'sandboxes' | 'forkSandbox' | 'rewindSandbox'> &
  Pick<StateFeature, 'waitingThreads' | 'views'> &
  Pick<LifecycleFeature, 'lifecycle' | 'wakeNotes'> & {
    events: Pick<Events<SandboxEvents>, 'on'>
    rows: SandboxReads & Pick<SandboxStore, 'all'>
    /** Records a wake that the row’s state does not come from, in the transaction of what else is recorded about it. */
    noteWake: SandboxStore['noteWake']
    guest: GuestQuestions
    refusedNames: RefusedNames
    hashKeyOf(sandboxId: string): string
    awakeThreads(): Promise<string[]>
    reports: Reporting['reports']
    files: FilesFeature['files']
    services: ServicesFeature['services']
    servicesOf: ServiceStore['list']
    beginAs: BeginAs
    /** Call it when a workflow has changed the state of this thread’s sandbox. */
    changed(threadId: string): void
    /** Features that only tests access. */
    inside: {
      store: SandboxStore
      state: StateFeature
      lifecycle: LifecycleFeature
      gitCredentials: GitCredentialsFeature
    }
    addPreparer(prepare: Preparer): void
    /** Adds a source of sandboxes that belong to no thread. */
    addOwner(sandboxIds: () => Promise<string[]>): void
    previewServer: PreviewServer
    sockets: SocketRoute[]
    routes: Api[]
    /** Begins to keep the server’s records equal to the host’s state. */
    follow(): void
    checkAwake(): Promise<void>
    recoverLifecycle(): Promise<void>
    startPolicy(): void
    stopPolicy(): Promise<void>
    stopReports(): Promise<void>
    stopWatches(): Promise<void>
    stopFollowing(): Promise<void>
  }

type LowerAreas = { platform: Platform; people: People; threads: ThreadArea }

export function makeSandboxArea(known: LowerAreas, options: SandboxOptions): SandboxArea {
  const base = makeBase(known, options)
  const { store, events, state, lifecycle, reporting, hashKeyOf, guest, awakeThreads } = base
  const features = makeFeatures(known, options, base)
  const { files, services, gitCredentials, terminals, previews } = features
  register(known, options, base, features)
  return {
    events,
    rows: store,
    noteWake: store.noteWake,
    guest,
    refusedNames: makeRefusedNames({ store, host: options.host, logger: known.platform.logger }),
    hashKeyOf,
    awakeThreads,
    sandboxes: state.sandboxes,
    forkSandbox: state.forkSandbox,
    rewindSandbox: state.rewindSandbox,
    lifecycle: lifecycle.lifecycle,
    wakeNotes: lifecycle.wakeNotes,
    reports: reporting.reports,
    files: files.files,
    services: services.services,
    servicesOf: base.serviceStore.list,
    beginAs: makeBeginAs({ ...known.platform, ...state, store, serviceStore: base.serviceStore }),
    waitingThreads: state.waitingThreads,
    views: state.views,
    inside: { store, state, lifecycle, gitCredentials },
    changed: (threadId) => void events.emit('sandbox-changed', { threadId }),
    addPreparer: base.preparers.add,
    addOwner: base.owners.add,
    previewServer: previews.front,
    sockets: [terminals.socket],
    routes: [
      files.routes,
      features.git.routes,
      gitCredentials.routes,
      features.secrets.routes,
      lifecycleRoutes({ lifecycle: lifecycle.lifecycle, open: known.threads.open }),
      ...previews.routes,
      threadNetworkRoutes({ ...known.threads, store, host: options.host, egress: state.egress }),
      services.routes,
      terminals.routes,
    ],
    ...makeFollowing(known, options, base, features.secrets),
    recoverLifecycle: lifecycle.recover,
    startPolicy: () => {
      lifecycle.policyLoop.start()
      base.diskUse.start()
    },
    stopPolicy: async () => void (await Promise.all([lifecycle.policyLoop.stop(), base.diskUse.stop()])),
    stopReports: reporting.reports.stop,
    stopWatches: async () => {
      await services.watch.stop()
      await gitCredentials.follow.stop()
      await features.secrets.stop()
      await files.watch.stop()
    },
  }
}

/** What decides when sandboxes sleep, and what every other feature is built on. */
function makeBase({ platform, people, threads }: LowerAreas, options: SandboxOptions) {
  const { host, machine } = options
  const { open, registrations, system, logger } = platform
  const events = makeEvents<SandboxEvents>(logger)
  const preparers = registrations.list<Preparer>('sandboxes.addPreparer')
  const owners = registrations.list<() => Promise<string[]>>('sandboxes.addOwner')
  const restartSources = registrations.list<RestartSource>('reports.addRestartSource')
  const { rows, log, readDefaults } = threads
  const personLimits = makePersonLimits(open.database, { rows, people, host, now: system.now, logger })
  const store = makeSandboxStore(tablesOf<SandboxTables>(open.database), personLimits.insert)
  const lifecycleStore = makeLifecycleStore(tablesOf<LifecycleTables>(open.database))
  const guest = makeGuestQuestions(host)
  const manifestKey = platform.keyFor('threadbox manifests v1')
  const hashKeyOf = (sandboxId: string) => createHmac('sha256', manifestKey).update(sandboxId).digest('hex')
  const announce = (threadId: string, isRecorded: boolean | 'soon') =>
    threads.threads.announce(threadId, { isRecorded }).catch((error: unknown) => {
      logger.warn({ err: error, threadId }, 'change of a thread was not announced')
    })
  const policies = {
    networks: threads.network.ofThreads,
    brokeredHosts: makeBrokeredHosts(threads.secrets.usable),
    privateAddresses: threads.privateAddresses.list,
  }
  const announcing = { rows, log, readDefaults, ...policies, announce }
  const reporting = makeReporting({
    store: lifecycleStore,
    sandboxes: store,
    log,
    host,
    guest,
    system,
    logger,
    lastTurnId: threads.rows.lastTurnId,
    hashKeyOf,
    restartSources: restartSources.entries,
  })
  const state = makeSandboxState({
    store,
    host,
    threads: announcing,
    events,
    recorder: reporting.reports,
    announceWaiting: reporting.announceWaiting,
    ...personLimits,
    bringBack: (threadId) => archives.bringBack(threadId),
    // Files uploaded since the last use, then what features above prepare.
    preparers: () => [threads.attachments.deliver, ...preparers.entries()],
    hashKeyOf,
    system,
    logger,
  })
  const archives = makeArchiveFeature({ ...platform, ...options, sandboxes: store, state, announce })
  const lifecycle = makeLifecycleFeature({
    archives,
    store,
    lifecycleStore,
    host,
    guest,
    state,
    reporting,
    people,
    events,
    threads: announcing,
    hashKeyOf,
    machine: { clock: machine, system, logger },
  })
  const shared = { events, preparers, owners, restartSources, store, guest, hashKeyOf, reporting, state, archives }
  return {
    ...shared,
    lifecycle,
    diskUse: personLimits.diskUse,
    serviceStore: makeServiceStore(tablesOf<ServiceTables>(open.database)),
    awakeThreads: async () =>
      (await store.all()).filter((row) => row.state === 'active').map(({ thread_id }) => thread_id),
  }
}

type Base = ReturnType<typeof makeBase>

function makeFeatures({ platform, people, threads }: LowerAreas, options: SandboxOptions, base: Base) {
  const { open, secretBox, system, logger } = platform
  const { audit, holds, userHub } = people
  const { store } = base
  const { sandboxes } = base.state
  const { open: openThread } = threads
  const factsOf = async (threadId: string): Promise<SandboxFacts | undefined> => {
    const row = await store.find(threadId)
    return row && { state: row.state, bootId: row.boot_id, since: row.since }
  }
  const { publish } = userHub
  const files = makeFilesFeature({ ...options, sandboxes, store, threads: threads.threads, publish, system, logger })
  const services = makeServicesFeature({
    store: base.serviceStore,
    sandboxes,
    sandboxStore: store,
    factsOf,
    threads,
    userHub,
    system,
    logger,
  })
  const gitCredentials = makeGitCredentialsFeature({
    store: makeGitCredentialStore(tablesOf<GitCredentialTables>(open.database)),
    host: options.host,
    sandboxes,
    awakeThreads: base.awakeThreads,
    threads,
    secretBox,
    limits: options.connectionSettings,
    audit,
    system,
    logger,
  })
  const secrets = makeSandboxSecretsFeature({ ...platform, ...options, ...base, ...base.state, threads, audit })
  const terminals = makeTerminalsFeature({ ...platform, openThread, sandboxes, factsOf, threads, holds, userHub })
  const previews = makePreviewsFeature({
    open,
    hosts: options.hosts,
    clientAddress: platform.clientAddress,
    gatewaySocket: options.gatewaySocket,
    webDirectory: options.webDirectory,
    sandboxes,
    sandboxStore: store,
    services: services.services,
    openThread,
    audit,
    lookUpName: options.lookUpName,
    system,
    logger,
  })
  return {
    files,
    services,
    git: makeGitFeature({ sandboxes, store, open: openThread }),
    gitCredentials,
    secrets,
    terminals,
    previews,
  }
}

type Features = {
  secrets: SandboxSecretsFeature
  services: ServicesFeature
  gitCredentials: GitCredentialsFeature
  terminals: TerminalsFeature
  previews: PreviewsFeature
}

/** What this area adds to the registrations of the areas below and to its own, and what it listens to. */
function register({ threads, ...known }: LowerAreas, { host }: SandboxOptions, base: Base, features: Features): void {
  const { state, store, events, serviceStore, archives } = base
  const { services, gitCredentials, terminals, previews } = features
  for (const { leaving } of [gitCredentials, previews]) known.people.addLeaving(leaving)
  threads.addPersonalUse({ kind: 'gitCredentials', read: gitCredentials.personalIn })
  known.platform.secrets.addHolder(gitCredentials.tokens)
  threads.setSandboxViews(state.views)
  threads.addEraser((threadId) => previews.previews.forget(threadId))
  threads.addEraser((threadId) => eraseSandbox({ store, host, ...state, forgetArchive: archives.forget }, threadId))
  threads.addEraser(features.secrets.forget)
  threads.addContentCounter({
    kind: 'sandboxes',
    count: async (threadIds) => {
      const rows = (await store.list(threadIds)).filter((row) => row.has_run === 1)
      return new Map(rows.map((row) => [row.thread_id, { sandboxId: row.id, state: row.state }]))
    },
    diskBytesOf: async (sandboxId) => {
      const sandbox = await host.get(sandboxId, { usage: true }).catch(() => undefined)
      return sandbox?.diskUsedBytes ?? null
    },
  })
  threads.addContentCounter({ kind: 'services', count: serviceStore.names })
  base.restartSources.add(services.watch.restarted)
  base.preparers.add(gitCredentials.follow.deliver)
  base.preparers.add(features.secrets.deliver)
  events.on('sandbox-changed', ({ threadId }) => services.watch.sandboxChanged(threadId))
  events.on('sandbox-changed', ({ threadId }) => gitCredentials.follow.sandboxChanged(threadId))
  events.on('sandbox-changed', ({ threadId }) => terminals.sandboxChanged(threadId))
  threads.events.on('inheritance-changed', gitCredentials.follow.refresh)
  threads.events.on('network-changed', state.egress.apply)
  threads.events.on('secrets-changed', features.secrets.refresh)
  threads.events.on('inheritance-changed', async () => {
    await features.secrets.refresh()
    await state.applyLimits()
    base.lifecycle.policyLoop.nudge()
  })
  threads.events.on('upload-stored', async ({ threadId }) => {
    const sandbox = await state.sandboxes.ifAwake(threadId).catch(() => undefined)
    if (sandbox !== undefined) await threads.attachments.deliver(threadId, sandbox)
  })
}

function makeFollowing(
  { platform, people }: LowerAreas,
  { host }: SandboxOptions,
  { store, events, state, lifecycle, owners, awakeThreads }: Base,
  secrets: Pick<SandboxSecretsFeature, 'follow'>,
): Pick<SandboxArea, 'follow' | 'checkAwake' | 'stopFollowing'> {
  let reconciler: AsyncDisposable | undefined
  return {
    follow: () => {
      secrets.follow()
      reconciler = startReconciler({
        store,
        host,
        sandboxes: state.sandboxes,
        pausing: state.pausing,
        transition: state.transition,
        isDemoting: lifecycle.demotion.isDemoting,
        otherSandboxes: async () => (await Promise.all(owners.entries().map((ids) => ids()))).flat(),
        logger: platform.logger,
        onHostChange: (isReachable) => {
          state.setReachable(isReachable)
          void events.emit('host-changed', { isReachable })
          people.userHub.broadcast({ type: 'status-updated' })
        },
        onEvent: async (event) => {
          if (event.type === 'awake-changed') people.userHub.broadcast(event)
          else await lifecycle.noteHostEvent(event)
        },
        applyEgress: state.egress.apply,
        applyLimits: state.applyLimits,
      })
    },
    checkAwake: async () => {
      for (const threadId of await awakeThreads()) void events.emit('sandbox-changed', { threadId })
    },
    stopFollowing: async () => await reconciler?.[Symbol.asyncDispose](),
  }
}
