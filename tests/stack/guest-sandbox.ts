import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Client, createClient } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { runs } from '@threadbox/protocol/guest'
import { gatewayPaths, hostPaths } from '@threadbox/protocol/host'
import { startTestHost, type TestHost } from '@threadbox/testkit'

/** One real sandbox with its guest, reachable as by a client inside the machine. */
export type GuestSandbox = AsyncDisposable & {
  host: TestHost
  sandboxId: string
  bootId: string
  /** Addresses on loopback that lead to the guest's two ports; the gateway behind them adds the access token. */
  guestUrl: string
  codeUrl: string
  transport: ReturnType<typeof createConnectTransport>
  client: Client<typeof runs.Runs>
  /** Ends the sandbox and boots it again over its disk: its memory is lost. */
  coldStart(): Promise<void>
}

const mebibyte = 1024 * 1024
const sandboxLimits = { memoryBytes: 1024 * mebibyte, cpus: 2, processes: 256, diskBytes: 2048 * mebibyte }

export async function startGuestSandbox(
  options: { memoryBytes?: number; diskBytes?: number; environment?: Record<string, string> } = {},
): Promise<GuestSandbox> {
  await using cleanup = new AsyncDisposableStack()
  const host = await startTestHost({ environment: options.environment ?? {} })
  cleanup.defer(() => host.close())
  const sandboxId = host.newSandboxId()
  const { memoryBytes = sandboxLimits.memoryBytes, diskBytes = sandboxLimits.diskBytes } = options
  const limits = { ...sandboxLimits, memoryBytes, diskBytes }
  await host.request('PUT', hostPaths.get(sandboxId), { limits, egress: { kind: 'open' } })
  let bootId = ''
  const start = async () => {
    bootId = host.newBootId()
    const started = await host.request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })
    if (started.status !== 200) throw new Error(`the sandbox did not start: ${JSON.stringify(started.body)}`)
  }
  await start()
  const forward = async (prefix: string) => {
    const server = await startForwarder({ socketPath: host.gatewaySocketPath, prefix })
    cleanup.defer(() => close(server))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const guestUrl = await forward(gatewayPaths.guest(sandboxId))
  const codeUrl = await forward(gatewayPaths.code(sandboxId))
  const transport = createConnectTransport({ httpVersion: '1.1', baseUrl: guestUrl })
  const kept = cleanup.move()
  return {
    host,
    sandboxId,
    get bootId() {
      return bootId
    },
    guestUrl,
    codeUrl,
    transport,
    client: createClient(runs.Runs, transport),
    coldStart: async () => {
      const stopped = await host.request('POST', hostPaths.stop(sandboxId), { bootId })
      if (stopped.status !== 200) throw new Error(`the sandbox did not stop: ${JSON.stringify(stopped.body)}`)
      await start()
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function startForwarder(options: { socketPath: string; prefix: string }): Promise<Server> {
  const server = createServer((request, response) => {
    const upstream = httpRequest({
      socketPath: options.socketPath,
      path: `${options.prefix}${request.url}`,
      method: request.method,
      headers: request.headers,
      agent: false,
    })
    upstream.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.flushHeaders()
      answer.pipe(response)
      answer.on('error', () => response.destroy())
    })
    upstream.on('error', () => response.destroy())
    response.on('close', () => upstream.destroy())
    request.pipe(upstream)
  })
  server.requestTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

async function close(server: Server) {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
