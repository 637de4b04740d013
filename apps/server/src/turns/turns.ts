import type { turnSettings } from '@threadbox/config'
import { isThreadboxError } from '@threadbox/errors'
import type { People } from '../people/people.ts'
import { tablesOf } from '../platform/database/database.ts'
import { type Events, makeEvents } from '../platform/events/events.ts'
import type { Api } from '../platform/http/api.ts'
import type { AllowedHosts } from '../platform/http/origins.ts'
import type { Platform } from '../platform/platform.ts'
import { egressOf, type HostClient, makePreviewNames } from '../sandboxes/public.ts'
import type { SandboxArea } from '../sandboxes/sandboxes.ts'
import type { ThreadArea } from '../threads/threads.ts'
import { type ConnectionSettings, type ConnectionsFeature, makeConnectionsFeature } from './connections/connections.ts'
import { type EngineFeature, makeEngineFeature } from './engine/engine.ts'
import type { TurnGate, TurnNote } from './engine/turn-dependencies.ts'
import { type ModelsFeature, makeModelsFeature } from './models/models.ts'
import { countMessagesToOthers } from './record/messages-to-others.ts'
import type { TurnHistory } from './record/turn-history.ts'
import { makeTurnHistory } from './record/turns.store.ts'
import type { TurnTables } from './record/turns.table.ts'
import { makeSkillsFeature, type SkillsFeature } from './skills/skills.ts'
import { makeSnapshotsFeature, type SnapshotsFeature } from './snapshots/snapshots.ts'
import { makeSpendingFeature, type SpendingFeature } from './spending/spending.ts'
import type { TurnEvents } from './turns.events.ts'

export type TurnOptions = {
  host: HostClient
  hosts: AllowedHosts
  turnSettings: { [Name in keyof typeof turnSettings]: number }
  connectionSettings: ConnectionSettings
  /** Environment variables that can contain keys of model providers. */
  environment: Readonly<Record<string, string | undefined>>
  /** Where to look for Ollama; null: its default address. */
  ollamaUrl: string | null
  /** How long the server waits for a guest's manifest when a turn has ended. */
  manifestTimeoutMs?: number
  version: string
}

/** The agent loop and what agents get. */
export type TurnArea = Pick<EngineFeature, 'turns'> &
  Pick<ModelsFeature, 'models'> &
  Pick<SkillsFeature, 'skills'> &
  Pick<SnapshotsFeature, 'snapshots'> & {
    events: Pick<Events<TurnEvents>, 'on'>
    history: TurnHistory
    agentConnections: ConnectionsFeature['agentConnections']
    connectionRows: ConnectionsFeature['rows']
    modelRows: ModelsFeature['rows']
    usage: SpendingFeature['reports']
    /** Adds a gate, which throws its own error when no turn can start in a thread. */
    addGate(gate: TurnGate): void
    /** Adds a source of notes to the model on how a conversation came about. */
    addNote(note: TurnNote): void
    routes: Api[]
    recoverPrograms(): Promise<void>
    recover(): Promise<void>
    stopTurns(): Promise<void>
    stopSnapshots(): Promise<void>
    stopConnections(): Promise<void>
  }

type AreasBelow = { platform: Platform; people: People; threads: ThreadArea; sandboxes: SandboxArea }

export function makeTurnArea(known: AreasBelow, options: TurnOptions): TurnArea {
  const { open, blobs, registrations, system, logger } = known.platform
  const events = makeEvents<TurnEvents>(logger)
  const gates = registrations.list<TurnGate>('turns.addGate')
  const notes = registrations.list<TurnNote>('turns.addNote')
  const history = makeTurnHistory(tablesOf<TurnTables>(open.database))
  const spending = makeSpendingFor(known, events)
  const received = makeReceived(known, options, { events, ledger: spending.ledger })
  const { models, connections, skills } = received
  const snapshots = makeSnapshotsFor(known, options, history)
  const { sandboxes: access, services, lifecycle, wakeNotes, refusedNames } = known.sandboxes
  const engine = makeEngineFeature({
    open,
    store: history,
    threads: known.threads,
    sandbox: { access, services, lifecycle, wakeNotes, refusedNames, snapshots: snapshots.snapshots },
    skills: skills.skills,
    connections: connections.agentConnections,
    models: {
      ...models.models,
      ledger: spending.ledger,
      staysWithProvider: async () => (await known.people.settings.values()).modelFallbacks === 'same-provider',
    },
    above: { gates: gates.entries, notes: notes.entries, events },
    settings: options.turnSettings,
    blobs,
    system,
    logger,
  })
  const { turns } = engine
  register(known, { ...received, spending, snapshots, engine, events })
  return {
    turns,
    models: models.models,
    skills: skills.skills,
    snapshots: snapshots.snapshots,
    events,
    history,
    agentConnections: connections.agentConnections,
    connectionRows: connections.rows,
    modelRows: models.rows,
    usage: spending.reports,
    addGate: gates.add,
    addNote: notes.add,
    routes: [skills.routes, snapshots.routes, engine.routes, connections.routes, models.routes, spending.routes],
    recoverPrograms: connections.programs.recover,
    recover: turns.recover,
    stopTurns: turns.close,
    stopSnapshots: snapshots.snapshots.idle,
    stopConnections: async () => await connections[Symbol.asyncDispose](),
  }
}

type Features = {
  models: ModelsFeature
  connections: ConnectionsFeature
  skills: SkillsFeature
  snapshots: SnapshotsFeature
  spending: SpendingFeature
  engine: EngineFeature
}

/** What requests to models cost. */
function makeSpendingFor(
  { platform, people, threads }: AreasBelow,
  events: Pick<Events<TurnEvents>, 'emit'>,
): SpendingFeature {
  const { workspaces } = threads
  return makeSpendingFeature({
    open: platform.open,
    events,
    administers: people.users.administers,
    requireWorkspace: workspaces.requireManaged,
    workspaceNames: async (userId) =>
      new Map((await workspaces.list(userId)).workspaces.map(({ id, name }) => [id, name])),
    threadTitle: async (userId, threadId) => {
      try {
        return (await threads.threads.open(userId, threadId, 'read')).title
      } catch (error) {
        if (isThreadboxError(error)) return null
        throw error
      }
    },
    personNames: async () => new Map((await people.users.names()).map(({ id, name }) => [id, name])),
    timeZone: async () => (await people.settings.values()).timeZone,
    limitsOf: async ({ userId }) => {
      const [month, limits, values] = await Promise.all([
        people.quotas.month(),
        people.quotas.limits(userId),
        people.settings.values(),
      ])
      const { from, to, timeZone } = month
      const ofPerson = limits.modelMicroUsdPerMonth
      const ofAll = values.modelUsdPerMonth * 1_000_000
      return {
        limits: [
          ...(ofPerson === null ? [] : [{ from, to, userId, microUsd: ofPerson }]),
          ...(ofAll === 0 ? [] : [{ from, to, userId: null, microUsd: ofAll }]),
        ],
        timeZone,
        allowsUnpriced: values.unpricedModels === 'allowed',
      }
    },
    system: platform.system,
  })
}

/** What agents get: models, connections' tools and skills. */
function makeReceived(
  { platform, people, threads, sandboxes }: AreasBelow,
  options: TurnOptions,
  { events, ledger }: { events: Events<TurnEvents>; ledger: SpendingFeature['ledger'] },
): Pick<Features, 'models' | 'connections' | 'skills'> {
  const { open, blobs, secretBox, operations, system, logger } = platform
  const { audit, users } = people
  const { access, rows, setups, notifyMembers, workspaces, network, privateAddresses } = threads
  const { host, hosts, environment, ollamaUrl, connectionSettings, version } = options
  const workspaceIdsOf = async (userId: string) => (await workspaces.list(userId)).workspaces.map(({ id }) => id)
  return {
    models: makeModelsFeature({
      open,
      secretBox,
      events,
      administers: users.administers,
      audit,
      ledger,
      environment,
      ollamaUrl,
      system,
    }),
    connections: makeConnectionsFeature({
      open,
      host,
      hashKeyOf: sandboxes.hashKeyOf,
      egressFor: async (workspaceId) =>
        egressOf(
          await network.of(workspaceId === null ? { level: 'installation' } : { level: 'workspace', workspaceId }),
          { listed: await privateAddresses.list() },
        ),
      operations,
      people: { access, workspacesOf: workspaceIdsOf, requireWorkspace: workspaces.requireManaged },
      placeOf: async (threadId) => {
        const row = await rows.findAny(threadId)
        if (row === undefined || row.deleted_at !== null) return undefined
        const only = (await setups.of(row))?.connectionIds ?? null
        return { userId: await access.personalOwner(row), workspaceId: row.workspace_id, only }
      },
      originOf: makePreviewNames(hosts).ownOrigin,
      secretBox,
      settings: { ...connectionSettings, version },
      audit,
      system,
      logger,
    }),
    skills: makeSkillsFeature({
      open,
      blobs,
      operations,
      host,
      files: sandboxes.files,
      threads: {
        access,
        rows,
        setups,
        threads: threads.threads,
        workspaceIdsOf,
        requireWorkspace: workspaces.requireOpen,
        notifyMembers,
      },
      awake: async () => {
        const awake = (await sandboxes.rows.all()).filter((row) => row.state === 'active')
        return awake.map((row) => ({ threadId: row.thread_id, sandboxId: row.id, bootId: row.boot_id ?? '' }))
      },
      audit,
      system,
      logger,
    }),
  }
}

function makeSnapshotsFor(
  { platform, people, threads, sandboxes }: AreasBelow,
  { host, manifestTimeoutMs }: TurnOptions,
  record: TurnHistory,
): SnapshotsFeature {
  const { rows, guest, hashKeyOf } = sandboxes
  return makeSnapshotsFeature({
    open: platform.open,
    host,
    record,
    threads,
    sandboxOf: rows.find,
    inside: { guest, hashKeyOf, memoryOf: rows.memory },
    settings: people.settings,
    changed: async (threadId) => {
      for (const userId of await threads.readersOf(threadId)) {
        people.userHub.publish(userId, { type: 'snapshots-updated', threadId })
      }
    },
    manifestTimeoutMs,
    system: platform.system,
    logger: platform.logger,
  })
}

/** Registers this area's parts in the lists of areas below it, and its listeners. */
function register(
  { platform, people, threads, sandboxes }: AreasBelow,
  { models, connections, skills, snapshots, engine, spending, events }: Features & { events: Events<TurnEvents> },
): void {
  const { turns } = engine
  const { placement } = skills
  platform.secrets.addHolder(models.secrets)
  platform.secrets.addHolder(connections.secrets)
  people.addLeaving(connections.leaving)
  threads.addPersonalUse({
    kind: 'connections',
    read: async (userId, thread) => {
      const only = (await threads.setups.of(thread))?.connectionIds ?? null
      const own = (await connections.rows.list(userId, [])).filter((row) => row.is_enabled === 1)
      return own.filter((row) => only === null || only.includes(row.id)).map(({ name }) => name)
    },
  })
  people.addLeaving(skills.skills.leaving)
  people.addLeaving({
    counts: async (userId) => ({
      messagesToOthers: await countMessagesToOthers(tablesOf(platform.open.database), userId),
    }),
  })
  people.addMeter({
    quota: 'modelMicroUsdPerMonth',
    read: (userId, { from, to }) => spending.spent({ from, to, userId }),
  })
  threads.addContentCounter({ kind: 'connections', count: connections.rows.namesIn })
  threads.addWorkspaceEraser(skills.skills.eraseOf)
  threads.addWorkspaceEraser(connections.programs.eraseOfWorkspace)
  threads.addEraser(async (threadId) => {
    await turns.stop(threadId)
    await turns.settled(threadId)
  })
  threads.events.on('thread-deleted', ({ threadId }) => turns.stop(threadId))
  threads.events.on('inheritance-changed', placement.refresh)
  sandboxes.addPreparer((threadId, { sandboxId, bootId }) => placement.deliver({ threadId, sandboxId, bootId }))
  sandboxes.addOwner(connections.programs.sandboxIds)
  const whenBack = (listener: () => void | Promise<void>) =>
    sandboxes.events.on('host-changed', async ({ isReachable }) => {
      if (isReachable) await listener()
    })
  whenBack(placement.refresh)
  // Takes snapshots that a previous server, or an unreachable host, left pending.
  whenBack(snapshots.snapshots.recover)
  whenBack(connections.programs.settle)
  whenBack(connections.programs.applyEgress)
  threads.events.on('network-changed', connections.programs.applyEgress)
  people.events.on('settings-changed', () => snapshots.snapshots.trim())
  events.on('model-connected', async ({ name }) => {
    await turns.offerModel(name)
    people.userHub.broadcast({ type: 'status-updated' })
  })
}
