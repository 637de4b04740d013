import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { httpStatusOf, toWireError } from '@threadbox/errors'
import { type HostApi, type HostEvent, hostContract, serveHostApi } from '@threadbox/protocol/host'
import { emptyFileChanges, emptyManifest, emptyRescue } from './answers.ts'
import { archiveCalls } from './archive-calls.ts'
import { type CopiesStandIn, copyCalls, noCopiesYet } from './copy-calls.ts'
import { answerGateway, type GuestsStandIn } from './guest.ts'
import { closedPort } from './ports.ts'
import { dropUnusable, memoryCalls, type SandboxesStandIn, sandboxCalls } from './sandbox-calls.ts'
import { noSkillsYet, type SkillsStandIn, skillCalls } from './skill-calls.ts'
import { sleepingCalls } from './sleeping-calls.ts'
import { makeSnapshotsStandIn, type SnapshotsStandIn, snapshotCalls } from './snapshot-calls.ts'
import { AnswerLost, makeSteps, type Steps, withSteps } from './steps.ts'

/**
 * A host daemon made of a Unix socket and plain directories: it keeps the parts of the host’s contract that the server
 * depends on (boot IDs, events, files), and runs nothing.
 */
export type HostStandIn = AsyncDisposable &
  Steps &
  SandboxesStandIn &
  CopiesStandIn &
  GuestsStandIn & {
    socketPath: string
    skills: SkillsStandIn
    /** Certificates that sandboxes were to trust. */
    authorities: string[]
    snapshots: SnapshotsStandIn
    /** Resolves when the server follows the events. */
    followed(): Promise<void>
    closeConnections(): void
  }

export async function startHostStandIn(): Promise<HostStandIn> {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-host-'))
  const events = makeEvents()
  const { steps, reach, nextFailure } = makeSteps()
  const host: HostStandIn = {
    ...steps,
    ...noCopiesYet(),
    socketPath: join(directory, 'host.sock'),
    archive: (path, only) => `zip of ${path}: ${only}`,
    pathOf: (sandboxId, path) => join(directory, sandboxId, path),
    sandboxes: new Map(),
    starts: [],
    deleted: [],
    orders: [],
    restarted: [],
    variables: new Map(),
    authorities: [],
    abandoned: [],
    wakesFrom: 'memory',
    places: 100,
    otherDiskBytes: 0,
    manifest: emptyManifest(),
    rescue: emptyRescue(),
    fileChanges: emptyFileChanges,
    skills: noSkillsYet(),
    hashKeys: { pause: undefined, look: undefined },
    snapshots: makeSnapshotsStandIn(),
    processOutput: '',
    service: closedPort,
    guestRoutes: () => {},
    turnSignals: [],
    emit: events.emit,
    followed: events.followed,
    endBoot: (sandboxId, cause) => {
      const sandbox = host.sandboxes.get(sandboxId)
      if (sandbox?.bootId == null) return
      const end = { bootId: sandbox.bootId, cause, at: Date.now(), detail: `ended by the test: ${cause}` }
      const asleep = { actual: 'stopped' as const, bootId: null, bootStartedAt: null, paused: null }
      host.sandboxes.set(sandboxId, { ...sandbox, ...asleep, lastBootEnd: end })
      events.emit({ type: 'boot-ended', sandboxId, ...end })
    },
    closeConnections: () => server.closeAllConnections(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(directory, { recursive: true, force: true })
    },
  }
  const api = withSteps({ ...apiOf(host), events: events.follow }, { host, reach, nextFailure, ...watched(host) })
  const serve = serveHostApi(hostContract, api)
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://host')
    answer({ request, response, url }).catch((error: NodeJS.ErrnoException) => {
      if (error instanceof AnswerLost) return void response.destroy()
      if (response.headersSent) return void response.destroy(error)
      const status = error.code === 'ENOENT' ? 404 : httpStatusOf(error)
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(toWireError(error, 'test')))
    })
  })
  const answer = async (exchange: { request: IncomingMessage; response: ServerResponse; url: URL }) => {
    if (await answerGateway(host, { ...exchange, reach })) return
    const answered = await serve(requestOf(exchange))
    if (answered === undefined) return void exchange.response.writeHead(404).end()
    await send(exchange.response, answered)
  }
  await new Promise<void>((resolve) => server.listen(host.socketPath, resolve))
  return host
}

function apiOf(host: HostStandIn): Omit<HostApi, 'events'> {
  return {
    ...sandboxCalls(host),
    ...memoryCalls(host),
    ...copyCalls(host),
    ...archiveCalls(host),
    ...snapshotCalls(host),
    ...skillCalls(host),
    ...sleepingCalls(host),
    trustAuthority: async ({ certificate }) => void host.authorities.push(certificate),
  }
}

/** What is recorded of calls when they arrive, and what a failure changes. */
function watched(host: HostStandIn): Pick<Parameters<typeof withSteps>[1], 'noted' | 'failed'> {
  const ordered = (order: HostStandIn['orders'][number]['order']) => (sandboxId: string, wanted: { bootId: string }) =>
    void host.orders.push({ order, sandboxId, bootId: wanted.bootId })
  return {
    noted: {
      start: (sandboxId, { bootId, hostname }) => void host.starts.push({ sandboxId, bootId, hostname }),
      stop: ordered('stop'),
      pause: ordered('pause'),
      wake: ordered('wake'),
      demote: ordered('demote'),
      takeSnapshot: (_, { memory }) => void host.snapshots.memoryOrders.push(memory),
      rewind: (_, { memory }) => void host.snapshots.memoryOrders.push(memory),
    },
    failed: (_, { given, error }) => dropUnusable(host, { sandboxId: String(given[0]), error }),
  }
}

function makeEvents() {
  const followers = new Set<(event: HostEvent) => void>()
  let onFollowed = () => {}
  async function* follow(signal: AbortSignal): AsyncGenerator<HostEvent> {
    const waiting: HostEvent[] = [{ type: 'keepalive' }]
    let wakeUp = () => {}
    const follower = (event: HostEvent) => {
      waiting.push(event)
      wakeUp()
    }
    signal.addEventListener('abort', () => wakeUp(), { once: true })
    followers.add(follower)
    onFollowed()
    try {
      while (!signal.aborted) {
        yield* waiting.splice(0)
        if (waiting.length > 0 || signal.aborted) continue
        const { promise, resolve } = Promise.withResolvers<void>()
        wakeUp = resolve
        await promise
      }
    } finally {
      followers.delete(follower)
    }
  }
  return {
    follow,
    emit: (event: HostEvent) => {
      for (const follower of followers) follower(event)
    },
    followed: () =>
      followers.size > 0
        ? Promise.resolve()
        : new Promise<void>((resolve) => {
            onFollowed = resolve
          }),
  }
}

function requestOf({ request, url }: { request: IncomingMessage; url: URL }): Request {
  const { method = 'GET' } = request
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
  if (method === 'GET' || method === 'DELETE') return new Request(url, { method, headers })
  const body = Readable.toWeb(request) as ReadableStream<Uint8Array>
  return new Request(url, { method, headers, body, duplex: 'half' } as RequestInit)
}

async function send(response: ServerResponse, answered: Response): Promise<void> {
  response.writeHead(answered.status, Object.fromEntries(answered.headers))
  if (answered.body === null) return void response.end()
  response.flushHeaders()
  // A client that follows events disconnects during the response.
  await pipeline(Readable.fromWeb(answered.body as NodeReadableStream), response).catch(() => undefined)
}
