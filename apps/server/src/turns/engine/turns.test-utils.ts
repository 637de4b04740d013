import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSettings, serverSettings, turnSettings } from '@threadbox/config'
import type { Attachment, Entry, ModelConnection, Turn } from '@threadbox/protocol/public'
import { makeLogger } from '@threadbox/telemetry'
import { type ModelServer, startModelServer } from '@threadbox/testkit'
import type { Kysely } from 'kysely'
import { openMigrated } from '../../migrated.test-utils.ts'
import type { AuditTables } from '../../people/audit/audit.table.ts'
import { makeAudit } from '../../people/audit/audit.ts'
import { makeDirectoryBlobStore } from '../../platform/blobs/directory-blob-store.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import { makeEvents } from '../../platform/events/events.ts'
import { makeOperationStore } from '../../platform/operations/operations.store.ts'
import type { OperationTables } from '../../platform/operations/operations.table.ts'
import { makeOperations } from '../../platform/operations/operations.ts'
import { makeSecretBox } from '../../platform/secrets/secret-box.ts'
import { makeSystem } from '../../platform/system/system.ts'
import { makeHostClient } from '../../sandboxes/host/host-client.ts'
import { type GuestServices, makeGuestServices } from '../../sandboxes/services/guest-services.test-utils.ts'
import { makeServiceStore } from '../../sandboxes/services/services.store.ts'
import type { ServiceTables } from '../../sandboxes/services/services.table.ts'
import { makeServiceParts, makeServices, type Services } from '../../sandboxes/services/services.usecases.ts'
import type { ReachableSandbox } from '../../sandboxes/state/awake-sandbox.ts'
import { tablesIn } from '../../tables.test-utils.ts'
import { makeLiveHub } from '../../threads/log/thread-log.hub.ts'
import { makeThreadLog } from '../../threads/log/thread-log.implementation.ts'
import type { ThreadLog } from '../../threads/log/thread-log.ts'
import { makeThreadStore } from '../../threads/log/threads.store.ts'
import type { ThreadRow, ThreadTables } from '../../threads/log/threads.table.ts'
import type { SearchTables } from '../../threads/search/search.table.ts'
import { makeSearchIndex } from '../../threads/search/search-index.ts'
import { type ConnectionSettings, makeConnectionsFeature } from '../connections/connections.ts'
import type { Connections } from '../connections/connections.usecases.ts'
import { makeModelStore } from '../models/models.store.ts'
import type { ModelTables } from '../models/models.table.ts'
import { type Models, makeModels } from '../models/models.usecases.ts'
import { makeTurnHistory } from '../record/turns.store.ts'
import type { TurnTables } from '../record/turns.table.ts'
import { type Ledger, makeLedger } from '../spending/ledger.ts'
import { makeUsageStore } from '../spending/usage.store.ts'
import type { UsageRow, UsageTables } from '../spending/usage.table.ts'
import type { TurnEvents } from '../turns.events.ts'
import { makePlainSandbox, type PlainSandbox } from './plain-sandbox.test-utils.ts'
import { makeQueueStore } from './queue.store.ts'
import type { TurnDependencies, TurnSettings } from './turn-dependencies.ts'
import { makeTurns, type Turns } from './turns.usecases.ts'

/** The engine with a real database, log, blobs and provider clients; only the sandbox and the model are stand-ins. */
export type TestBench = AsyncDisposable & {
  threadId: string
  turns: Turns
  dependencies: TurnDependencies
  model: ModelServer
  sandbox: PlainSandbox
  guest: GuestServices
  attachments: Map<string, Attachment>
  connections: Connections
  connect(more?: {
    provider?: 'anthropic' | 'openai' | 'google' | 'openai-compatible'
    contextTokens?: number
    inputUsdPerMillion?: number
    outputUsdPerMillion?: number
    supportsImages?: boolean
    apiKey?: string
    name?: string
    fallbackIds?: string[]
  }): Promise<ModelConnection>
  /** Sends a message and waits until nothing in the thread runs. */
  say(text: string): Promise<string>
  send(text: string): Promise<{ entryId: string; turnId: string }>
  entries(): Promise<Entry[]>
  turn(turnId: string): Promise<Turn>
  title(): Promise<string>
  /** What the ledger has settled and reserved, oldest first. */
  ledger(): Promise<{ settled: UsageRow[]; reserved: UsageRow[] }>
  /** Every row of every table, as JSON. */
  stored(): Promise<string>
  /** Another engine on the same record, as after a server restart. */
  restart(): Promise<Turns>
}

/** The owner of the thread. */
export const testUserId = 'u-1'

type TestBenchOptions = {
  settings?: Partial<TurnSettings>
  /** The workspace's instructions for the agent. */
  instructions?: string
  agentInstructions?: string
  /** Only the provider of the thread’s model gets its conversation. */
  staysWithProvider?: boolean
  skills?: { name: string; description: string }[]
  connections?: Partial<ConnectionSettings>
}

function factsOf(row: ThreadRow | undefined, options: TestBenchOptions) {
  const titleSource = row?.title_source as 'none' | 'automatic' | 'person'
  const place = { ownerId: row?.user_id ?? '', workspaceId: row?.workspace_id ?? null }
  return row && { ...noSetUp, ...options, ...place, modelId: row.model_id, titleSource }
}

async function recordedIn(tables: Kysely<UsageTables>) {
  return {
    settled: await tables.selectFrom('model_usage').selectAll().orderBy('at').orderBy('id').execute(),
    reserved: await tables.selectFrom('usage_reservations').selectAll().orderBy('at').execute(),
  }
}

const unlimited = { limits: [], timeZone: 'UTC', allowsUnpriced: true }
const noSetUp = { secrets: [], instructions: '', agentInstructions: '', skills: [] }
const noSnapshots = { want: async () => undefined, turnEnded: async () => undefined, settled: async () => undefined }

export async function makeTestBench(options: TestBenchOptions = {}): Promise<TestBench> {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-turns-'))
  const open = await openMigrated()
  const system = makeSystem({ now: Date.now, randomBytes: (count) => randomBytes(count) })
  const logger = makeLogger({ process: 'test', level: 'fatal' })
  const threads = makeThreadStore(tablesOf<ThreadTables>(open.database))
  const log = plainLog(open, system.now)
  const usageTables = tablesOf<UsageTables>(open.database)
  const ledger = makeLedger({ store: makeUsageStore(usageTables), limitsOf: async () => unlimited, system })
  const models = plainModels({ open, system, ledger })
  const threadId = system.newId('thread')
  await addThread(open, threadId)
  const model = await startModelServer()
  const sandbox = makePlainSandbox(await mkdtemp(join(directory, 'home-')))
  const guest = makeGuestServices()
  const attachments = new Map<string, Attachment>()
  const turnTables = tablesOf<TurnTables>(open.database)
  const connectionParts = plainConnections({ open, system, logger, settings: options.connections ?? {} })
  const dependencies: TurnDependencies = {
    store: makeTurnHistory(turnTables),
    queue: makeQueueStore(turnTables),
    log,
    sandbox: {
      access: sandbox,
      services: plainServices({ open, sandbox, guest, system, logger }),
      lifecycle: { pause: async () => undefined, status: async () => ({ state: 'active', since: 0 }) },
      wakeNotes: { pending: async () => undefined },
      refusedNames: async () => [],
      snapshots: noSnapshots,
    },
    connections: connectionParts.agentConnections,
    above: { gates: () => [], notes: () => [], events: makeEvents<TurnEvents>(logger) },
    blobs: makeDirectoryBlobStore(join(directory, 'blobs')),
    models: { ...models, ledger, staysWithProvider: async () => options.staysWithProvider === true },
    threads: {
      facts: async (id) => factsOf(await threads.findAny(id), options),
      require: async () => undefined,
      setAutomaticTitle: async (id, title) => void (await threads.setAutomaticTitle(id, title, async () => undefined)),
      attachmentsOf: async (_threadId, ids) => ids.flatMap((id) => attachments.get(id) ?? []),
    },
    settings: { ...readSettings<TurnSettings>(turnSettings as never, {}), ...options.settings },
    system,
    logger,
  }
  const bench: TestBench = {
    threadId,
    turns: makeTurns(dependencies),
    dependencies,
    model,
    sandbox,
    guest,
    attachments,
    connections: connectionParts.connections,
    connect: ({ provider = 'anthropic', ...more } = {}) =>
      models.connect({ provider, model: 'test-model', baseUrl: model.baseUrls[provider], apiKey: 'key', ...more }),
    send: (text) =>
      bench.turns.send(threadId, { text, attachmentIds: [], key: `key-${randomBytes(8).toString('hex')}` }),
    say: async (text) => {
      const { turnId } = await bench.send(text)
      await bench.turns.settled(threadId)
      return turnId
    },
    entries: () => log.entries(threadId),
    turn: async (turnId) => {
      const turn = await log.turn(threadId, turnId)
      if (turn === undefined) throw new Error(`no turn ${turnId}`)
      return turn
    },
    title: async () => (await threads.findAny(threadId))?.title ?? '',
    ledger: () => recordedIn(usageTables),
    stored: () => everyRow(open),
    restart: async () => {
      await bench.turns.close()
      bench.turns = makeTurns(dependencies)
      await bench.turns.recover()
      return bench.turns
    },
    [Symbol.asyncDispose]: async () => {
      await bench.turns.close()
      await connectionParts[Symbol.asyncDispose]()
      await model.close()
      sandbox.crash()
      await open.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
  return bench
}

function plainLog(open: OpenDatabase, now: () => number): ThreadLog {
  return makeThreadLog({
    database: tablesOf<ThreadTables>(open.database),
    hub: makeLiveHub(),
    search: makeSearchIndex({ database: tablesOf<SearchTables>(open.database), kind: open.kind }),
    now,
    onCommit: () => undefined,
    onUnrecorded: () => {},
  })
}

async function everyRow(open: OpenDatabase): Promise<string> {
  const tables = await open.database.introspection.getTables()
  const rows = tables.map(({ name }) =>
    tablesIn(open)
      .selectFrom(name as never)
      .selectAll()
      .execute(),
  )
  return JSON.stringify(await Promise.all(rows))
}

function plainModels(known: { open: OpenDatabase; system: TurnDependencies['system']; ledger: Ledger }): Models {
  return makeModels({
    store: makeModelStore(tablesOf<ModelTables>(known.open.database)),
    secretBox: makeSecretBox(randomBytes(32)),
    events: makeEvents<TurnEvents>(makeLogger({ process: 'test', level: 'fatal' })),
    ledger: known.ledger,
    environment: {},
    clock: { nowMs: known.system.now },
    randomBytes: known.system.randomBytes,
    ollamaUrl: null,
  })
}

/** Connections of the one user, to servers on loopback; without a host no program runs. */
function plainConnections(known: {
  open: OpenDatabase
  system: TurnDependencies['system']
  logger: TurnDependencies['logger']
  settings: Partial<ConnectionSettings>
}) {
  const { open, system, logger, settings } = known
  const operationStore = makeOperationStore(tablesOf<OperationTables>(open.database))
  return makeConnectionsFeature({
    open,
    system,
    logger,
    settings: {
      version: '0.0.0-test',
      ...readSettings(serverSettings, {}),
      connectionsAllow: '127.0.0.0/8',
      connectionSeconds: 30,
      connectionAnswerMebibytes: 1,
      ...settings,
    },
    host: makeHostClient({ socketPath: '/nowhere.sock', gatewaySocketPath: '/nowhere.sock' }),
    hashKeyOf: () => '',
    egressFor: async () => ({ kind: 'open' }),
    operations: makeOperations({ store: operationStore, system, logger }),
    secretBox: makeSecretBox(randomBytes(32)),
    people: {
      access: {
        may: async (userId, _action, subject) => subject.ownerId === userId,
        require: async () => undefined,
        reaches: () => true,
      },
      workspacesOf: async () => [],
      requireWorkspace: async () => undefined,
    },
    originOf: () => '',
    audit: makeAudit({
      database: tablesOf<AuditTables>(open.database),
      system,
      key: randomBytes(32),
      headFile: null,
    }),
    placeOf: async () => ({ userId: testUserId, workspaceId: null, only: null }),
  })
}

/** Services with real storage and a guest stand-in; states after the start are not followed. */
function plainServices(
  known: Pick<TurnDependencies, 'system' | 'logger'> & {
    open: OpenDatabase
    sandbox: PlainSandbox
    guest: GuestServices
  },
): Services {
  const reach = async (threadId: string) => {
    const awake = await known.sandbox.awake(threadId, { reason: 'turn' })
    return { ...awake, services: known.guest.client } as ReachableSandbox
  }
  return makeServices(
    makeServiceParts({
      ...known,
      store: makeServiceStore(tablesOf<ServiceTables>(known.open.database)),
      awake: reach,
      ifAwake: reach,
      sandboxOf: async () => ({ state: 'active', bootId: `b-${known.sandbox.bootCount}`, since: 0 }),
      readersOf: async () => [],
      publish: () => undefined,
      maxServices: async () => 10,
    }),
  )
}

async function addThread(open: OpenDatabase, threadId: string): Promise<void> {
  const at = Date.now()
  const time = new Date(at).toISOString()
  const user = { id: testUserId, name: 'Test', email: 'test@example.com', emailVerified: 0, image: null }
  await tablesIn(open)
    .insertInto('users')
    .values({ ...user, createdAt: time, updatedAt: time })
    .execute()
  const row = { id: threadId, user_id: testUserId, title: '', title_source: 'none', created_at: at, updated_at: at }
  const zero = { is_pinned: 0, last_seq: 0, pruned_seq: 0, news_seq: 0, read_seq: 0, is_private: 0, is_personal_off: 0 }
  const empty = { deleted_at: null, model_id: null, running_turn_id: null }
  await tablesIn(open)
    .insertInto('threads')
    .values({ ...row, ...zero, ...empty })
    .execute()
}
