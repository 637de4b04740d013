import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import {
  type Entry,
  entrySchema,
  type LifecyclePolicy,
  type SandboxDetail,
  type SandboxView,
  type SurvivalReport,
  sandboxDetailSchema,
  type Thread,
  type ThreadEvent,
  threadSchema,
  type UserEvent,
  userEventSchema,
} from '@threadbox/protocol/public'
import { makeLogger } from '@threadbox/telemetry'
import { makeUserHub } from '../../apps/server/src/people/users/user-hub.ts'
import { makeSocketServer, type SocketServer } from '../../apps/server/src/platform/http/socket-server.ts'
import { makeSystem } from '../../apps/server/src/platform/system/system.ts'
import { type LiveHub, makeLiveHub } from '../../apps/server/src/threads/log/thread-log.hub.ts'
import { streamSocketRoute } from '../../apps/server/src/threads/threads/stream-socket.route.ts'
import type { StreamSources } from '../../apps/server/src/threads/threads/stream-sources.ts'
import { makeStreamVisits } from '../../apps/server/src/threads/threads/stream-visits.ts'
import { followUser } from '../../apps/server/src/threads/threads/user-stream.ts'

/**
 * A server of the public API with one thread, whose sandbox is in any state a test needs, immediately: for how the app
 * shows states that a real sandbox takes hours or a broken machine to reach. Everything it sends is checked against the
 * contract.
 */
export type SandboxStandIn = AsyncDisposable & {
  port: number
  origin: string
  /** The app’s requests besides reads, in order: `POST /threads/t/sandbox/wake`, with its body. */
  orders: { path: string; body: unknown }[]
  /** Every later response of the panel’s route is this error; null ends that. */
  failDetail(error: { status: number; code: string } | null): void
  /** Orders are rejected with this code; null ends that. */
  refuseOrders(code: string | null): void
  setSandbox(sandbox: SandboxView): void
  setThread(values: Partial<Thread>): void
  thread(): Thread
  setDetail(values: Partial<SandboxDetail>): void
  /** Sends an event on the user’s stream. */
  emitUserEvent(event: UserEvent): void
  /** Puts an entry into the conversation, replacing the one with its id. */
  putEntry(entry: Entry): void
  clear(): void
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}
const GiB = 1024 ** 3
const limits = { memoryBytes: 4 * GiB, cpus: 2, processes: 1024, diskBytes: 10 * GiB }
const policy: LifecyclePolicy = {
  idlePauseMinutes: 30,
  hotHours: 8,
  hotKeep: 'guaranteed',
  maxServices: 10,
  maxAwakeHours: 24,
  retentionDays: null,
}

/** A sandbox as the API shows it. */
export function sandboxIn(state: SandboxView['state'], values: Partial<SandboxView> = {}): SandboxView {
  return { state, since: Date.now() - 2.5 * 3_600_000, detail: null, limits, ...values }
}

/** The report of a wake that lost a process and a variable. */
export function lossyReport(status: SurvivalReport['status']): SurvivalReport {
  const none = { kept: 0, rescued: 0, restarted: 0, lost: 0, unchecked: 0 }
  const item = { detail: '', restartId: null }
  const now = Date.now()
  const report: SurvivalReport = {
    id: 'r1',
    threadId: 't',
    from: 'disk',
    cause: { code: 'memory-given-up', detail: '' },
    pausedAt: now - 50 * 3_600_000,
    wokenAt: now,
    checkedAt: now,
    wakeMs: 620,
    status,
    counts: {},
    items: [],
  }
  if (status === 'checking') return report
  return {
    ...report,
    counts: { process: { ...none, lost: 1 }, variable: { ...none, lost: 1, rescued: 1 }, file: { ...none, kept: 900 } },
    items: [
      { ...item, kind: 'process', name: 'python train.py', outcome: 'lost', reason: 'It ended.', restartId: 'p1' },
      { ...item, kind: 'variable', name: 'conn', outcome: 'lost', reason: 'A connection cannot be written down.' },
      { ...item, kind: 'variable', name: 'trips', outcome: 'rescued', reason: '', detail: 'DataFrame' },
      { ...item, kind: 'file', name: '/home/user/a.csv', outcome: 'kept', reason: '' },
    ],
  }
}

export type Result = { status: number; body: unknown }
/** More of the API: undefined for a request it does not handle. */
export type MoreRoutes = (order: { path: string; body: unknown }) => Result | undefined | Promise<Result>

export async function startSandboxStandIn(
  webDirectory: string,
  more: MoreRoutes = () => undefined,
): Promise<SandboxStandIn> {
  const state = startState()
  const live = makeLiveHub()
  const userHub = makeUserHub()
  const say = (event: ThreadEvent) => {
    state.events.push(event)
    live.publish('t', [event], 0)
  }
  const emitUserEvent = (event: UserEvent) => userHub.broadcast(userEventSchema.parse(event))
  const changeThread = (values: Partial<Thread>) => {
    state.thread = threadSchema.parse({ ...state.thread, ...values })
    state.seq += 1
    emitUserEvent({ type: 'thread-updated', thread: state.thread })
    say({ type: 'thread-updated', seq: state.seq, thread: state.thread })
  }
  const server = createServer((request, response) => {
    void answer({ request, response, state, webDirectory, more })
  })
  const sockets = serveSockets(server, {
    user: ({ userId }, signal) => followUser(userHub, { userId, sees: async () => true, signal }),
    thread:
      async (_caller, { afterSeq }) =>
      (signal) =>
        followThread(state, live, { afterSeq, signal }),
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    orders: state.orders,
    failDetail: (error) => {
      state.failure = error
    },
    refuseOrders: (code) => {
      state.refusal = code
    },
    setThread: changeThread,
    setSandbox: (sandbox) => changeThread({ sandbox }),
    setDetail: (values) => {
      state.detail = { ...state.detail, ...values }
    },
    thread: () => state.thread,
    emitUserEvent,
    putEntry: (entry) => {
      const parsed = entrySchema.parse(entry)
      const isKnown = state.entries.some(({ id }) => id === entry.id)
      state.entries = isKnown
        ? state.entries.map((known) => (known.id === entry.id ? parsed : known))
        : [...state.entries, parsed]
      state.seq += 1
      say({ type: isKnown ? 'entry-updated' : 'entry-added', seq: state.seq, entry: parsed })
    },
    clear: () => {
      Object.assign(state, { ...startState(), orders: state.orders, seq: state.seq })
      state.orders.length = 0
    },
    [Symbol.asyncDispose]: async () => {
      sockets.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The socket of event streams, as the server itself serves it; every client is signed in. */
function serveSockets(server: Server, sources: StreamSources): SocketServer {
  const logger = makeLogger({ process: 'test', level: 'fatal' })
  const system = makeSystem({ now: Date.now, randomBytes: (count) => randomBytes(count) })
  const front = makeSocketServer({
    routes: [
      streamSocketRoute({ sources, visits: makeStreamVisits({ holds: async () => true, system, logger }), logger }),
    ],
    hosts: {
      installation: 'stand0',
      baseDomain: '',
      publicUrl: '',
      allowedHosts: 'app.stand-in.localhost',
      listenHost: '127.0.0.1',
    },
    authenticate: async () => ({
      caller: { userId: 'u', sessionId: 's', apiKeyId: null, workspaceIds: null },
      authorize: async () => {},
    }),
    logger,
  })
  server.on('upgrade', (request, socket, head) => {
    if (front.takesUpgrade(request)) front.handleUpgrade({ request, socket, head })
    else socket.destroy()
  })
  return front
}

async function* followThread(
  state: ReturnType<typeof startState>,
  live: LiveHub,
  { afterSeq, signal }: { afterSeq: number; signal: AbortSignal },
) {
  using reader = live.subscribe('t')
  const before = state.events.filter((event) => 'seq' in event && event.seq > afterSeq)
  for (let events = before; !signal.aborted; events = reader.take().events) {
    for (const event of events) yield { data: JSON.stringify(event) }
    await reader.arrived(signal)
  }
}

function startState() {
  const now = Date.now()
  const thread: Thread = {
    id: 't',
    title: 'One thread',
    titleSource: 'person',
    createdAt: now,
    updatedAt: now,
    isPinned: false,
    deletedAt: null,
    modelId: null,
    workspaceId: null,
    creatorId: 'u',
    isPrivate: false,
    isPersonalOff: false,
    allowed: ['read', 'work', 'change', 'manage'],
    isTurnRunning: false,
    hasUnread: false,
    sandbox: sandboxIn('active'),
  }
  const detail: Omit<SandboxDetail, 'sandbox'> = {
    policy,
    ownPolicy: [],
    workspacePolicy: [],
    ownLimits: [],
    workspaceLimits: [],
    usage: { memoryBytes: GiB, diskBytes: 3 * GiB, memoryImageBytes: null },
    processes: [{ pid: 412, commandLine: 'python3 training.py', memoryBytes: GiB, role: 'user' }],
    ports: [8501],
    latestReport: null,
    log: [{ id: 'l1', at: now - 60_000, code: 'started', params: { durationMs: 240 }, reportId: null }],
  }
  return {
    thread,
    detail,
    entries: [] as Entry[],
    events: [] as ThreadEvent[],
    orders: [] as SandboxStandIn['orders'],
    seq: 1,
    failure: null as { status: number; code: string } | null,
    refusal: null as string | null,
  }
}

type Context = {
  request: IncomingMessage
  response: ServerResponse
  state: ReturnType<typeof startState>
  webDirectory: string
  more: MoreRoutes
}

async function answer(context: Context): Promise<void> {
  const { request, response } = context
  const { pathname } = new URL(request.url ?? '/', 'http://stand-in')
  if (!pathname.startsWith('/api/v1/')) return await sendFile(context, pathname)
  const route = pathname.slice('/api/v1'.length)
  const result =
    request.method === 'GET'
      ? ((await context.more({ path: `GET ${route}`, body: undefined })) ?? read(context, route))
      : await order(context, route)
  response.writeHead(result.status, { 'content-type': 'application/json' }).end(JSON.stringify(result.body))
}

function read({ state }: Context, route: string): Result {
  const answers: Record<string, () => unknown> = {
    '/me': () => ({
      id: 'u',
      name: 'Owner',
      email: 'owner@example.org',
      isOwner: true,
      role: 'owner',
      needsPasskey: false,
    }),
    '/models': () => ({ models: [] }),
    '/status': () => ({ version: '0', checks: [], hasModel: false, host: null }),
    '/threads': () => ({ threads: [state.thread], next: null }),
    '/threads/t': () => state.thread,
    '/threads/t/entries': () => ({ entries: state.entries, turns: [], lastSeq: state.seq, before: null }),
    '/threads/t/sandbox': () => sandboxDetailSchema.parse({ ...state.detail, sandbox: state.thread.sandbox }),
    '/threads/t/sandbox/reports/r1': () => lossyReport('complete'),
  }
  if (route === '/threads/t/sandbox' && state.failure !== null) return failed(state.failure)
  const found = answers[route]
  return found === undefined ? failed({ status: 404, code: 'route.not-found' }) : { status: 200, body: found() }
}

async function order(context: Context, route: string): Promise<Result> {
  const { request, state } = context
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const text = Buffer.concat(parts).toString()
  const order = { path: `${request.method} ${route}`, body: text === '' ? undefined : JSON.parse(text) }
  state.orders.push(order)
  const found = await context.more(order)
  if (found !== undefined) return found
  if (state.refusal !== null) return failed({ status: 409, code: state.refusal })
  if (route.startsWith('/threads/t/sandbox')) return read(context, '/threads/t/sandbox')
  return { status: 200, body: route === '/threads/t' ? state.thread : { entryId: 'e', turnId: null } }
}

function failed({ status, code }: { status: number; code: string }): Result {
  const kind = status === 409 ? 'conflict' : status === 404 ? 'not-found' : 'internal'
  return { status, body: { error: { code, kind, message: `It said ${code}.`, remedy: 'Try again.', details: {} } } }
}

async function sendFile({ response, webDirectory }: Context, pathname: string): Promise<void> {
  const name = path.extname(pathname) === '' ? '/index.html' : pathname
  const bytes = await readFile(path.join(webDirectory, name)).catch(() => undefined)
  if (bytes === undefined) response.writeHead(404).end()
  else {
    // As the server itself sends them: the name of a file below assets contains its hash.
    const isNamedByContent = name.startsWith('/assets/')
    response.setHeader('cache-control', isNamedByContent ? 'public, max-age=31536000, immutable' : 'no-cache')
    response.writeHead(200, { 'content-type': types[path.extname(name)] ?? 'application/octet-stream' }).end(bytes)
  }
}
