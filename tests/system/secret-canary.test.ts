import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { type ModelServer, startModelServer } from '@threadbox/testkit'
import { isFull } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cell, output } from '../stack/in-threads.ts'
import { startInstallation, type TestInstallation, type TestThread, testThread } from '../stack/installation.ts'
import { type ProgramInNamespace, startProgramIn } from '../stack/program-in-namespace.ts'
import { makeTestCertificates } from '../stack/test-certificates.ts'
import { exportAgent, partsOf } from './agent-file/exported.ts'
import { formsOf } from './canary/forms.ts'
import { makeSearch, type ProcessName, processesOf } from './canary/search.ts'
import { startRebindingNameServer } from './isolation/rebinding-name-server.ts'
import { addNeighbor } from './isolation/test-machine.ts'

const subnet = 91
const address = '198.51.100.191'
const host = 'api.site.test'
const name = 'API_TOKEN'
const random = () => crypto.randomUUID().replaceAll('-', '')
/** With characters that URL and JSON forms change. */
const values = { first: `sk-live-${random()}/+"x`, rotated: `sk-live-${random()}/+"y` }
/** What is put in each place, so that the search finds something there. */
const planted = `planted-${random()}`
const texts = { ...values, planted }
const search = makeSearch(texts)
const curl = (place: string) => `curl -sS https://${host}${place} -H "Authorization: Bearer $${name}"`

/** Repeats what came in `authorization` in a header and a body, in each form that the broker replaces. */
const service = `
  const { readFileSync } = require('node:fs')
  const [directory, address] = process.argv.slice(1)
  const tls = { key: readFileSync(directory + '/host.key'), cert: readFileSync(directory + '/host.pem') }
  require('node:https').createServer(tls, (request, response) => {
    const { authorization = '' } = request.headers
    const value = authorization.replace('Bearer ', '')
    console.log(JSON.stringify({ path: request.url, value }))
    response.setHeader('x-echo', value)
    response.end([value, btoa(value), encodeURIComponent(value), JSON.stringify({ value })].join(' '))
  }).listen(443, address, () => console.log('ready'))
`

const stack = new AsyncDisposableStack()
let directory: string
let installation: TestInstallation
let model: ModelServer
let server: ProgramInNamespace

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'threadbox-canary-'))
  stack.defer(() => rm(directory, { recursive: true }))
  await makeTestCertificates(directory, [host])
  const lan = await addNeighbor({ subnet, addresses: [address], address6: `fd77:${subnet}::2` })
  stack.defer(() => lan.remove())
  server = startProgramIn(lan.namespace, ['-e', service, '--', directory, address])
  stack.defer(server.stop)
  expect(await server.next()).toBe('ready')
  const nameServer = await startRebindingNameServer({ [host]: address })
  stack.defer(() => nameServer.close())
  model = await startModelServer()
  stack.defer(() => model.close())
  installation = stack.use(
    await startInstallation({
      hostEnvironment: {
        THREADBOX_NAME_SERVERS: `127.0.0.1:${nameServer.port}`,
        THREADBOX_EXTRA_CERTIFICATES: path.join(directory, 'authority.pem'),
      },
    }),
  )
  await installation.client.models.connect({
    provider: 'anthropic',
    model: 'test-model',
    baseUrl: model.baseUrls.anthropic,
    apiKey: 'key',
  })
})
afterAll(() => stack.disposeAsync())

test('G9: after a secret was used, a search that finds a planted text in each place finds its value in memory of server and egress only', async () => {
  const { client } = installation
  const thread = await installation.newThread()
  const secret = await client.secrets.create({ name, value: values.first, owner: 'person', hosts: [host] })
  await output(thread, 'true')
  expect(await client.secrets.grant(thread.id, secret.id)).toMatchObject({ isInEffect: true })
  await plant(thread)
  await use(thread, values.first)
  await client.secrets.update(secret.id, { value: values.rotated })
  await use(thread, values.rotated)
  await cell(
    thread,
    `import subprocess; kept = subprocess.getoutput('curl -sSi https://${host}/kept -H "Authorization: Bearer $${name}"')`,
  )
  expect(await arrival()).toMatchObject({ path: '/kept', value: values.rotated })
  // Each has all files of a disk, which takes time to go through.
  await client.installation.updateSettings({ settings: { snapshotsPerThread: 3, memorySnapshotsPerThread: 2 } })
  await askModel(thread)
  const fork = testThread(client, (await client.threads.fork(thread.id)).id)
  const [placeholder = ''] = /tbx\w+/.exec(await use(fork, values.rotated)) ?? []
  await client.secrets.revoke(fork.id, secret.id)
  await output(fork, curl('/revoked').replace(`$${name}`, placeholder))
  expect(await arrival()).toEqual({ path: '/revoked', value: placeholder })
  await untilMemoryKept(thread)
  await saveAgent(thread)
  await exportThread(thread)
  const memory = await searchMemory()
  await client.sandboxes.pause(thread.id)
  await output(thread, curl('/awake'))
  expect(await arrival()).toMatchObject({ value: values.rotated })
  await client.sandboxes.pause(fork.id)
  const places = await searchPlaces()
  console.log(JSON.stringify({ places, memory }))
  // The rotated value is what is used now; what is left of the first one depends on when memory was freed.
  expect(memory.server).toEqual(expect.arrayContaining(['rotated', 'planted']))
  expect(memory.egress).toEqual(expect.arrayContaining(['rotated', 'planted']))
  expect(memory).toMatchObject({
    'host daemon': ['planted'],
    gateway: ['planted'],
    sentry: ['planted'],
    names: ['installation'],
    gofer: ['installation'],
  })
  expect(Object.keys(memory).length).toBe(7)
  expect(places).toEqual(Object.fromEntries(Object.keys(places).map((place) => [place, ['planted']])))
})

/** Which texts are in each place where files are, and in what the model got. */
async function searchPlaces(): Promise<Record<string, string[]>> {
  const { host: daemon } = installation
  const pool = path.join(daemon.diskDirectory, 'pool')
  const data = daemon.dataDirectory
  const isDatabase = (file: string) => /\.(db|sqlite)(-\w+)?$/.test(file)
  const isLog = (file: string) => file.endsWith('.log')
  const isOther = (file: string) => !isDatabase(file) && !isLog(file)
  const found = {
    'disks of sandboxes': await inDisks(pool, 'root'),
    'snapshots of disks': await inDisks(pool, 'snapshots'),
    'memory images': await search.inFiles(path.join(pool, 'memory')),
    'databases of server and host': await search.inFiles(data, { isIncluded: isDatabase }),
    logs: await search.inFiles(data, { isIncluded: isLog }),
    'outputs and other files of server and host': await search.inFiles(data, { isIncluded: isOther }),
    'agent file': await search.inFiles(path.join(directory, 'agent')),
    exports: await search.inFiles(path.join(directory, 'export')),
    'requests to the model': search.inText(JSON.stringify([...model.requests, ...model.titleRequests])),
    '/run, /tmp and /dev/shm': await inTemporaryFiles(),
  }
  return Object.fromEntries(Object.entries(found).map(([place, texts]) => [place, [...texts].sort()]))
}

async function inDisks(pool: string, part: 'root' | 'snapshots'): Promise<Set<string>> {
  const found = new Set<string>()
  for (const disk of await readdir(path.join(pool, 'disks'))) {
    for (const text of await search.inFiles(path.join(pool, 'disks', disk, part))) found.add(text)
  }
  return found
}

/** Which texts are in memory of each program. Nothing can be put into two of them: they have what names the installation. */
async function searchMemory(): Promise<Partial<Record<ProcessName, string[]>>> {
  await using held = await plantInProcesses()
  expect(held.count).toBe(4)
  const { host: daemon, server: ofApi } = installation
  const processes = await processesOf({ dataDirectory: daemon.dataDirectory, server: ofApi.pid(), host: daemon.pid() })
  const own = { names: `THREADBOX_INSTALLATION=${daemon.installation}`, gofer: daemon.dataDirectory }
  const memory: Partial<Record<ProcessName, string[]>> = {}
  for (const [program, pids] of processes) {
    const known: Record<string, string> =
      program === 'names' || program === 'gofer' ? { installation: own[program] } : {}
    const here = makeSearch({ ...texts, ...known })
    const found = new Set<string>()
    for (const pid of pids) for (const text of await here.inMemory(pid)) found.add(text)
    memory[program] = [...found].sort()
  }
  return memory
}

/** What a thread has where the search is to find something. */
async function plant(thread: TestThread): Promise<void> {
  await output(thread, `echo ${planted} | tee planted`)
  await cell(thread, `planted = '${planted}'`)
}

/** A request with the secret, whose response has the placeholder in all forms. */
async function use(thread: TestThread, value: string): Promise<string> {
  const shown = await output(thread, `${curl('/used')} -i`)
  expect(await arrival()).toEqual({ path: '/used', value })
  expect(shown).toContain('tbx')
  for (const form of formsOf(value)) expect(shown).not.toContain(form)
  return shown
}

async function arrival(): Promise<{ path: string; value: string }> {
  return JSON.parse(await server.next())
}

/** A model runs a command that uses the secret, and gets its output. */
async function askModel(thread: TestThread): Promise<void> {
  model.reply({ calls: [{ name: 'run_command', input: { command: curl('/model') } }] }, { text: 'Done.' })
  expect((await thread.say(`use it for ${planted}`)).turn).toMatchObject({ status: 'finished' })
  expect(await arrival()).toEqual({ path: '/model', value: values.rotated })
}

/** A snapshot has memory. */
async function untilMemoryKept(thread: TestThread): Promise<void> {
  const kept = async () => {
    const { snapshots } = await installation.client.snapshots.list(thread.id)
    return snapshots.some(({ memoryBytes }) => memoryBytes !== null)
  }
  await expect.poll(kept, { timeout: 60_000, interval: 100 }).toBe(true)
}

/** Saves the thread as an agent and exports it: its file as it is, and unpacked. */
async function saveAgent(thread: TestThread): Promise<void> {
  const { agents } = installation.client
  const environment = await agents.capture(thread.id, { keepMemory: isFull })
  const agent = await agents.create({ name: 'Agent', instructions: 'Count.', environment: { id: environment.id } })
  const exported = await exportAgent(installation, agent)
  const { head, disk } = partsOf(exported)
  await mkdir(path.join(directory, 'agent'))
  await writeFile(path.join(directory, 'agent/file'), exported)
  await writeFile(path.join(directory, 'agent/head'), JSON.stringify(head))
  await writeFile(path.join(directory, 'agent/disk'), zstdDecompressSync(disk))
}

async function exportThread(thread: TestThread): Promise<void> {
  const { client, server: ofApi } = installation
  await mkdir(path.join(directory, 'export'))
  for (const format of ['html', 'markdown', 'notebook'] as const) {
    const headers = { authorization: `Bearer ${ofApi.apiKey}` }
    const response = await fetch(client.threads.exportUrl(thread.id, format), { headers })
    expect(response.status).toBe(200)
    await writeFile(path.join(directory, 'export', format), new Uint8Array(await response.arrayBuffer()))
  }
}

/** Puts the text into memory and log of the processes that listen: a request for an unknown path, and one that never ends. */
async function plantInProcesses(): Promise<AsyncDisposable & { count: number }> {
  const { host: daemon, server: ofApi } = installation
  const ways = [
    { path: daemon.socketPath },
    { path: daemon.gatewaySocketPath },
    { path: daemon.environment.THREADBOX_EGRESS_SOCKET ?? '' },
    { host: '127.0.0.1', port: ofApi.port },
  ]
  const sockets = await Promise.all(
    ways.map(async (way) => {
      const socket = connect(way).on('error', () => undefined)
      await once(socket, 'connect')
      socket.write(`GET /${planted} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
      await once(socket, 'data')
      socket.write(`GET /${planted} HTTP/1.1\r\nhost: localhost\r\nx-held: ${planted}`)
      return socket
    }),
  )
  return {
    count: sockets.length,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Small ones: other programs of this machine have large ones. */
async function inTemporaryFiles(): Promise<Set<string>> {
  await writeFile(path.join(directory, 'planted'), planted)
  const found = await Promise.all(
    ['/run', '/tmp', '/dev/shm'].map((place) => search.inFiles(place, { maxBytes: 1024 * 1024 })),
  )
  return new Set(found.flatMap((each) => [...each]))
}
