import { Agent, request as httpRequest } from 'node:http'
import type { Client } from '@connectrpc/connect'
import { createClient } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { runs } from '@threadbox/protocol/guest'
import { gatewayPaths, type HostEvent, hostEventSchema, hostPaths } from '@threadbox/protocol/host'

export type HostAnswer = { status: number; body: unknown }
export type CommandResult = {
  exitCode: number
  output: string
  cause: runs.EndCause
  message: string
  firstOutputMs: number | null
}

/** Requests to a host daemon and its gateway as their server sends them. */
export type HostRequests = {
  request(method: string, path: string, body?: unknown): Promise<HostAnswer>
  runs(sandboxId: string): Client<typeof runs.Runs>
  /** Runs a command in the sandbox's session and collects what it prints. */
  run(sandboxId: string, command: string, options?: { timeoutMs?: number }): Promise<CommandResult>
  /** Collects events from now on. */
  events(): Promise<HostEventLog>
  close(): void
}

export type HostEventLog = Disposable & {
  all(): HostEvent[]
  /** The first matching event, past or future. */
  next(fits: (event: HostEvent) => boolean): Promise<HostEvent>
}

export function makeHostRequests(sockets: { socketPath: string; gatewaySocketPath: string }): HostRequests {
  const { socketPath, gatewaySocketPath } = sockets
  const agent = new Agent({ keepAlive: true })
  const clientOf = (sandboxId: string) =>
    createClient(
      runs.Runs,
      createConnectTransport({
        httpVersion: '1.1',
        baseUrl: `http://host${gatewayPaths.guest(sandboxId)}`,
        nodeOptions: { socketPath: gatewaySocketPath, agent },
      }),
    )
  let count = 0
  return {
    request: (method, path, body) =>
      send({ socketPath: isForGateway(path) ? gatewaySocketPath : socketPath, method, path, body }),
    runs: clientOf,
    run: async (sandboxId, command, options) => {
      const key = `test-${process.pid}-${++count}`
      return await runCommand({ client: clientOf(sandboxId), key, command, timeoutMs: options?.timeoutMs ?? 60_000 })
    },
    events: () => openEvents(socketPath),
    close: () => agent.destroy(),
  }
}

/** Whether a path is one of {@link gatewayPaths}. */
function isForGateway(path: string): boolean {
  return /^\/v1\/sandboxes\/[^/]+\/(guest|code|port)\//.test(path)
}

async function send(options: { socketPath: string; method: string; path: string; body: unknown }): Promise<HostAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HostAnswer>()
  const { socketPath, method, path, body } = options
  const request = httpRequest({
    socketPath,
    method,
    path,
    agent: false,
    headers: { 'content-type': 'application/json' },
  })
  request.once('error', reject)
  request.once('response', (response) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      text += chunk
    })
    response.once('error', reject)
    response.once('end', () => resolve({ status: response.statusCode ?? 0, body: parse(text) }))
  })
  request.end(body === undefined ? undefined : JSON.stringify(body))
  return await promise
}

async function runCommand(options: {
  client: Client<typeof runs.Runs>
  key: string
  command: string
  timeoutMs: number
}): Promise<CommandResult> {
  const { client, key, command, timeoutMs } = options
  const startedAt = performance.now()
  const result: CommandResult = {
    exitCode: -1,
    output: '',
    cause: runs.EndCause.UNSPECIFIED,
    message: '',
    firstOutputMs: null,
  }
  const start = { case: 'startCommand' as const, value: { command, timeoutMs } }
  for await (const { event } of client.read({ key, offset: 0n, display: 0, start })) {
    if (event.case === 'output') {
      result.firstOutputMs ??= performance.now() - startedAt
      result.output += Buffer.from(event.value.data).toString()
    }
    if (event.case === 'ended') {
      const { exitCode, cause, message } = event.value
      Object.assign(result, { exitCode, cause, message })
    }
  }
  await client.forget({ key })
  return result
}

async function openEvents(socketPath: string): Promise<HostEventLog> {
  const seen: HostEvent[] = []
  const listeners = new Set<() => void>()
  const opened = Promise.withResolvers<void>()
  const request = httpRequest({ socketPath, path: hostPaths.events(), agent: false })
  request.once('error', opened.reject)
  request.once('response', (response) => {
    let rest = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      seen.push(...lines.map((line) => hostEventSchema.parse(JSON.parse(line))))
      opened.resolve()
      for (const listener of listeners) listener()
    })
    // A killed daemon breaks the stream; a caller that waits for an event reaches its own timeout.
    response.on('error', () => undefined)
  })
  request.end()
  await opened.promise
  request.on('error', () => undefined)
  return {
    all: () => [...seen],
    next: async (fits) => {
      const { promise, resolve } = Promise.withResolvers<HostEvent>()
      const check = () => {
        const found = seen.find(fits)
        if (found !== undefined) resolve(found)
      }
      listeners.add(check)
      check()
      return await promise.finally(() => listeners.delete(check))
    },
    [Symbol.dispose]: () => void request.destroy(),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
