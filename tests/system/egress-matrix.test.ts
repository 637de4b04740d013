import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { makeId } from '@threadbox/domain'
import { hostPaths, namesAskedSchema } from '@threadbox/protocol/host'
import { startTestHost, type TestHost } from '@threadbox/testkit'
import { repeats } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProgramIn } from '../stack/program-in-namespace.ts'
import { startMatrixNameServer } from './egress-matrix/names.ts'
import type { NameServer } from './isolation/rebinding-name-server.ts'
import { addNeighbor } from './isolation/test-machine.ts'

const run = promisify(execFile)
const publicAddress = '198.51.100.86'
const MiB = 1024 * 1024
const limits = { memoryBytes: 512 * MiB, cpus: 2, processes: 256, diskBytes: 1024 * MiB }
const names = [
  'allowed.site.test:443',
  'allowed.site.test:80',
  'allowed.site.test:8181',
  'private.site.test:8181',
  '*.turning.site.test:8181',
  'chain.site.test:8181',
  'private-chain.site.test:8181',
  '*.wide.site.test',
  'xn--bcher-kva.site.test',
]
const policies = {
  open: { kind: 'open' },
  allowlist: { kind: 'allowlist', names },
  none: { kind: 'none' },
} as const
type Policy = keyof typeof policies
const policyNames = Object.keys(policies) as Policy[]

/** Ways that get a response, by policy. All others are refused under every policy. */
const open: Policy[] = ['open']
const listed: Policy[] = ['open', 'allowlist']
const expected: Record<string, Policy[]> = {
  'TLS to an allowed name': listed,
  'TLS to another name': open,
  'TLS to an allowed name in upper case': listed,
  'TLS to an allowed name with a final dot': listed,
  'TLS to an allowed international name': listed,
  'TLS one level below a wildcard': listed,
  'TLS three levels below a wildcard': listed,
  'TLS to the name of a wildcard itself': open,
  'TLS to a literal address': open,
  'TLS without a server name': open,
  'TLS to an allowed name for another one': open,
  'TLS to another name for an allowed one': open,
  'a ClientHello in segments of one byte': listed,
  'a ClientHello of over 16 KiB': open,
  'HTTP to an allowed name': listed,
  'HTTP to an allowed name for another one': open,
  'HTTP for another name in the second request': open,
  'HTTP to a literal address': open,
  'a listed port': listed,
  'an unlisted port': open,
  'an unlisted port of a literal address': open,
  'UDP to port 443': open,
  'DNS at a foreign server over UDP': open,
  'DNS at a foreign server over TCP': open,
  'DNS at a foreign server over TLS': open,
  'an address of another name': open,
  'one of 40 random names': open,
  'an allowed name before it turns private': listed,
  'an allowed name at the end of 12 CNAME records': listed,
  '4 KiB of text from an allowed name': listed,
  '4 KiB of text from another name': open,
}

/** A machine on the internet: TLS, HTTP, and ports that send back what they get. */
const upstream = `
  const { readFileSync } = require('node:fs')
  const { createServer } = require('node:net')
  const { createSocket } = require('node:dgram')
  const [directory, address] = process.argv.slice(1)
  const tls = { key: readFileSync(directory + '/host.key'), cert: readFileSync(directory + '/host.pem') }
  const waits = []
  const listen = (server, port) => waits.push(new Promise((resolve) => server.listen(port, '0.0.0.0', resolve)))
  const quiet = (socket) => socket.on('error', () => undefined)
  listen(require('node:tls').createServer(tls, (socket) => quiet(socket).pipe(socket)).on('tlsClientError', () => undefined), 443)
  listen(require('node:http').createServer((request, response) => {
    response.end('asked for ' + request.url + ' of ' + request.headers.host)
  }), 80)
  for (const port of [25, 53, 853, 8181, 8282]) listen(createServer((socket) => quiet(socket).pipe(socket)), port)
  for (const port of [53, 443]) {
    const socket = createSocket('udp4').on('message', (sent, from) => socket.send(sent, from.port, from.address))
    waits.push(new Promise((resolve) => socket.bind(port, address, resolve)))
  }
  Promise.all(waits).then(() => console.log('ready'))
`

const stack = new AsyncDisposableStack()
let host: TestHost
let nameServer: NameServer
let privateAddress: string
let script: string

beforeAll(async () => {
  script = (await readFile(path.join(import.meta.dirname, 'egress-matrix/ways.py'))).toString('base64')
  const directory = await mkdtemp(path.join(tmpdir(), 'egress-matrix-'))
  stack.defer(() => rm(directory, { recursive: true }))
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=site.test']
  const files = ['-keyout', path.join(directory, 'host.key'), '-out', path.join(directory, 'host.pem')]
  await run('openssl', ['req', '-x509', ...key, ...files])
  const lan = await addNeighbor({ subnet: 86, addresses: [publicAddress], address6: 'fd77:86::2' })
  stack.defer(() => lan.remove())
  privateAddress = lan.first
  const server = startProgramIn(lan.namespace, ['-e', upstream, '--', directory, publicAddress])
  stack.defer(server.stop)
  expect(await server.next()).toBe('ready')
  const known = ['allowed', 'other', 'xn--bcher-kva', 'wide', 'one.wide', 'a.b.c.wide'].map(
    (name) => `${name}.site.test`,
  )
  const random = Array.from({ length: 40 }, (_, index) => `secret-${index}.exists.test`)
  nameServer = await startMatrixNameServer({ publicNames: [...known, ...random], publicAddress, privateAddress })
  stack.defer(() => nameServer.close())
  host = await startTestHost({ environment: { THREADBOX_NAME_SERVERS: `127.0.0.1:${nameServer.port}` } })
  stack.defer(() => host.close())
})
afterAll(() => stack.disposeAsync())

test('G2: in every state, a sandbox gets out in the ways that its policy allows, and in no other', async () => {
  const foreign = await addressForOtherSandbox()
  const wrong: string[] = []
  let cells = 0
  await Promise.all(
    policyNames.map(async (policy) => {
      for await (const { state, sandboxId } of statesOf(policy)) {
        const found = await tryAll(sandboxId, foreign)
        for (const [way, isReached] of Object.entries(found)) {
          cells += 1
          const shouldReach = expected[way]?.includes(policy) === true
          if (isReached !== shouldReach)
            wrong.push(`${policy}, ${state}: ${way} was ${isReached ? 'reached' : 'refused'}`)
        }
      }
    }),
  )
  console.log(`${cells} cells, ${wrong.length} wrong`)
  expect(wrong).toEqual([])
  // Every way, under three policies, in six states.
  expect(cells).toBeGreaterThanOrEqual(30 * 3 * 6)
  expect(cells % (3 * 6)).toBe(0)
})

/** More than what is kept of each sandbox. */
const eachMany = 250
const many = repeats({ what: 'random names of each kind', byDefault: 2 * eachMany, full: 8 * eachMany })
test(`G2: ${many} random names tell a name server nothing, what is kept of them is bounded, and names of others resolve`, async () => {
  const [boxes, mark] = [many / eachMany, randomBytes(4).toString('hex')]
  const processes = { names: await host.namesPid(), egress: await host.egressPid(), host: host.pid() }
  const before = await memoryOf(processes)
  const program = (await readFile(path.join(import.meta.dirname, 'egress-matrix/flood.py'))).toString('base64')
  const neighbor = await startBox({ kind: 'allowlist', names })
  const flooding = new AbortController()
  const resolved = resolveUntil(neighbor, flooding.signal)
  const found = await Promise.all(
    Array.from({ length: boxes }, async (_, index) => {
      const sandboxId = await startBox({ kind: 'allowlist', names })
      const ask = async (suffix: string) => {
        const range = `${index * eachMany} ${(index + 1) * eachMany}`
        const command = `echo ${program} | base64 -d > /tmp/flood.py; python3 /tmp/flood.py ${suffix} ${mark} ${range}`
        return JSON.parse((await host.run(sandboxId, command, { timeoutMs: 240_000 })).output) as Flooded
      }
      const [allowed, forbidden] = [await ask('wide.site.test'), await ask('forbidden.test')]
      const kept = namesAskedSchema.parse((await host.request('GET', hostPaths.namesAsked(sandboxId))).body)
      return { allowed, forbidden, kept }
    }),
  )
  flooding.abort()
  const lookups = await resolved
  expect(lookups).toEqual(lookups.map(() => 'resolved'))
  const after = await memoryOf(processes)
  const grown = Object.entries(before).map(([name, bytes]) => ({
    name,
    MiB: Math.round(((after[name] ?? 0) - bytes) / MiB),
  }))
  const addresses = new Set(found.flatMap(({ allowed }) => allowed.addresses))
  console.log(
    `${many} allowed names have ${addresses.size} addresses; ${lookups.length} of a neighbor resolved; growth: ${JSON.stringify(grown)}`,
  )
  for (const { allowed, forbidden, kept } of found) {
    expect([allowed.codes, forbidden.codes, forbidden.addresses]).toEqual([{ 0: eachMany }, { 3: eachMany }, []])
    expect([kept.names.length, kept.refused.length].every((length) => length === 200)).toBe(true)
  }
  expect(addresses.size).toBe(many)
  expect([...addresses].every((address) => address.startsWith('198.19.'))).toBe(true)
  expect(nameServer.asked.filter((name) => name.includes(mark))).toEqual([])
  expect(grown.filter((one) => one.name !== 'host' && one.MiB > 64)).toEqual([])
})

/** Names that are new to everyone, one after another. A machine at its limit is slow, so programs wait for long here. */
async function resolveUntil(sandboxId: string, signal: AbortSignal): Promise<string[]> {
  const outcomes: string[] = []
  while (!signal.aborted) {
    const lookup = `RES_OPTIONS='timeout:30 attempts:3' getent hosts neighbor-${outcomes.length}.wide.site.test`
    const { output } = await host.run(sandboxId, `${lookup} | grep -q ^198.19. && echo resolved || echo failed`)
    outcomes.push(output.trim())
  }
  return outcomes
}

type Flooded = { codes: Record<string, number>; addresses: string[] }

/** What processes have in memory that is theirs alone. */
async function memoryOf(processes: Record<string, number>): Promise<Record<string, number>> {
  const read = async (pid: number) =>
    Number(/^RssAnon:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  return Object.fromEntries(
    await Promise.all(Object.entries(processes).map(async ([name, pid]) => [name, await read(pid)])),
  )
}

async function startBox(egress: object): Promise<string> {
  const [sandboxId, bootId] = [host.newSandboxId(), host.newBootId()]
  expect(await host.request('PUT', hostPaths.get(sandboxId), { limits, egress })).toMatchObject({ status: 200 })
  const started = await host.request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })
  expect(started).toMatchObject({ status: 200 })
  return sandboxId
}

async function tryAll(sandboxId: string, foreign: string): Promise<Record<string, boolean>> {
  const { output } = await host.run(
    sandboxId,
    `echo ${script} | base64 -d > /tmp/ways.py; python3 /tmp/ways.py ${publicAddress} ${privateAddress} ${foreign}`,
  )
  try {
    return JSON.parse(output) as Record<string, boolean>
  } catch {
    throw new Error(`the script printed ${output.slice(-2000)}`)
  }
}

/** One sandbox after another state, and its fork. */
async function* statesOf(policy: Policy): AsyncGenerator<{ state: string; sandboxId: string }> {
  const sandboxId = host.newSandboxId()
  const egress = policies[policy]
  const order = async (method: 'PUT' | 'POST', place: string, body: object) => {
    const done = await host.request(method, place, body)
    expect(done, place).toMatchObject({ status: 200 })
    return done.body as Record<string, unknown>
  }
  let bootId = ''
  const start = async () => {
    bootId = host.newBootId()
    await order('POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })
  }
  await order('PUT', hostPaths.get(sandboxId), { limits, egress })
  await start()
  yield { state: 'awake', sandboxId }
  await order('POST', hostPaths.pause(sandboxId), { bootId })
  expect(await order('POST', hostPaths.wake(sandboxId), { bootId })).toMatchObject({ from: 'frozen' })
  yield { state: 'woken from RAM', sandboxId }
  await order('POST', hostPaths.pause(sandboxId), { bootId })
  {
    using events = await host.events()
    await host.killSandbox(sandboxId)
    await events.next((event) => event.type === 'frozen-dropped' && event.bootId === bootId)
  }
  expect(await order('POST', hostPaths.wake(sandboxId), { bootId })).toMatchObject({ from: 'memory' })
  yield { state: 'woken from the image', sandboxId }
  const fork = { sandboxId: host.newSandboxId(), bootId: host.newBootId() }
  const source = { source: { sandboxId, snapshotId: null }, hostname: 'fork', limits, egress }
  await order('POST', hostPaths.fork(fork.sandboxId), { ...source, bootId: fork.bootId })
  yield { state: 'forked', sandboxId: fork.sandboxId }
  await host.request('DELETE', hostPaths.get(fork.sandboxId))
  await order('POST', hostPaths.stop(sandboxId), { bootId })
  await start()
  yield { state: 'cold', sandboxId }
  await order('POST', hostPaths.rewind(sandboxId), { snapshotId: null, keepId: makeId('snapshot', randomBytes) })
  await start()
  yield { state: 'rewound', sandboxId }
  await host.request('DELETE', hostPaths.get(sandboxId))
}

/** The address that stands for a name which only another sandbox has in its list. */
async function addressForOtherSandbox(): Promise<string> {
  const sandboxId = await startBox({ kind: 'allowlist', names: ['other.site.test'] })
  const { output } = await host.run(sandboxId, "getent hosts other.site.test | cut -d ' ' -f 1")
  expect(output.trim()).toMatch(/^198\.19\./)
  return output.trim()
}
