import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Grant } from '@threadbox/protocol/egress'
import { type Authority, createAuthorityFiles, makeAuthority } from '@threadbox/secret-broker'
import { boundaries } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formsOf } from './canary/forms.ts'
import { type Client, openClient } from './egress-kills/client.ts'
import { type EgressProcess, makeEgressProcess } from './egress-kills/egress-process.ts'
import { type Reached, reach, type Scene, type Secrets, withoutRevoked } from './egress-kills/points.ts'
import { type RecordingHost, startRecordingHost } from './egress-kills/recording-host.ts'
import { startRebindingNameServer } from './isolation/rebinding-name-server.ts'
import { addNeighbor, run } from './isolation/test-machine.ts'

const points = boundaries({
  of: 'a request with a secret',
  killed: 'egress',
  at: [
    'it is accepted',
    'half of the ClientHello is read',
    'the address of the host is asked for',
    'the host has accepted',
    'half of the host’s handshake is read',
    'the host’s certificate is checked',
    'the sandbox’s handshake is done',
    'half of the head is read',
    'the head and half of a body for a value are read',
    'half of the head is at the host',
    'the head is at the host',
    'half of the body is at the host',
    'all but the last chunk of the body is at the host',
    'the request is at the host',
    'half of the response’s head is read',
    'the response’s head is with the sandbox',
    'half of a response that repeats the value is with the sandbox',
    'half of a repeated value is read',
    'the connection is kept',
    'half of a second request is read',
    'an HTTP/2 request is at the host',
    'half of an HTTP/2 response is with the sandbox',
    'a WebSocket is open',
    'half of an order that revokes is read',
    'an order that revokes has arrived',
    'an order that revokes is acknowledged',
    'half of an order with values is read',
    'an order with values has arrived',
  ],
})
type Point = (typeof points)[number]

const subnet = 89
const sandboxId = 's0000000000000000000a'
/**
 * `again`: for the requests afterwards. Egress remembers the protocol of a host, and connects to one that it doesn’t know
 * before the first request. `other`: a host without secrets.
 */
const names = {
  http1: 'api.site.test',
  http2: 'h2.site.test',
  again: 'again.site.test',
  other: 'other.site.test',
} as const
type Name = keyof typeof names
/** Behind them egress listens, in its namespace. */
const virtual: Record<Name, string> = {
  http1: '198.51.100.181',
  http2: '198.51.100.182',
  again: '198.51.100.183',
  other: '198.51.100.184',
}
/** Where the hosts listen, in this process. */
const real: Record<Name, string> = {
  http1: '203.0.113.181',
  http2: '203.0.113.182',
  again: '203.0.113.183',
  other: '203.0.113.184',
}
const everyName = Object.keys(names) as Name[]
const brokered = [names.http1, names.http2, names.again]

const secrets: Secrets = {
  used: secret('used', { value: `sk_${random(16)}/+"${random(4)}` }),
  long: secret('long', { value: random(8192) }),
  inBody: secret('in-body', { value: random(20), positions: ['body'], pathPrefix: '/in-body' }),
  revoked: secret('revoked', { value: random(20) }),
}

const values = Object.values(secrets).map(({ value }) => value)

const stack = new AsyncDisposableStack()
let directory: string
let gateway: string
let egress: EgressProcess
let hosts: Record<Name, RecordingHost>
let authorities: string[]
let nameAsked: (() => void) | undefined
let revision = 0
const clients: Client[] = []

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'threadbox-egress-kills-'))
  stack.defer(() => rm(directory, { recursive: true }))
  const lan = await addNeighbor({ subnet, addresses: Object.values(virtual), address6: `fd77:${subnet}::2` })
  stack.defer(() => lan.remove())
  gateway = lan.gateway
  for (const address of Object.values(real)) run(`ip addr add ${address}/32 dev tn${subnet}`)
  run(`ip netns exec ${lan.namespace} sysctl -qw net.ipv4.ip_unprivileged_port_start=0`)
  // Little waits in the kernel, so that a request of some hundred KiB can be cut.
  run(`ip netns exec ${lan.namespace} sysctl -qw net.ipv4.tcp_wmem='4096 16384 65536'`)
  const ofHosts = await makeAuthority(await createAuthorityFiles({ subject: 'hosts', clock: Date.now }), {
    clock: Date.now,
  })
  await startHosts(ofHosts)
  const nameServer = await startRebindingNameServer(
    Object.fromEntries(everyName.map((name) => [names[name], real[name]])),
    { at: gateway, port: 53, beforeAnswer: answerUnlessHeld },
  )
  stack.defer(() => nameServer.close())
  const certificateBundle = path.join(directory, 'trusted.pem')
  await writeFile(certificateBundle, ofHosts.certificate)
  const sandbox = { sandboxId, address: gateway, kind: 'allowlist' as const, names: Object.values(names) }
  egress = stack.use(
    makeEgressProcess({
      directory,
      namespace: lan.namespace,
      nameServer: gateway,
      certificateBundle,
      table: {
        sandboxes: [{ ...sandbox, brokered, privateAddresses: [] }],
        names: everyName.map((name) => ({ address: virtual[name], name: names[name] })),
      },
    }),
  )
  await egress.start()
  authorities = [ofHosts.certificate, await readFile(path.join(directory, 'authority/authority.pem'), 'utf8')]
})
afterAll(() => stack.disposeAsync())

type Outcome = { point: Point; valuesAtHost: number; withSandbox: string; usableAgainMs: number }
const outcomes: Outcome[] = []

test.each(points)('G9: egress is killed when %s: the value is nowhere else, and usable again', async (point) => {
  const scene = sceneOf(point)
  if (!point.includes('with values')) await scene.setGrants(Object.values(secrets))
  const { client, host, values }: Reached = await reach[point](scene)
  await egress.kill()
  host?.valve.readAgain()
  await Promise.all([client.ended, host?.ended])
  const atHost = host?.sent.text() ?? ''
  if (values === 'some') {
    expect(atHost).toContain(`authorization: Bearer ${secrets.long.value}`)
    expect(atHost).not.toContain('\r\n\r\n')
  } else expect(valuesIn(atHost)).toBe(values)
  const startedAt = performance.now()
  await egress.start()
  // Until the server has sent them, no secret is usable, and no placeholder goes out.
  expect(await ask(scene, 'again', secrets.used)).toMatch(/^HTTP\/1.1 503 .*secret\.not-ready/s)
  await scene.setGrants(withoutRevoked(scene))
  expect(await ask(scene, 'again', secrets.used)).toMatch(/^HTTP\/1.1 200 /)
  const usableAgainMs = Math.round(performance.now() - startedAt)
  expect(lastAt('again')).toContain(`authorization: Bearer ${secrets.used.value}\r\n`)
  expect(await ask(scene, 'again', secrets.revoked)).toMatch(/^HTTP\/1.1 200 /)
  expect(lastAt('again')).toContain(`authorization: Bearer ${secrets.revoked.placeholder}\r\n`)
  expect(await ask(scene, 'other', secrets.used)).toMatch(/^HTTP\/1.1 200 /)
  expect(lastAt('other')).toContain(`authorization: Bearer ${secrets.used.placeholder}\r\n`)
  const withSandbox = client.got.text()
  outcomes.push({ point, valuesAtHost: valuesIn(atHost), withSandbox, usableAgainMs })
})

test('G9: after these kills, no sandbox, other host, connection or file has a value', async () => {
  for (const { point, valuesAtHost, withSandbox, usableAgainMs } of outcomes) {
    const got = withSandbox === '' ? 'nothing' : `${withSandbox.length} bytes`
    console.log(
      `${point}: ${valuesAtHost} values at the host, ${got} with the sandbox, usable after ${usableAgainMs} ms`,
    )
  }
  expect(outcomes.map(({ point }) => point)).toEqual(points)
  expect(outcomes.length).toBeGreaterThanOrEqual(20)
  const arrived = everyName.flatMap((name) => hosts[name].arrived)
  const places = {
    'a sandbox': clients.map(({ got }) => got.text()),
    'a sandbox, within TLS': clients.map(({ valve }) => valve.received.toString('latin1')),
    'another host': hosts.other.arrived.map(({ sent }) => sent.text()),
    'a host, within TLS': arrived.map(({ valve }) => valve.received.toString('latin1')),
    'a host, where it wasn’t sent': arrived.map(({ sent }) => withoutSent(sent.text())),
    'a file': await filesIn(directory),
  }
  for (const [place, texts] of Object.entries(places)) {
    expect(texts.join('').length, place).toBeGreaterThan(100)
    expect(hasForm(texts.join('\n')), place).toBe(false)
    // The search finds one.
    expect(hasForm(`${texts.join('\n')}${Buffer.from(secrets.used.value).toString('base64')}`), place).toBe(true)
  }
  const halfEchoed = outcomes.find(({ point }) => point === 'half of a repeated value is read')
  // What could begin a value is let go up to four bytes.
  expect(halfEchoed?.withSandbox).not.toContain(secrets.used.value.slice(0, 5))
})

/** A text without the values that the host was sent in a header. */
function withoutSent(text: string): string {
  return text.replace(/^(authorization: Bearer |x-\d+: )\S+$/gm, '')
}

const forms = Object.values(secrets).flatMap(({ value }) => formsOf(value))

function hasForm(text: string): boolean {
  return forms.some((form) => text.includes(form))
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return await Promise.all(files.map((entry) => readFile(path.join(entry.parentPath, entry.name), 'latin1')))
}

function sceneOf(point: Point): Scene {
  const path = `/${points.indexOf(point)}`
  return {
    path,
    secrets,
    hosts,
    egress,
    open: ({ protocol, allowed } = {}) => open(protocol === 'h2' ? 'http2' : 'http1', { protocol, allowed }),
    nameAsked: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      nameAsked = resolve
      return promise
    },
    order: async (grants, part) => {
      const body = JSON.stringify({ sandboxId, revision: ++revision, grants })
      const head = `PUT /v1/grants HTTP/1.1\r\nhost: egress\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`
      await egress.writeToGrants(head + (part === 'all' ? body : body.slice(0, body.length / 2)))
    },
    setGrants: async (grants) => {
      revision += 1
      expect(await egress.setGrants({ sandboxId, revision, grants: [...grants] })).toEqual({ revision })
    },
  }
}

async function open(name: Name, options: { protocol?: 'h2' | undefined; allowed?: number | undefined } = {}) {
  const client = await openClient({ name: names[name], address: virtual[name], from: gateway, authorities, ...options })
  clients.push(client)
  return client
}

/** A whole request of the sandbox, and all that it gets. */
async function ask({ path }: Scene, name: Name, { placeholder }: Grant): Promise<string> {
  hosts[name].respond()
  const { tls, got, ended } = await open(name)
  const lines = [`GET /again${path} HTTP/1.1`, `host: ${names[name]}`, `authorization: Bearer ${placeholder}`]
  tls.write([...lines, 'connection: close', '', ''].join('\r\n'))
  await ended
  return got.text()
}

function lastAt(name: Name): string {
  return hosts[name].arrived.at(-1)?.sent.text() ?? ''
}

/** How many values are in a text. */
function valuesIn(text: string): number {
  return values.reduce((sum, value) => sum + text.split(value).length - 1, 0)
}

async function startHosts(authority: Authority): Promise<void> {
  const start = async (name: Name) => {
    const options = { name: names[name], address: real[name], authority, isHttp2: name === 'http2' }
    return stack.use(await startRecordingHost(options))
  }
  hosts = {
    http1: await start('http1'),
    http2: await start('http2'),
    again: await start('again'),
    other: await start('other'),
  }
}

async function answerUnlessHeld(): Promise<void> {
  if (nameAsked === undefined) return
  nameAsked()
  nameAsked = undefined
  await new Promise(() => undefined)
}

function random(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}

function secret(name: string, change: Partial<Grant>): Grant {
  return {
    secretId: name,
    name,
    placeholder: `tbx${random(10)}`,
    value: '',
    hosts: brokered,
    positions: ['header'],
    methods: null,
    pathPrefix: null,
    header: null,
    ...change,
  }
}
