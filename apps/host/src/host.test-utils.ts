import { randomBytes, randomInt } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { makeDirectoryDiskStore } from '@threadbox/disk-store'
import { defaultSandboxLimits, makeId } from '@threadbox/domain'
import { accessTokenHeader, guestInitSchema, guestPort } from '@threadbox/protocol/guest'
import { hostPaths } from '@threadbox/protocol/host'
import { type InMemoryDriver, makeInMemoryDriver } from '@threadbox/sandbox-driver/testing'
import type { SandboxNetwork } from '@threadbox/sandbox-network'
import { makeLogger } from '@threadbox/telemetry'
import { makeHost } from './host.ts'
import { makeFactsStore } from './state/facts.store.ts'
import { openStateDatabase } from './state/state-database.ts'

/** What a guest on loopback does beside the handshake; requests without the right token never reach it. */
export type GuestBehaviour = (request: IncomingMessage, response: ServerResponse) => void

export type HostUnderTest = AsyncDisposable & {
  url: string
  directory: string
  driver: InMemoryDriver
  /** The guest of the first sandbox. */
  guest: Server
  /** Bodies of the handshakes that the guest got. */
  handshakes: unknown[]
  request(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>
  startSandbox(): Promise<{ sandboxId: string; bootId: string }>
  newSandboxId(): string
  newBootId(): string
}

type Guest = { address: string; server: Server }

/** The host daemon in this process, over an in-memory driver, plain directories, and a guest on loopback. */
export async function startHostUnderTest(options: {
  behaviour?: GuestBehaviour
  /** False: the guest never answers the handshake. */
  isGuestListening?: boolean
}): Promise<HostUnderTest> {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-host-'))
  const handshakes: unknown[] = []
  // All of 127/8 is this machine: each test has addresses of its own on which its guests have their usual port.
  const network = `127.${randomInt(1, 255)}.${randomInt(1, 255)}`
  const addresses = [`${network}.6`, `${network}.10`] as const
  const behaviour = options.behaviour ?? ((_, response) => void response.end('ok'))
  const guests = addresses.map((address) => ({ address, server: makeGuest({ handshakes, behaviour }) })) as [
    Guest,
    Guest,
  ]
  const guest = guests[0].server
  if (options.isGuestListening !== false) {
    for (const { address, server } of guests) await listen(server, { host: address, port: guestPort })
  }
  const driver = makeInMemoryDriver()
  const disks = makeDirectoryDiskStore({ directory: path.join(directory, 'disks') })
  await mkdir(path.join(directory, 'files'))
  await writeFile(path.join(directory, 'authorities'), 'authority\n')
  const database = openStateDatabase(path.join(directory, 'state.sqlite'))
  await disks.prepare()
  await disks.importImage({ imageId: 'image', build: async () => undefined })
  await makeFactsStore(database).set('currentImage', 'image')
  const host = await makeHost({
    driver,
    disks,
    network: makeListedNetwork(addresses),
    networkPool: '198.18.0.0/28',
    database,
    files: {
      directory: path.join(directory, 'files'),
      guestDirectory: '/guest-1',
      certificateBundle: path.join(directory, 'authorities'),
      extraCertificates: '',
      skillsDirectory: '',
    },
    imageArchive: '',
    guestEnvironment: {},
    spareSandboxes: 0,
    readyTimeoutMs: 300,
    installation: 'unit00',
    doctorUrl: 'http://127.0.0.1/',
    version: '0',
    logger: makeLogger({ process: 'test', level: 'silent' }),
    clock: Date.now,
    randomBytes,
  })
  await host.prepare()
  const server = host.makeServer({ token: undefined })
  const url = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`
  const request = async (method: string, pathName: string, body?: unknown) => {
    const response = await fetch(url + pathName, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  const newSandboxId = () => makeId('sandbox', randomBytes)
  const newBootId = () => makeId('boot', randomBytes)
  return {
    ...{ url, directory, driver, guest, handshakes, request, newSandboxId, newBootId },
    startSandbox: async () => {
      const [sandboxId, bootId] = [newSandboxId(), newBootId()]
      await request('PUT', hostPaths.sandbox(sandboxId), { limits: defaultSandboxLimits, egress: { kind: 'open' } })
      const answer = await request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
      return { sandboxId, bootId }
    },
    [Symbol.asyncDispose]: async () => {
      for (const one of [server, ...guests.map((each) => each.server)]) {
        one.closeAllConnections()
        one.close()
      }
      await host.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

function makeGuest(options: { handshakes: unknown[]; behaviour: GuestBehaviour }): Server {
  let token = ''
  return createServer((request, response) => {
    if (request.url !== '/init') {
      if (token !== '' && request.headers[accessTokenHeader] === token) return options.behaviour(request, response)
      response.writeHead(401).end()
      return
    }
    let text = ''
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    request.on('end', () => {
      const init = guestInitSchema.parse(JSON.parse(text))
      options.handshakes.push(init)
      token = init.accessToken
      response.end(JSON.stringify({ protocolVersion: 1, guestVersion: '1', bootId: init.bootId }))
    })
  })
}

/** A network that only remembers who is attached: enough for everything above the kernel. */
function makeListedNetwork(addresses: Iterable<string>): SandboxNetwork {
  const attached = new Set<string>()
  return {
    prepare: async ({ keep }) => {
      for (const sandboxId of attached) if (!keep.has(sandboxId)) attached.delete(sandboxId)
    },
    close: async () => attached.clear(),
    attach: async ({ sandboxId, address }) => {
      attached.add(sandboxId)
      return { sandboxId, namespacePath: '/nowhere', address, gatewayAddress: '198.18.0.1', mtu: 1500 }
    },
    restoreAddress: async () => undefined,
    setLink: async () => undefined,
    setEgress: async () => undefined,
    detach: async (sandboxId) => void attached.delete(sandboxId),
    list: async () => [...attached],
    addresses: () => addresses,
  }
}

async function listen(server: Server, where: { host: string; port: number }): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(where, resolve)
  await promise
  return (server.address() as AddressInfo).port
}
