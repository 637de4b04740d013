import { randomBytes } from 'node:crypto'
import { Code, ConnectError } from '@connectrpc/connect'
import { services as guest, guestPorts } from '@threadbox/protocol/guest'
import type { ServicesView, UserEvent } from '@threadbox/protocol/public'
import { makeLogger } from '@threadbox/telemetry'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openMigrated } from '../../migrated.test-utils.ts'
import { tablesOf } from '../../platform/database/database.ts'
import { makeSystem } from '../../platform/system/system.ts'
import { tablesIn } from '../../tables.test-utils.ts'
import type { ReachableSandbox } from '../state/awake-sandbox.ts'
import { type GuestServices, makeGuestServices } from './guest-services.test-utils.ts'
import { makeServiceWatch, type ServiceWatch } from './service-watch.ts'
import type { SandboxFacts } from './services.logic.ts'
import { makeServiceStore } from './services.store.ts'
import type { ServiceTables } from './services.table.ts'
import { makeServiceParts, makeServices, type Services } from './services.usecases.ts'

const { ServiceState, ServiceProblem } = guest
const threadId = 't-1'

type Bench = AsyncDisposable & {
  services: Services
  watch: ServiceWatch
  inside: GuestServices
  sandbox: SandboxFacts
  max: number
  wakes: number
  events: UserEvent[]
  /** Puts the sandbox into another state, as its record has it. */
  becomes(state: SandboxFacts['state'], bootId?: string): void
  overview(): Promise<string[]>
  isSeen(expected: string[]): Promise<void>
}

async function makeBench(): Promise<Bench> {
  const open = await openMigrated()
  const at = new Date().toISOString()
  const user = { id: 'u-1', name: 'Test', email: 'test@example.com', emailVerified: 0, image: null }
  const times = { createdAt: at, updatedAt: at }
  await tablesIn(open)
    .insertInto('users')
    .values({ ...user, ...times })
    .execute()
  const thread = { id: threadId, user_id: 'u-1', title: '', title_source: 'none', created_at: 0, updated_at: 0 }
  const counts = {
    is_pinned: 0,
    deleted_at: null,
    model_id: null,
    last_seq: 0,
    pruned_seq: 0,
    news_seq: 0,
    read_seq: 0,
    is_private: 0,
    is_personal_off: 0,
  }
  await tablesIn(open)
    .insertInto('threads')
    .values({ ...thread, ...counts, running_turn_id: null })
    .execute()
  const inside = makeGuestServices()
  const reach = () => ({ sandboxId: 's-1', bootId: bench.sandbox.bootId, services: inside.client }) as ReachableSandbox
  const parts = makeServiceParts({
    store: makeServiceStore(tablesOf<ServiceTables>(open.database)),
    awake: async () => {
      bench.wakes += 1
      if (bench.sandbox.state !== 'active') bench.becomes('active', bench.sandbox.bootId ?? `b-${bench.wakes + 1}`)
      return reach()
    },
    ifAwake: async () => (bench.sandbox.state === 'active' ? reach() : undefined),
    sandboxOf: async () => bench.sandbox,
    readersOf: async () => ['u-1'],
    publish: (_userId, event) => void bench.events.push(event),
    maxServices: async () => bench.max,
    system: makeSystem({ now: Date.now, randomBytes: (count) => randomBytes(count) }),
    logger: makeLogger({ process: 'test', level: 'fatal' }),
  })
  const services = makeServices(parts)
  const watch = makeServiceWatch(parts)
  const overview = async () =>
    (await services.list(threadId)).services.map(({ name, port, status }) => `${name} ${port} ${status}`)
  const bench: Bench = {
    services,
    watch,
    inside,
    max: 10,
    wakes: 0,
    events: [],
    overview,
    sandbox: { state: 'active', bootId: 'b-1', since: 1 },
    becomes: (state, bootId) => {
      if (bootId !== bench.sandbox.bootId && bootId !== undefined) inside.newBoot()
      const hasNoBoot = state === 'cold' || state === 'error'
      bench.sandbox = { state, bootId: hasNoBoot ? null : (bootId ?? bench.sandbox.bootId), since: Date.now() }
      watch.sandboxChanged(threadId)
    },
    isSeen: (expected) => vi.waitFor(async () => expect(await overview()).toEqual(expected), { timeout: 5000 }),
    [Symbol.asyncDispose]: async () => {
      await watch.stop()
      await open.close()
    },
  }
  watch.sandboxChanged(threadId)
  return bench
}

let bench: Bench
beforeEach(async () => {
  bench = await makeBench()
})
afterEach(() => bench[Symbol.asyncDispose]())

const start = (name: string, port: number) => bench.services.start(threadId, { name, port, command: `run ${name}` })
const runs = (name: string) => bench.inside.set(name, { state: ServiceState.RUNNING })

test('an unknown service is not found, by every call', async () => {
  const code = { code: 'service.not-found' }
  await expect(bench.services.stop(threadId, 'web')).rejects.toMatchObject(code)
  await expect(bench.services.restart(threadId, 'web')).rejects.toMatchObject(code)
  await expect(bench.services.remove(threadId, 'web')).rejects.toMatchObject(code)
  await expect(bench.services.logs(threadId, 'web', {})).rejects.toMatchObject(code)
  expect(bench.wakes).toBe(0)
})

test('a guest that rejects a start, does not know services or does not respond gets its own error, and no service counts as running', async () => {
  bench.inside.fails = new ConnectError('the directory does not exist', Code.InvalidArgument)
  await expect(start('web', 8000)).rejects.toMatchObject({ code: 'service.refused' })
  bench.inside.fails = new ConnectError('', Code.Unimplemented)
  await expect(start('old', 8001)).rejects.toMatchObject({ code: 'service.unsupported', kind: 'unsupported' })
  bench.inside.fails = new ConnectError('', Code.Unavailable)
  await expect(start('lost', 8002)).rejects.toMatchObject({ code: 'service.unanswered', kind: 'unavailable' })
  expect(await bench.overview()).toEqual(['web 8000 error', 'old 8001 error', 'lost 8002 starting'])
  // The start without a response is repeated when the guest can be reached again.
  bench.inside.fails = undefined
  bench.inside.newBoot()
  await vi.waitFor(() => expect(bench.inside.starts.map(({ name }) => name)).toEqual(['lost']), { timeout: 5000 })
})

test('O4: a port of the sandbox itself is rejected before anything is stored, woken or replaced', async () => {
  await start('web', 8000)
  const { wakes } = bench
  for (const port of guestPorts) {
    await expect(start('web', port)).rejects.toMatchObject({ code: 'service.refused', kind: 'invalid' })
    await expect(start('inside', port)).rejects.toMatchObject({ code: 'service.refused' })
  }
  expect(await bench.overview()).toEqual(['web 8000 starting'])
  expect(bench.wakes).toBe(wakes)
})

test('O10: a start over the limit is an error and starts nothing; with a limit of 1 it replaces every other service', async () => {
  bench.max = 2
  await start('one', 8000)
  await start('two', 8001)
  await expect(start('three', 8002)).rejects.toMatchObject({ code: 'service.limit-reached', details: { max: 2 } })
  expect(await bench.overview()).toEqual(['one 8000 starting', 'two 8001 starting'])
  await bench.services.stop(threadId, 'one')
  await start('three', 8002)
  bench.max = 1
  await start('four', 8003)
  expect(await bench.overview()).toEqual(['four 8003 starting'])
  expect([...bench.inside.infos.keys()]).toEqual(['four'])
})

test('O10: the same name replaces, and so does the same port; the same key does not', async () => {
  const request = { name: 'web', port: 8000, command: 'run' }
  await bench.services.start(threadId, request, { key: 'k1' })
  await bench.services.start(threadId, request, { key: 'k1' })
  expect(bench.inside.starts).toHaveLength(1)
  await bench.services.start(threadId, request, { key: 'k2' })
  await start('other', 8000)
  expect(await bench.overview()).toEqual(['other 8000 starting'])
})

test('O4: a program that exits shows its code and its last lines, and every change reaches open pages', async () => {
  await start('web', 8000)
  runs('web')
  await bench.isSeen(['web 8000 running'])
  const lastLines = Buffer.concat([Buffer.from([0x9f]), Buffer.from('no module\0 named x\n')])
  const end = {
    state: ServiceState.FAILED,
    problem: ServiceProblem.EXITED,
    exitCode: 3,
    message: 'It ended.',
    lastLines,
  }
  bench.inside.set('web', end)
  const service = await bench.services.settled(threadId, 'web')
  await bench.isSeen(['web 8000 error'])
  expect(service.status).not.toBe('starting')
  expect((await bench.services.get(threadId, 'web')).problem).toEqual({
    code: 'exited',
    exitCode: 3,
    message: 'It ended.',
    lastLines: 'no module named x\n',
  })
  const shown = bench.events.map((event) => (event as { services: ServicesView }).services.services[0]?.status)
  expect(shown.filter((status, index) => status !== shown[index - 1])).toEqual(['starting', 'running', 'error'])
})

test('a service that left its port is not running, keeps its process, and runs again when the port responds', async () => {
  await start('web', 8000)
  runs('web')
  await bench.isSeen(['web 8000 running'])
  const left = { problem: ServiceProblem.NOT_ANSWERING, message: 'Nothing is listening on port 8000 anymore.' }
  bench.inside.set('web', { state: ServiceState.FAILED, ...left, lastLines: Buffer.from('reloading\n') })
  await bench.isSeen(['web 8000 error'])
  expect((await bench.services.get(threadId, 'web')).problem).toEqual({
    code: 'not-answering',
    exitCode: null,
    message: 'Nothing is listening on port 8000 anymore.',
    lastLines: 'reloading\n',
  })
  bench.inside.set('web', { state: ServiceState.RUNNING, problem: ServiceProblem.UNSPECIFIED, message: '' })
  await bench.isSeen(['web 8000 running'])
  expect(bench.inside.starts).toHaveLength(1)
})

test('a caller that waits for a service gets it when it runs, and can cancel the wait', async () => {
  await start('web', 8000)
  await expect(bench.services.settled(threadId, 'web', AbortSignal.timeout(20))).rejects.toThrow()
  const settled = bench.services.settled(threadId, 'web')
  runs('web')
  expect(await settled).toMatchObject({ status: 'running' })
})

test('O7: a paused service is suspended without a request to the guest, and an awake one is as before', async () => {
  await start('web', 8000)
  runs('web')
  await bench.isSeen(['web 8000 running'])
  bench.becomes('paused')
  expect(await bench.overview()).toEqual(['web 8000 suspended'])
  await expect(bench.services.logs(threadId, 'web', {})).rejects.toMatchObject({ code: 'sandbox.not-awake' })
  bench.becomes('active')
  expect(await bench.overview()).toEqual(['web 8000 running'])
  expect(bench.inside.starts).toHaveLength(1)
  expect(bench.wakes).toBe(1)
})

test('O7: another boot restarts what ran, in its order, one after another, and reports the outcomes', async () => {
  for (const [name, port] of [
    ['db', 1],
    ['gone', 2],
    ['web', 3],
    ['bad', 4],
  ] as const) {
    await start(name, port)
    runs(name)
  }
  await bench.services.stop(threadId, 'gone')
  await bench.services.restart(threadId, 'db')
  runs('db')
  await bench.isSeen(['gone 2 stopped', 'web 3 running', 'bad 4 running', 'db 1 running'])
  bench.becomes('cold')
  expect(await bench.overview()).toEqual(['gone 2 stopped', 'web 3 stopped', 'bad 4 stopped', 'db 1 stopped'])
  bench.inside.starts.length = 0
  bench.becomes('active', 'b-2')
  const begun = () => bench.inside.starts.map(({ name }) => name)
  const report = bench.watch.restarted(threadId, 'b-2')
  await vi.waitFor(() => expect(begun()).toEqual(['web']))
  runs('web')
  await vi.waitFor(() => expect(begun()).toEqual(['web', 'bad']))
  bench.inside.set('bad', { state: ServiceState.FAILED, problem: ServiceProblem.EXITED, message: 'It ended.' })
  await vi.waitFor(() => expect(begun()).toEqual(['web', 'bad', 'db']))
  runs('db')
  expect((await report).map(({ name, outcome }) => `${outcome} ${name}`)).toEqual([
    'restarted web',
    'lost bad',
    'restarted db',
  ])
  await bench.isSeen(['gone 2 stopped', 'web 3 running', 'bad 4 error', 'db 1 running'])
})

test('stopping a suspended service wakes its sandbox for that; stopping one of a cold sandbox wakes nothing', async () => {
  await start('web', 8000)
  bench.becomes('paused')
  const before = bench.wakes
  expect(await bench.services.stop(threadId, 'web')).toMatchObject({ status: 'stopped' })
  expect(bench.wakes).toBe(before + 1)
  await bench.services.restart(threadId, 'web')
  bench.becomes('cold')
  const now = bench.wakes
  expect(await bench.services.stop(threadId, 'web')).toMatchObject({ status: 'stopped' })
  await bench.services.remove(threadId, 'web')
  expect([await bench.overview(), bench.wakes]).toEqual([[], now])
})

test('ports of other programs are offered while the sandbox is awake, up to a limit', async () => {
  bench.inside.openPorts = Array.from({ length: 80 }, (_, index) => ({ port: 9000 + index, command: 'x\0', cwd: '' }))
  await start('web', 8000)
  await vi.waitFor(async () => {
    const { openPorts } = await bench.services.list(threadId)
    expect(openPorts).toHaveLength(50)
    expect(openPorts[0]).toEqual({ port: 9000, command: 'x', cwd: null })
  })
  bench.becomes('paused')
  expect((await bench.services.list(threadId)).openPorts).toEqual([])
})

test('a log that does not exist is empty, and its text is what the guest has', async () => {
  await start('web', 8000)
  expect(await bench.services.logs(threadId, 'web', {})).toEqual({ text: '', offset: 0, sizeBytes: 0, droppedBytes: 0 })
  bench.inside.logs.set('web', 'grüß\n')
  expect(await bench.services.logs(threadId, 'web', {})).toMatchObject({ text: 'grüß\n', sizeBytes: 7 })
})
