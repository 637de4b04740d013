import { randomBytes, randomInt } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { waitAtMost } from '@threadbox/concurrency'
import { type DiskStore, makeDirectoryDiskStore } from '@threadbox/disk-store'
import { defaultSandboxLimits, makeId } from '@threadbox/domain'
import { accessTokenHeader, guestInitSchema, guestPort } from '@threadbox/protocol/guest'
import { gatewayPaths, type HostEvent, hostEventSchema, hostPaths } from '@threadbox/protocol/host'
import { type InMemoryDriver, makeInMemoryDriver } from '@threadbox/sandbox-driver/testing'
import type { SandboxNetwork } from '@threadbox/sandbox-network'
import { makeLogger } from '@threadbox/telemetry'
import { openGateway } from './boots/launch/gateway.test-utils.ts'
import { makeGuestEnvironment } from './boots/launch/guest-environment.ts'
import { makeHost } from './host.ts'
import { makeFactsStore } from './machine/state/facts.store.ts'
import { openStateDatabase } from './machine/state/state-database.ts'

/** What a guest on loopback does besides the handshake; requests without the right token never reach it. */
export type GuestBehaviour = (request: IncomingMessage, response: ServerResponse) => void

export type HostUnderTest = AsyncDisposable & {
  url: string
  /** Where the gateway takes requests to sandboxes. */
  gatewayUrl: string
  directory: string
  driver: InMemoryDriver
  disks: DiskStore
  /** The network's latest settings of an allocation. */
  links: Map<string, { state: 'up' | 'down'; egress: string; address: string }>
  /** The guest of the first sandbox. */
  guest: Server
  /** Bodies of the handshakes that the guest got. */
  handshakes: unknown[]
  /** All events that listeners got, also from daemons that were killed. */
  events: HostEvent[]
  /** The free memory that the machine reports. */
  memory: { totalBytes: number; availableBytes: number }
  disk: { totalBytes: number; availableBytes: number }
  request(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>
  startSandbox(): Promise<{ sandboxId: string; bootId: string }>
  newSandboxId(): string
  newBootId(): string
  /** From now on this step of driver, disks or network never returns, as in a daemon that is killed there. */
  hangAt(step: `${'before' | 'after'} ${string}`): Promise<void>
  /** The daemon is gone, and another one starts over its remains. */
  killAndRestart(): Promise<void>
  /** The gateway is gone, and another one starts. */
  restartGateway(): Promise<void>
}

type Guest = { address: string; server: Server }

export type HostUnderTestOptions = {
  behaviour?: GuestBehaviour
  /** False: the guest never responds to the handshake. */
  isGuestListening?: boolean
  keepsFrozen?: boolean
  sandboxProxy?: string
  imageBudgetBytes?: number
  bootTemplates?: boolean
  spareSandboxes?: number
  preparedAllocations?: number
  freezeIdleMs?: number
  compressesFrozen?: boolean
}

/** The host daemon in this process, over an in-memory driver, plain directories, and a guest on loopback. */
export async function startHostUnderTest(options: HostUnderTestOptions): Promise<HostUnderTest> {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-host-'))
  const handshakes: unknown[] = []
  // All of 127/8 is this machine: each test has its own addresses on which its guests have their usual port.
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
  const links: HostUnderTest['links'] = new Map()
  const disk = { totalBytes: 2 ** 40, availableBytes: 2 ** 39 }
  const readSpace = async () => ({ ...disk })
  const machine = {
    driver: makeInMemoryDriver(),
    disks: makeDirectoryDiskStore({ directory: path.join(directory, 'disks'), readSpace }),
    network: makeListedNetwork({ addresses, links }),
  }
  await prepareMachine({ directory, disks: machine.disks })
  const memory = { totalBytes: 16 * 2 ** 30, availableBytes: 12 * 2 ** 30 }
  const events: HostEvent[] = []
  const gateway = await openGateway()
  const { ordersSocket: gatewayOrdersSocket } = gateway
  const open = (steps: Steps) =>
    openHost({ ...options, directory, machine, memory, events, steps, gatewayOrdersSocket })
  let steps = makeSteps()
  let host = await open(steps)
  await untilTold(gateway.url)
  const request = async (method: string, pathName: string, body?: unknown) => {
    const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const response = await fetch(host.url + pathName, init)
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  const newSandboxId = () => makeId('sandbox', randomBytes)
  const newBootId = () => makeId('boot', randomBytes)
  const { driver, disks } = machine
  return {
    directory,
    driver,
    disks,
    links,
    guest,
    handshakes,
    events,
    memory,
    disk,
    request,
    newSandboxId,
    newBootId,
    get url() {
      return host.url
    },
    gatewayUrl: gateway.url,
    startSandbox: async () => {
      const [sandboxId, bootId] = [newSandboxId(), newBootId()]
      await request('PUT', hostPaths.get(sandboxId), { limits: defaultSandboxLimits, egress: { kind: 'open' } })
      const answer = await request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
      return { sandboxId, bootId }
    },
    restartGateway: gateway.restart,
    hangAt: (step) => steps.hangAt(step),
    killAndRestart: async () => {
      // Its other work ends there too.
      steps.kill()
      await host.close()
      steps = makeSteps()
      host = await open(steps)
    },
    [Symbol.asyncDispose]: async () => {
      for (const { server } of guests) {
        server.closeAllConnections()
        server.close()
      }
      await host.close()
      await gateway.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function prepareMachine({ directory, disks }: { directory: string; disks: DiskStore }): Promise<void> {
  for (const name of ['files', 'guest-1']) await mkdir(path.join(directory, name))
  await writeFile(path.join(directory, 'authorities'), 'authority\n')
  const database = openStateDatabase(path.join(directory, 'state.sqlite'))
  await disks.prepare()
  await disks.importImage({ imageId: 'image', build: (root) => writeFile(path.join(root, 'base'), 'image') })
  await makeFactsStore(database).set('currentImage', 'image')
  await database.destroy()
}

type Machine = { driver: InMemoryDriver; disks: DiskStore; network: SandboxNetwork }

async function openHost(
  options: HostUnderTestOptions & {
    directory: string
    machine: Machine
    memory: HostUnderTest['memory']
    events: HostEvent[]
    steps: Steps
    gatewayOrdersSocket: string
  },
): Promise<{ url: string; close: () => Promise<void> }> {
  const { directory, machine, steps } = options
  const host = await makeHost({
    driver: steps.watch('driver', machine.driver),
    disks: steps.watch('disks', machine.disks),
    network: steps.watch('network', machine.network),
    networkPool: '198.18.0.0/28',
    database: openStateDatabase(path.join(directory, 'state.sqlite')),
    files: {
      directory: path.join(directory, 'files'),
      guestDirectory: path.join(directory, 'guest-1'),
      certificateBundle: path.join(directory, 'authorities'),
      extraCertificates: '',
    },
    imageArchive: '',
    guestEnvironment: makeGuestEnvironment({ sandboxProxy: options.sandboxProxy ?? '', sandboxNoProxy: 'localhost' }),
    spareSandboxes: options.spareSandboxes ?? 0,
    preparedAllocations: options.preparedAllocations ?? 0,
    spareKernels: 'off',
    memory: {
      keepsFrozen: options.keepsFrozen ?? true,
      imageBudgetBytes: options.imageBudgetBytes ?? 2 ** 40,
      reserveBytes: 2 ** 30,
      read: async () => ({ ...options.memory }),
    },
    bootTemplates: options.bootTemplates ?? false,
    activeCpuShare: 0.05,
    freezeIdleMs: options.freezeIdleMs ?? 0,
    compressesFrozen: options.compressesFrozen ?? false,
    readyTimeoutMs: 1500,
    installation: 'unit00',
    gatewayOrdersSocket: options.gatewayOrdersSocket,
    doctorUrl: 'http://127.0.0.1/',
    sandboxDiskRate: 0,
    sealingKeyFile: path.join(directory, 'sealing-key'),
    processes: [],
    version: '0',
    logger: makeLogger({ process: 'test', level: 'silent' }),
    clock: Date.now,
    randomBytes,
  })
  await host.prepare()
  const server = host.makeServer({ token: undefined })
  const url = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`
  await followEvents({ url, events: options.events })
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await host.close()
  }
  return { url, close }
}

/** Returns when the host has told the gateway which boots exist. */
async function untilTold(gatewayUrl: string): Promise<void> {
  for (;;) {
    const response = await fetch(gatewayUrl + gatewayPaths.guest(makeId('sandbox', randomBytes)))
    if ((await response.text()).includes('sandbox.not-running')) return
    await waitAtMost(5)
  }
}

/** Returns when the first line was read, so that no later event is missed. */
async function followEvents({ url, events }: { url: string; events: HostEvent[] }): Promise<void> {
  const response = await fetch(url + hostPaths.events())
  const opened = Promise.withResolvers<void>()
  const read = async () => {
    let rest = ''
    if (response.body === null) return
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      events.push(...lines.map((line) => hostEventSchema.parse(JSON.parse(line))))
      opened.resolve()
    }
  }
  // The stream breaks when the daemon is killed.
  read().catch(() => opened.resolve())
  await opened.promise
}

/** Lets every method of a part of the machine be the last thing that a daemon does. */
type Steps = {
  watch<Part extends object>(name: string, part: Part): Part
  /** Resolves when the daemon hangs there. */
  hangAt(step: string): Promise<void>
  /** No later call of a watched part returns. */
  kill(): void
}

function makeSteps(): Steps {
  const hangs = new Map<string, () => void>()
  let isKilled = false
  const pass = async (step: string) => {
    const reached = hangs.get(step)
    if (reached === undefined) return
    reached()
    await new Promise(() => undefined)
  }
  return {
    watch: (name, part) =>
      new Proxy(part, {
        get: (target, property) => {
          const method = Reflect.get(target, property)
          if (typeof method !== 'function' || hangs.size === 0) return method
          return (...values: unknown[]) => {
            if (isKilled) return new Promise(() => undefined)
            const step = `${name}.${String(property)}`
            if (!hangs.has(`before ${step}`) && !hangs.has(`after ${step}`)) return method.apply(target, values)
            const call = async () => {
              await pass(`before ${step}`)
              const result = await method.apply(target, values)
              await pass(`after ${step}`)
              return result
            }
            return call()
          }
        },
      }),
    hangAt: (step) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      hangs.set(step, resolve)
      return promise
    },
    kill: () => {
      isKilled = true
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

/** A network that only records who is attached: enough for everything above the kernel. */
function makeListedNetwork(options: { addresses: Iterable<string>; links: HostUnderTest['links'] }): SandboxNetwork {
  const { addresses, links } = options
  const change = (sandboxId: string, values: Partial<{ state: 'up' | 'down'; egress: string }>) => {
    const link = links.get(sandboxId)
    if (link === undefined) throw new Error(`${sandboxId} is not attached`)
    links.set(sandboxId, { ...link, ...values })
  }
  return {
    openRouter: async () => '/proc/self/ns/net',
    prepare: async ({ keep }) => {
      for (const sandboxId of links.keys()) if (!keep.has(sandboxId)) links.delete(sandboxId)
    },
    stop: async () => undefined,
    close: async () => links.clear(),
    attach: async ({ sandboxId, address, egress }) => {
      if (!links.has(sandboxId)) links.set(sandboxId, { state: 'up', egress: egress.kind, address })
      return { sandboxId, namespacePath: '/nowhere', address, gatewayAddress: '198.18.0.1', mtu: 1500 }
    },
    restoreAddress: async () => undefined,
    setLink: async ({ sandboxId, state }) => change(sandboxId, { state }),
    settle: async () => undefined,
    setEgress: async ({ sandboxId, egress }) => change(sandboxId, { egress: egress.kind }),
    detach: async (sandboxId) => void links.delete(sandboxId),
    namesAsked: () => undefined,
    namesRefused: () => undefined,
    list: async () => [...links.keys()],
    addresses: () => addresses,
    names: { pid: () => undefined, respond: async () => undefined },
  }
}

async function listen(server: Server, where: { host: string; port: number }): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(where, resolve)
  await promise
  return (server.address() as AddressInfo).port
}
