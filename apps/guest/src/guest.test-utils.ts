import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { type GuestInit, runs, services, terminals } from '@threadbox/protocol/guest'
import { makeLogger } from '@threadbox/telemetry'
import { startGuest } from './guest.ts'
import { findPrograms } from './launch/programs.ts'

export const testToken = 'a-token-that-only-this-test-knows-0123456789'

/** The whole guest on this machine, as the user that runs the tests: everything except other users and gVisor. */
export type TestGuest = AsyncDisposable & {
  url: string
  directory: string
  handshake(change?: Partial<GuestInit>, token?: string): Promise<Response>
  runs: Client<typeof runs.Runs>
  services: Client<typeof services.Services>
  terminals: Client<typeof terminals.Terminals>
  /** Runs a command to its end. */
  run(
    command: string,
    options?: { key?: string; cwd?: string; session?: string; timeoutMs?: number },
  ): Promise<RunResult>
  start(command: string, key?: string): Promise<string>
  read(key: string, options?: { offset?: number }): Promise<RunResult>
}

export type RunResult = { output: Buffer; text: string; ended: runs.ReadResponse_Ended }

export async function startTestGuest(options: { fileServerIdleMs?: number } = {}): Promise<TestGuest> {
  const directory = mkdtempSync(join(tmpdir(), 'guest-test-'))
  const guest = await startGuest({
    programs: findPrograms(import.meta.dirname),
    guestVersion: 'test',
    scratchDirectory: join(directory, 'scratch'),
    stateDirectory: join(directory, 'state'),
    ownsMachine: false,
    address: '127.0.0.1',
    ports: { guest: 0, code: 0, git: 0 },
    logger: makeLogger({ process: 'guest', level: 'silent' }),
    ...options,
  })
  const url = `http://127.0.0.1:${guest.ports.guest}`
  const transport = createConnectTransport({
    httpVersion: '1.1',
    baseUrl: url,
    interceptors: [
      (next) => (request) => {
        request.header.set('x-access-token', testToken)
        return next(request)
      },
    ],
  })
  const client = createClient(runs.Runs, transport)
  let count = 0
  const start = async (command: string, key = `run-${++count}`) => {
    await client.startCommand({ key, command })
    return key
  }
  const read = (key: string, options: { offset?: number } = {}) =>
    readToEnd({ client, key, offset: options.offset ?? 0 })
  const handshake = (change: Partial<GuestInit> = {}, token = '') =>
    fetch(`${url}/init`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token === '' ? {} : { 'x-access-token': token }) },
      body: JSON.stringify({ ...firstHandshake(directory), ...change }),
    })
  return {
    url,
    directory,
    handshake,
    runs: client,
    services: createClient(services.Services, transport),
    terminals: createClient(terminals.Terminals, transport),
    start,
    read,
    run: async (command, options = {}) => {
      const key = options.key ?? `run-${++count}`
      await client.startCommand({ ...options, key, command })
      return await read(key)
    },
    [Symbol.asyncDispose]: async () => {
      await guest.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function firstHandshake(directory: string): GuestInit {
  return {
    accessToken: testToken,
    timestampMs: 0,
    hostname: 'box',
    bootId: 'b1',
    // Keeps the profile of the person who runs the tests out of them.
    envVars: { GIVEN: 'by the host', HOME: directory },
    defaultUser: userInfo().username,
    defaultWorkdir: directory,
    // Outside a sandbox the limit counts everything that the user runs.
    limits: { memoryBytes: 2 ** 50, processes: 30_000 },
    entropy: '',
  }
}

async function readToEnd(options: {
  client: Client<typeof runs.Runs>
  key: string
  offset: number
}): Promise<RunResult> {
  const pieces: Uint8Array[] = []
  for await (const { event } of options.client.read({ key: options.key, offset: BigInt(options.offset) })) {
    if (event.case === 'output') pieces.push(event.value.data)
    if (event.case === 'ended') {
      const output = Buffer.concat(pieces)
      return { output, text: output.toString('utf8'), ended: event.value }
    }
  }
  throw new Error('the run was not read to its end')
}
