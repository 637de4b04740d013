import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { ConnectRouter } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { type Manifest, process, type RescueReport } from '@threadbox/protocol/guest'
import {
  type BootEndCause,
  bootHeader,
  type FileChanges,
  type HostEvent,
  type HostInfo,
  type HostSandbox,
} from '@threadbox/protocol/host'
import {
  answerClean,
  answerFork,
  answerPreserve,
  type EnvironmentsStandIn,
  type Failure,
  noEnvironmentsYet,
  receiveDisk,
} from './environments-stand-in.test-utils.ts'
import { answerSleeping, filesystemRoutes } from './files-stand-in.test-utils.ts'
import { stopped, wireError } from './host-answers.test-utils.ts'
import { closedPort, isAsked, type StandInService, sleepingPort } from './ports-stand-in.test-utils.ts'
import { noSkillsYet, placeSkills, type SkillsStandIn, storeSkill } from './skills-stand-in.test-utils.ts'
import {
  answerRewind,
  answerSnapshot,
  makeSnapshotsStandIn,
  noFileChanges,
  type SnapshotsStandIn,
} from './snapshots-stand-in.test-utils.ts'

/**
 * A host daemon made of a unix socket and plain directories: it keeps the promises of the host protocol that the server
 * depends on (boot ids, events, files), and runs nothing.
 */
export type HostStandIn = AsyncDisposable &
  EnvironmentsStandIn & {
    socketPath: string
    /** Where a path of a sandbox is on this machine. */
    pathOf(sandboxId: string, path: string): string
    sandboxes: Map<string, HostSandbox>
    starts: { sandboxId: string; bootId: string; hostname: string }[]
    deleted: string[]
    /** Answers of the next orders to start: an error instead of a sandbox. */
    failStarts: { status: number; code: string; kind: string }[]
    /** How many of the next orders to delete fail. */
    failDeletes: number
    /** How many of the next orders to change fail. */
    failChanges: number
    /** Every order about memory, in the order in which they came. */
    orders: { order: 'pause' | 'wake' | 'demote' | 'stop'; sandboxId: string; bootId: string }[]
    /** Answers of the next orders of a kind: an error instead of what was asked for. */
    failPauses: Failure[]
    failWakes: Failure[]
    failDemotes: Failure[]
    /** Boots whose pause was to be given up. */
    abandoned: string[]
    /** While set, orders of that kind wait for it. */
    pauseGate: Promise<void> | undefined
    wakeGate: Promise<void> | undefined
    demoteGate: Promise<void> | undefined
    /** Where a wake comes out of. */
    wakesFrom: 'frozen' | 'memory'
    /** How many sandboxes may be awake: one more is refused. */
    places: number
    /** What the guest says is alive; changed between pause and wake to lose something. */
    manifest: Manifest
    /** While set, the guest's word about itself waits for it. */
    manifestGate: Promise<void> | undefined
    /** What the demotion rescues, and what the guest says of it afterwards. */
    rescue: RescueReport
    fileChanges: FileChanges
    skills: SkillsStandIn
    /** What the guest was asked to start again. */
    restarted: string[]
    /** Key of the last manifest that the guest was asked for, by whom. */
    hashKeys: { pause: string | undefined; look: string | undefined }
    snapshots: SnapshotsStandIn
    /** Called when an order has changed the host and before its answer is sent: true for the answer to be lost. */
    loseAnswer: (order: string) => boolean
    emit(event: HostEvent): void
    /** Answers what is asked of a port of a sandbox that is awake. */
    service: StandInService
    /** Further services of every guest. */
    guestRoutes: (router: ConnectRouter) => void
    /** What every process that is started inside prints. */
    processOutput: string
    /** While set, orders to start wait for it. */
    startGate: Promise<void> | undefined
    endBoot(sandboxId: string, cause: BootEndCause): void
    /** Resolves when the server follows the events. */
    followed(): Promise<void>
    closeConnections(): void
  }

/** A manifest of a sandbox in which nothing runs. */
export function emptyManifest(): Manifest {
  return {
    version: 1,
    takenAt: 1,
    processes: [],
    ports: [],
    connections: [],
    kernels: [],
    writtenFiles: [],
    shell: { cwd: '/home/user', environment: {}, functions: [], parts: {} },
    packages: { python: {}, apt: {}, npm: {} },
    deletedOpenFiles: [],
    memoryFiles: [],
    memoryBytes: 1024,
    unread: [],
  }
}

/** A rescue that had nothing to do. */
export function emptyRescue(): RescueReport {
  const shell = { outcome: 'none' as const, reason: '' }
  return { state: 'none', takenAt: null, variables: [], shell, processes: [], durationMs: 0, problems: [] }
}

export async function startHostStandIn(): Promise<HostStandIn> {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-host-'))
  const followers = new Set<ServerResponse>()
  let onFollowed = () => {}
  const host: HostStandIn = {
    socketPath: join(directory, 'host.sock'),
    pathOf: (sandboxId, path) => join(directory, sandboxId, path),
    sandboxes: new Map(),
    starts: [],
    deleted: [],
    failStarts: [],
    failDeletes: 0,
    failChanges: 0,
    startGate: undefined,
    orders: [],
    failPauses: [],
    failWakes: [],
    failDemotes: [],
    restarted: [],
    abandoned: [],
    ...noEnvironmentsYet(),
    pauseGate: undefined,
    wakeGate: undefined,
    demoteGate: undefined,
    wakesFrom: 'memory',
    places: 100,
    manifest: emptyManifest(),
    manifestGate: undefined,
    rescue: emptyRescue(),
    fileChanges: noFileChanges,
    skills: noSkillsYet(),
    hashKeys: { pause: undefined, look: undefined },
    snapshots: makeSnapshotsStandIn(),
    loseAnswer: () => false,
    processOutput: '',
    service: closedPort,
    guestRoutes: () => {},
    emit: (event) => send(event),
    endBoot: (sandboxId, cause) => {
      const sandbox = host.sandboxes.get(sandboxId)
      if (sandbox?.bootId == null) return
      const end = { bootId: sandbox.bootId, cause, at: Date.now(), detail: `ended by the test: ${cause}` }
      host.sandboxes.set(sandboxId, { ...sandbox, actual: 'stopped', bootId: null, lastBootEnd: end })
      send({ type: 'boot-ended', sandboxId, ...end })
    },
    followed: () =>
      followers.size > 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            onFollowed = resolve
          }),
    closeConnections: () => server.closeAllConnections(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(directory, { recursive: true, force: true })
    },
  }
  const send = (event: HostEvent) => {
    for (const follower of followers) follower.write(`${JSON.stringify(event)}\n`)
  }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://host')
    if (url.pathname === '/v1/events') {
      response.writeHead(200)
      followers.add(response)
      response.on('close', () => followers.delete(response))
      send({ type: 'keepalive' })
      onFollowed()
      return
    }
    answer(host, { request, response, url }).catch((error: NodeJS.ErrnoException) => {
      const status = error.code === 'ENOENT' ? 404 : 500
      response.writeHead(status).end(JSON.stringify({ code: status, message: String(error) }))
    })
  })
  await new Promise<void>((resolve) => server.listen(host.socketPath, resolve))
  return host
}

type Exchange = { request: IncomingMessage; response: ServerResponse; url: URL }

async function answer(host: HostStandIn, exchange: Exchange): Promise<void> {
  const { request, response, url } = exchange
  const [, , sandboxId = '', rest = '', ...guestPath] = url.pathname.split('/').slice(1).map(decodeURIComponent)
  const sendJson = (body: unknown, status = 200) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const sandbox = host.sandboxes.get(sandboxId)
  if (url.pathname === '/v1/host') return sendJson(infoOf(host))
  if (url.pathname.startsWith('/v1/skills/')) return sendJson((await storeSkill(host.skills, sandboxId, request)).body)
  if (url.pathname === '/v1/sandboxes') return sendJson({ sandboxes: [...host.sandboxes.values()] })
  if (request.method === 'PUT' && rest === '') {
    await mkdir(host.pathOf(sandboxId, '/home/user'), { recursive: true })
    const { limits } = (await json(request)) as { limits: HostSandbox['limits'] }
    host.sandboxes.set(sandboxId, { ...(sandbox ?? stopped(sandboxId)), limits })
    return sendJson(host.sandboxes.get(sandboxId))
  }
  if (rest === 'fork') {
    return await answerFork(host, { request, sandboxId, sendJson })
  }
  if (rest === 'disk' && request.method === 'PUT') return await receiveDisk(host, { ...exchange, sandboxId, sendJson })
  if (sandbox === undefined) return sendJson(wireError('sandbox.not-found', 'not-found'), 404)
  if (request.method === 'GET' && rest === '') return sendJson(sandbox)
  if (request.method === 'PATCH' && rest === '') {
    host.failChanges -= 1
    if (host.failChanges >= 0) return sendJson(wireError('host.busy', 'unavailable'), 503)
    const { limits } = (await json(request)) as { limits: HostSandbox['limits'] }
    const changed = { ...sandbox, limits }
    host.sandboxes.set(sandboxId, changed)
    return sendJson(changed)
  }
  if (request.method === 'DELETE' && rest === '') {
    host.failDeletes -= 1
    if (host.failDeletes >= 0) return sendJson(wireError('host.busy', 'unavailable'), 503)
    host.sandboxes.delete(sandboxId)
    host.deleted.push(sandboxId)
    await rm(host.pathOf(sandboxId, '/'), { recursive: true, force: true })
    return void response.writeHead(204).end()
  }
  if (rest === 'disk') return void response.end(host.disk)
  if (rest === 'preserve') return await answerPreserve(host, { ...exchange, sandbox, sendJson })
  if (rest === 'clean') return await answerClean(host, { ...exchange, sandbox, sendJson })
  if (rest === 'start') return await start(host, { ...exchange, sandbox, sendJson })
  if (rest === 'stop' || rest === 'pause' || rest === 'wake' || rest === 'demote') {
    return await memoryOrder(host, { ...exchange, sandbox, sendJson, order: rest })
  }
  if (rest === 'abandon-pause') {
    const { bootId } = (await json(request)) as { bootId: string }
    host.abandoned.push(bootId)
    return sendJson({ wasUnderWay: sandbox.actual === 'ready' && sandbox.bootId === bootId })
  }
  if (rest === 'skills') {
    const placed = await placeSkills(host.skills, sandbox, request)
    return placed === undefined ? sendJson(wireError('sandbox.paused', 'conflict'), 409) : sendJson(placed.body)
  }
  if (rest === 'port') return (isAsked(sandbox, request) ? host.service : sleepingPort)(request, response)
  if (rest === 'sleeping-files') {
    if (sandbox.actual === 'ready') return sendJson(wireError('sandbox.disk-not-readable', 'conflict'), 409)
    return await answerSleeping(response, { query: url.searchParams, real: (path) => host.pathOf(sandboxId, path) })
  }
  if (rest === 'rewind') return await answerRewind(host, { request, response, sandboxId, sendJson })
  if (rest === 'names') return sendJson(host.snapshots.namesAsked)
  if (rest === 'snapshots' && guestPath[1] === 'changes') return sendJson(host.snapshots.changes)
  if (rest === 'snapshots') {
    const order = { ...exchange, sandbox, sendJson, snapshotId: guestPath[0], isAboutMemory: guestPath[1] === 'memory' }
    return await answerSnapshot(host.snapshots, { ...order, isLost: () => host.loseAnswer('snapshot') })
  }
  if (rest === 'file-changes') return sendJson(host.fileChanges)
  if (rest === 'guest') {
    const isSameBoot = request.headers[bootHeader] === sandbox.bootId
    if (!isSameBoot) return sendJson(wireError('sandbox.other-boot', 'conflict'), 409)
    return await guest(host, { ...exchange, sandboxId, path: `/${guestPath.join('/')}` })
  }
  sendJson(wireError('host.path-unknown', 'not-found'), 404)
}

async function start(
  host: HostStandIn,
  order: Exchange & { sandbox: HostSandbox; sendJson: (body: unknown, status?: number) => void },
): Promise<void> {
  const { bootId, hostname } = (await json(order.request)) as { bootId: string; hostname: string }
  const { sandboxId } = order.sandbox
  host.starts.push({ sandboxId, bootId, hostname })
  await host.startGate
  const failure = host.failStarts.shift() ?? refusalFor(host, order.sandbox)
  if (failure !== undefined) return order.sendJson(wireError(failure.code, failure.kind), failure.status)
  const ready = { ...order.sandbox, actual: 'ready' as const, bootId, bootStartedAt: Date.now() }
  host.sandboxes.set(sandboxId, ready)
  if (host.loseAnswer('start')) return void order.response.destroy()
  order.sendJson(ready)
}

type Order = Exchange & { sandbox: HostSandbox; sendJson: (body: unknown, status?: number) => void }

const failuresOf = { pause: 'failPauses', wake: 'failWakes', demote: 'failDemotes' } as const
const gateOf = { pause: 'pauseGate', wake: 'wakeGate', demote: 'demoteGate' } as const

async function memoryOrder(
  host: HostStandIn,
  { order, sandbox, sendJson, ...exchange }: Order & { order: 'stop' | 'pause' | 'wake' | 'demote' },
): Promise<void> {
  const { sandboxId } = sandbox
  const { bootId, hashKey } = (await json(exchange.request)) as { bootId: string; hashKey?: string }
  host.orders.push({ order, sandboxId, bootId })
  if (order !== 'stop') {
    await host[gateOf[order]]
    const failure = host[failuresOf[order]].shift() ?? (order === 'wake' ? refusalFor(host, sandbox) : undefined)
    if (failure?.code === 'sandbox.memory-unusable') host.sandboxes.set(sandboxId, stoppedAgain(sandbox))
    if (failure !== undefined) {
      return sendJson(wireError(failure.code, failure.kind, failure.details), failure.status)
    }
  }
  const now = host.sandboxes.get(sandboxId)
  if (now?.bootId !== bootId) return sendJson(wireError('sandbox.other-boot', 'conflict'), 409)
  if (order === 'pause') host.hashKeys.pause = hashKey
  const answer = orderAnswer(host, now, order)
  host.sandboxes.set(sandboxId, answer.sandbox)
  if (host.loseAnswer(order)) return void exchange.response.destroy()
  sendJson(order === 'stop' ? answer.sandbox : answer)
}

function orderAnswer(host: HostStandIn, sandbox: HostSandbox, order: 'stop' | 'pause' | 'wake' | 'demote') {
  const isFrozen = host.wakesFrom === 'frozen'
  if (order === 'pause') {
    const paused = sandbox.paused ?? { at: Date.now(), imageBytes: 64 * 1024 * 1024, isFrozen }
    const answer = { manifest: host.manifest, manifestProblem: '', stallMs: 5, durationMs: 10 }
    return { sandbox: { ...sandbox, actual: 'paused' as const, paused }, ...answer }
  }
  if (order === 'wake') {
    const from = sandbox.actual === 'ready' ? ('awake' as const) : host.wakesFrom
    return { sandbox: { ...sandbox, actual: 'ready' as const, paused: null }, from, durationMs: 3 }
  }
  return { sandbox: stoppedAgain(sandbox), rescue: host.rescue, problem: '' }
}

function stoppedAgain(sandbox: HostSandbox): HostSandbox {
  return { ...sandbox, actual: 'stopped', bootId: null, bootStartedAt: null, paused: null }
}

function awakeIn(host: HostStandIn): HostSandbox[] {
  return [...host.sandboxes.values()].filter(({ actual }) => actual === 'ready')
}

function refusalFor(host: HostStandIn, sandbox: HostSandbox): Failure | undefined {
  const isFull = sandbox.actual !== 'ready' && awakeIn(host).length >= host.places
  return isFull ? { status: 503, code: 'host.no-memory', kind: 'exhausted' } : undefined
}

function infoOf(host: HostStandIn): HostInfo {
  return {
    protocolVersion: 1,
    version: 'test',
    hostId: 'h-test',
    preparing: [],
    memoryTotalBytes: 1,
    memoryAvailableBytes: 1,
    poolTotalBytes: 1,
    poolUsedBytes: 1,
    awakeSandboxes: awakeIn(host).length,
  }
}

/** The guest's questions beside files. */
function guestAnswer(host: HostStandIn, exchange: Exchange & { path: string }): unknown {
  const { url, path, request } = exchange
  if (path === '/manifest') {
    host.hashKeys.look = url.searchParams.get('hashKey') ?? undefined
    return host.manifest
  }
  if (path === '/rescue') return host.rescue
  const restart = /^\/rescue\/processes\/(.+)\/start$/.exec(path)
  if (restart?.[1] === undefined || request.method !== 'POST') return undefined
  host.restarted.push(restart[1])
  return {}
}

async function guest(host: HostStandIn, exchange: Exchange & { sandboxId: string; path: string }): Promise<void> {
  const { request, response, url, sandboxId, path } = exchange
  if (path === '/manifest') await host.manifestGate
  const told = guestAnswer(host, exchange)
  if (told !== undefined) return void response.writeHead(200).end(JSON.stringify(told))
  if (path !== '/files') {
    request.url = path
    connectNodeAdapter({
      routes: (router) => {
        filesystemRoutes(router, (at) => host.pathOf(sandboxId, at))
        processRoutes(router, host)
        host.guestRoutes(router)
      },
    })(request, response)
    return
  }
  const target = host.pathOf(sandboxId, url.searchParams.get('path') ?? '')
  if (request.method === 'POST') {
    await mkdir(dirname(target), { recursive: true })
    await pipeline(request, createWriteStream(target))
    return void response.writeHead(200).end('[]')
  }
  const { size } = await stat(target)
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
  const [start, end] = range === null ? [0, size - 1] : [Number(range[1]), Number(range[2])]
  response.writeHead(range === null ? 200 : 206, {
    'content-length': end - start + 1,
    ...(range === null ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
  })
  await pipeline(createReadStream(target, { start, end: Math.max(end, start) }), response)
}

function processRoutes(router: ConnectRouter, host: HostStandIn): void {
  router.service(process.Process, {
    start: async function* () {
      const value = new TextEncoder().encode(host.processOutput)
      yield { event: { event: { case: 'data', value: { output: { case: 'stdout', value } } } } }
      yield { event: { event: { case: 'end', value: { exitCode: 0 } } } }
    },
  })
}
