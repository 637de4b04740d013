import type { Service, SurvivalReport, UserEvent } from '@threadbox/sdk'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'

/** Real web servers in a real sandbox, through the public API. */
let installation: TestInstallation
let thread: TestThread
const following = new AbortController()
const told: UserEvent[] = []
beforeAll(async () => {
  installation = await startInstallation({})
  thread = await installation.newThread()
  const stream = installation.client.streamUser({ signal: following.signal, onEvent: (event) => told.push(event) })
  stream.catch(() => undefined)
})
afterAll(async () => {
  following.abort()
  await installation[Symbol.asyncDispose]()
})

const services = () => installation.client.services

async function output(command: string): Promise<string> {
  const { calls } = await thread.say(`/run ${command}`)
  expect(calls[0], command).toMatchObject({ status: 'succeeded', result: { kind: 'command', exitCode: 0 } })
  return calls[0]?.output.tail ?? ''
}

function inStatus(name: string, status: Service['status']): Promise<Service> {
  return vi.waitFor(
    async () => {
      const found = (await services().list(thread.id)).services.find((service) => service.name === name)
      expect(found, JSON.stringify(found)).toMatchObject({ status })
      return found as Service
    },
    { timeout: 60_000, interval: 100 },
  )
}

const overview = async () =>
  (await services().list(thread.id)).services.map(({ name, port, status }) => `${name} ${port} ${status}`)

/** Counts its requests in memory: a client that reads a higher number reads from the same process. */
const counter = `let count = 0
require('http').createServer((request, response) => {
  count += 1
  console.log('request', count)
  response.end(String(count))
}).listen(process.env.PORT, '127.0.0.1')`
const nodeCounter = `node -e "${counter.replaceAll('\n', ';')}"`
const python = (port: number) => `python3 -m http.server ${port} --bind 127.0.0.1`
const get = (port: number) => output(`curl -s http://127.0.0.1:${port}/`)

test('O4: a service that cannot start says why, with its last lines', async () => {
  await services().start(thread.id, { name: 'broken', port: 8100, command: 'echo one; echo two >&2; exit 3' })
  expect((await inStatus('broken', 'error')).problem).toMatchObject({
    code: 'exited',
    exitCode: 3,
    lastLines: 'one\ntwo\n',
  })
  const problem = await problemOfSilent()
  expect(problem).toMatchObject({ code: 'not-ready', exitCode: null })
  expect(problem?.message).toContain('listens on port 8102 instead')
  expect(problem?.lastLines).toContain('wrong port')
  const taken = await services().start(thread.id, { name: 'late', port: 8102, command: python(8102) })
  expect(taken).toMatchObject({ status: 'error', problem: { code: 'port-taken' } })
  await expect(services().restart(thread.id, 'nobody')).rejects.toMatchObject({ code: 'service.not-found' })
  for (const name of ['broken', 'silent', 'late']) await services().remove(thread.id, name)
  expect(await overview()).toEqual([])
})

test('O4 O5: servers on 127.0.0.1 are running once they respond, with their log, while the conversation continues; every change reaches open pages', async () => {
  await output('mkdir -p site && echo hello > site/index.html')
  await services().start(thread.id, { name: 'site', port: 8200, command: python(8200), cwd: 'site' })
  await services().start(thread.id, {
    name: 'count',
    port: 8201,
    command: nodeCounter,
    environment: { GREETING: 'a "b" $c' },
  })
  await inStatus('site', 'running')
  await inStatus('count', 'running')
  expect(await get(8200)).toBe('hello\n')
  expect(Number(await get(8201))).toBeGreaterThan(0)
  const { text, droppedBytes } = await services().logs(thread.id, 'count')
  expect(text).toContain('request 1\n')
  expect(droppedBytes).toBe(0)
  expect(await overview()).toEqual(['site 8200 running', 'count 8201 running'])
  const events = told.filter((event) => event.type === 'services-updated' && event.threadId === thread.id)
  expect(events.length).toBeGreaterThan(2)
})

/** Starts a server on another port than it should, with more time on a machine on which it needs more. */
async function problemOfSilent(): Promise<Service['problem']> {
  for (const readyTimeoutSeconds of [2, 8]) {
    const { problem } = await startSilent(readyTimeoutSeconds)
    if (problem?.message.includes('instead')) return problem
    await services().remove(thread.id, 'silent')
  }
  return (await startSilent(32)).problem
}

async function startSilent(readyTimeoutSeconds: number): Promise<Service> {
  const command = `echo wrong port; exec ${python(8102)}`
  await services().start(thread.id, { name: 'silent', port: 8101, command, readyTimeoutSeconds })
  return inStatus('silent', 'error')
}

/** Exits after a word at `/crash`; stops listening at `/leave` and keeps running. */
const moody = `const { createServer } = require('http')
const server = createServer((request, response) => {
  response.end('yes', () => {
    if (request.url === '/crash') { console.log('out of ideas'); process.exit(7) }
    if (request.url === '/leave') { console.log('not listening'); server.close(); server.closeAllConnections() }
  })
}).listen(process.env.PORT, '127.0.0.1')
setInterval(() => {}, 1000)`

test('O4: a service that crashes is an error with its last lines, and so is one that leaves its port', async () => {
  await installation.client.files.write(thread.id, '/home/user/moody.js', new Blob([moody]))
  await services().start(thread.id, { name: 'moody', port: 8210, command: 'exec node moody.js' })
  await inStatus('moody', 'running')
  await output('curl -s http://127.0.0.1:8210/crash')
  expect((await inStatus('moody', 'error')).problem).toMatchObject({
    code: 'exited',
    exitCode: 7,
    lastLines: 'out of ideas\n',
  })
  await services().restart(thread.id, 'moody')
  await inStatus('moody', 'running')
  const pid = await output('pgrep -f "node moody[.]js"')
  await output('curl -s http://127.0.0.1:8210/leave')
  expect((await inStatus('moody', 'error')).problem).toMatchObject({
    code: 'not-answering',
    exitCode: null,
    lastLines: 'not listening\n',
  })
  expect(await output('pgrep -f "node moody[.]js"')).toBe(pid)
  await services().remove(thread.id, 'moody')
})

test('O4: a port that a command opens is offered with its command, and disappears with it', async () => {
  const openPorts = async () => (await services().list(thread.id)).openPorts
  const pid = await output(`nohup ${python(8300)} >/dev/null 2>&1 & echo $!`)
  const [open] = await vi.waitFor(
    async () => {
      const ports = await openPorts()
      expect(ports).toHaveLength(1)
      return ports
    },
    { timeout: 15_000, interval: 200 },
  )
  expect(open).toMatchObject({ port: 8300, command: expect.stringContaining('http.server 8300'), cwd: '/home/user' })
  await output(`kill ${pid}`)
  await vi.waitFor(async () => expect(await openPorts()).toEqual([]), { timeout: 15_000, interval: 200 })
})

test('O10: the same name or the same port replaces; a stopped one stays in the list', async () => {
  const first = Number(await get(8201))
  await services().start(thread.id, { name: 'count', port: 8201, command: nodeCounter })
  await inStatus('count', 'running')
  expect(Number(await get(8201))).toBeLessThanOrEqual(first)
  await services().start(thread.id, { name: 'other', port: 8200, command: python(8200) })
  await inStatus('other', 'running')
  expect(await overview()).toEqual(['count 8201 running', 'other 8200 running'])
  expect(await services().stop(thread.id, 'other')).toMatchObject({ status: 'stopped', problem: null })
  expect(await output('curl -s http://127.0.0.1:8200/ || echo gone')).toBe('gone\n')
  await services().restart(thread.id, 'other')
  await inStatus('other', 'running')
})

test('O7: services are suspended while paused, and the same processes continue when awake', async () => {
  const before = Number(await get(8201))
  await installation.client.sandboxes.pause(thread.id)
  expect(await overview()).toEqual(['count 8201 suspended', 'other 8200 suspended'])
  await expect(services().logs(thread.id, 'count')).rejects.toMatchObject({ code: 'sandbox.not-awake' })
  await installation.client.sandboxes.wake(thread.id)
  await inStatus('count', 'running')
  expect(Number(await get(8201))).toBe(before + 1)
  // The server still learns that a service ended: it follows the guest again.
  await output('pkill -f "http.server 8200"')
  expect((await inStatus('other', 'error')).problem).toMatchObject({ code: 'exited' })
  await installation.client.sandboxes.pause(thread.id)
  expect(await overview()).toEqual(['count 8201 suspended', 'other 8200 error'])
  await services().restart(thread.id, 'other')
  await inStatus('other', 'running')
})

test('O7: a restarted server knows every service again, and learns which ones end', async () => {
  const before = await overview()
  const pid = await output('pgrep -f "http.server [8]200"')
  await installation.server.kill('SIGKILL')
  await installation.server.restart()
  expect(await overview()).toEqual(before)
  expect(await output('pgrep -f "http.server [8]200"')).toBe(pid)
  await output(`kill ${pid}`)
  expect((await inStatus('other', 'error')).problem).toMatchObject({ code: 'exited' })
  await services().restart(thread.id, 'other')
  await inStatus('other', 'running')
})

test('O7, A3: after a cold start the running services are restarted in order, and the report says so', async () => {
  await services().stop(thread.id, 'count')
  await services().start(thread.id, { name: 'last', port: 8203, command: nodeCounter })
  await inStatus('last', 'running')
  const { client } = installation
  await client.sandboxes.change(thread.id, { policy: { hotKeep: 'strict', hotHours: 0 } })
  await client.sandboxes.pause(thread.id)
  await vi.waitFor(async () => expect((await client.threads.get(thread.id)).sandbox.state).toBe('cold'), {
    timeout: 60_000,
    interval: 250,
  })
  expect(await overview()).toEqual(['count 8201 stopped', 'other 8200 stopped', 'last 8203 stopped'])
  await client.sandboxes.change(thread.id, { policy: { hotKeep: null, hotHours: null } })
  await client.sandboxes.wake(thread.id)
  await inStatus('other', 'running')
  await inStatus('last', 'running')
  expect(await overview()).toEqual(['count 8201 stopped', 'other 8200 running', 'last 8203 running'])
  const pids = await output('pgrep -f "http.server [8]200"; pgrep -f "^node -e let count"')
  const [first, second] = pids.trim().split('\n').map(Number)
  expect(second).toBeGreaterThan(first ?? Number.POSITIVE_INFINITY)
  const report: SurvivalReport = await vi.waitFor(
    async () => {
      const { latestReport } = await client.sandboxes.get(thread.id)
      expect(latestReport).toMatchObject({ from: 'disk', status: 'complete' })
      return latestReport as SurvivalReport
    },
    { timeout: 40_000, interval: 250 },
  )
  const ofServices = report.items.filter(({ kind }) => kind === 'service')
  expect(ofServices.map(({ name, outcome }) => `${outcome} ${name}`).sort()).toEqual([
    'restarted last',
    'restarted other',
  ])
})

test('O10: with maxServices 1 a new service replaces the old one; exceeding a higher limit is a clear error', async () => {
  const { client } = installation
  await client.installation.updateSettings({ settings: { maxServices: 2 } })
  await expect(services().start(thread.id, { name: 'third', port: 8204, command: python(8204) })).rejects.toMatchObject(
    { code: 'service.limit-reached' },
  )
  await client.installation.updateSettings({ settings: { maxServices: 1 } })
  await services().start(thread.id, { name: 'only', port: 8204, command: python(8204) })
  await inStatus('only', 'running')
  expect(await overview()).toEqual(['only 8204 running'])
  await client.installation.updateSettings({ settings: { maxServices: null } })
})

test('O10: a thread that runs one service at a time: a new service replaces the old one', async () => {
  const other = await installation.newThread()
  await installation.client.sandboxes.change(other.id, { policy: { maxServices: 1 } })
  const names = async () => (await services().list(other.id)).services.map(({ name }) => name)
  await services().start(other.id, { name: 'first', port: 8300, command: python(8300) })
  await services().start(other.id, { name: 'second', port: 8301, command: python(8301) })
  expect(await names()).toEqual(['second'])
  const { calls } = await other.say('/run pgrep -f "http.server 8300 " || echo gone')
  expect(calls[0]?.output.tail).toBe('gone\n')
  await installation.client.sandboxes.change(other.id, { policy: { maxServices: null } })
  await services().start(other.id, { name: 'third', port: 8302, command: python(8302) })
  expect(await names()).toEqual(['second', 'third'])
  await installation.client.threads.delete(other.id)
})
