import { randomBytes } from 'node:crypto'
import { defaultSandboxLimits, makeId } from '@threadbox/domain'
import { gatewayPaths, hostPaths } from '@threadbox/protocol/host'
import { bootNotRunning } from '@threadbox/sandbox-driver'
import { boundaries } from '@threadbox/testkit/repeats'
import { expect, test } from 'vitest'
import { type HostUnderTest, type HostUnderTestOptions, startHostUnderTest } from '../../host.test-utils.ts'
import { manifest, ordersOf } from '../../memory/memory/memory.test-utils.ts'

const idleMs = 60

type Idle = AsyncDisposable & {
  host: HostUnderTest
  boot: { sandboxId: string; bootId: string }
  guest: { obstacle: string | null | undefined; cpuSeconds: number; reachedWhileFrozen: number }
  isFrozen(): boolean
  untilFrozen(): Promise<void>
  ask(): Promise<Response>
}

/** A sandbox whose guest responds at any time, and counts the requests that it could not have seen. */
async function startIdle(options: HostUnderTestOptions & { isEndless?: boolean } = {}): Promise<Idle> {
  const guest: Idle['guest'] = { obstacle: null, cpuSeconds: 0, reachedWhileFrozen: 0 }
  const isFrozen = () => host.driver.isFrozen(boot.bootId)
  const host = await startHostUnderTest({
    freezeIdleMs: idleMs,
    behaviour: (request, response) => {
      if (isFrozen()) guest.reachedWhileFrozen += 1
      if (request.url?.startsWith('/manifest')) return void response.end(JSON.stringify(manifest))
      if (options.isEndless && request.url === '/stream') return void response.write('x')
      const activity = { runningKeys: [], terminalsLastInputAt: null, busiestProcess: null, listeningPorts: [] }
      const rest = request.url?.includes('rest=1') ? { restObstacle: guest.obstacle } : {}
      response.end(JSON.stringify({ ...activity, userCpuSeconds: guest.cpuSeconds, ...rest }))
    },
    ...options,
  })
  const boot = await host.startSandbox()
  return {
    host,
    boot,
    guest,
    isFrozen,
    untilFrozen: () => expect.poll(isFrozen, { timeout: 5000, interval: 5 }).toBe(true),
    ask: () => fetch(`${host.gatewayUrl}${gatewayPaths.guest(boot.sandboxId)}/health`),
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 10 * idleMs))

test('an idle sandbox is frozen, stays awake for the server, and continues with the next request, again and again', async () => {
  await using idle = await startIdle()
  for (let round = 0; round < 3; round += 1) {
    await idle.untilFrozen()
    expect(await ordersOf(idle.host, idle.boot).state()).toMatchObject({ actual: 'ready', ...idle.boot })
    expect((await idle.ask()).status).toBe(200)
    expect([idle.isFrozen(), idle.guest.reachedWhileFrozen]).toEqual([false, 0])
  }
  expect(idle.host.events.filter(({ type }) => type.startsWith('boot-')).map(({ type }) => type)).toEqual([
    'boot-ready',
  ])
})

test('without the setting no sandbox is frozen', async () => {
  await using idle = await startIdle({ freezeIdleMs: 0 })
  await settle()
  expect(idle.isFrozen()).toBe(false)
})

test('memory of a sandbox that stays frozen is compressed later, and the sandbox continues with the next request', async () => {
  await using idle = await startIdle({ compressesFrozen: true })
  const memory = await ordersOf(idle.host, idle.boot).memory()
  const { driver } = idle.host
  for (let round = 0; round < 2; round += 1) {
    await idle.untilFrozen()
    expect(driver.isCompressed(idle.boot.bootId)).toBe(false)
    await expect.poll(() => driver.isCompressed(idle.boot.bootId), { timeout: 5000, interval: 5 }).toBe(true)
    expect((await idle.ask()).status).toBe(200)
  }
  expect([await ordersOf(idle.host, idle.boot).memory(), idle.guest.reachedWhileFrozen]).toEqual([memory, 0])
})

test('a request waits until the compression of its sandbox is canceled, and for nothing else', async () => {
  await using idle = await startIdle({ compressesFrozen: true })
  const order: string[] = []
  const { thaw } = idle.host.driver
  idle.host.driver.thaw = async (bootId) => {
    order.push('continues')
    await thaw(bootId)
  }
  idle.host.driver.compress = async ({ signal }) => {
    order.push('begins')
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    order.push('ends')
  }
  await expect.poll(() => order, { timeout: 5000, interval: 5 }).toEqual(['begins'])
  expect((await idle.ask()).status).toBe(200)
  expect(order).toEqual(['begins', 'ends', 'continues'])
})

test('C5: a sandbox whose memory cannot be compressed serves on', async () => {
  await using idle = await startIdle({ compressesFrozen: true })
  let attempts = 0
  idle.host.driver.compress = async () => {
    attempts += 1
    throw new Error('the kernel refused')
  }
  await expect.poll(() => attempts, { timeout: 5000, interval: 5 }).toBe(1)
  await settle()
  expect([(await idle.ask()).status, attempts, idle.guest.reachedWhileFrozen]).toEqual([200, 1, 0])
})

test.each([
  ['a process runs in it', 'process sleep'],
  ['its guest is older than the question', undefined],
])('a sandbox is not frozen while %s, and is as soon as that is over', async (_, obstacle) => {
  await using idle = await startIdle()
  idle.guest.obstacle = obstacle
  await settle()
  expect(idle.isFrozen()).toBe(false)
  idle.guest.obstacle = null
  await idle.untilFrozen()
})

test('a sandbox is not frozen while its programs use a processor unnoticed', async () => {
  await using idle = await startIdle()
  const working = setInterval(() => {
    idle.guest.cpuSeconds += 0.2
  }, 20)
  await settle()
  expect(idle.isFrozen()).toBe(false)
  clearInterval(working)
  await idle.untilFrozen()
})

test('a sandbox is not frozen while a request to it is open', async () => {
  await using idle = await startIdle({ isEndless: true })
  const reading = new AbortController()
  const url = `${idle.host.gatewayUrl}${gatewayPaths.guest(idle.boot.sandboxId)}/stream`
  await fetch(url, { signal: reading.signal })
  await settle()
  expect(idle.isFrozen()).toBe(false)
  reading.abort()
  await idle.untilFrozen()
})

test.each([
  ['pause', (idle: Idle) => ordersOf(idle.host, idle.boot).pause(), 'paused'],
  ['stop', (idle: Idle) => ordersOf(idle.host, idle.boot).stop(), 'stopped'],
  ['change', (idle: Idle) => change(idle), 'ready'],
  ['snapshot', (idle: Idle) => snapshot(idle), 'ready'],
  ['fork', (idle: Idle) => fork(idle), 'ready'],
] as const)('C4: the order to %s reaches a sandbox that continues first', async (_name, order, actual) => {
  await using idle = await startIdle()
  const memory = await ordersOf(idle.host, idle.boot).memory()
  await idle.untilFrozen()
  expect((await order(idle)).status).toBe(200)
  expect(await ordersOf(idle.host, idle.boot).state()).toMatchObject({ actual })
  expect(idle.guest.reachedWhileFrozen).toBe(0)
  if (actual !== 'ready') return
  expect((await idle.ask()).status).toBe(200)
  await idle.untilFrozen()
  expect((await idle.ask()).status).toBe(200)
  expect(memory).toBeDefined()
})

function change({ host, boot }: Idle) {
  const limits = { ...defaultSandboxLimits, processes: defaultSandboxLimits.processes + 1 }
  return host.request('PATCH', hostPaths.get(boot.sandboxId), { limits })
}

function snapshot({ host, boot }: Idle) {
  const order = { snapshotId: makeId('snapshot', randomBytes), memory: { maxBytes: 2 ** 30 } }
  return host.request('POST', hostPaths.snapshots(boot.sandboxId), order)
}

function fork({ host, boot }: Idle) {
  const order = {
    source: { sandboxId: boot.sandboxId, snapshotId: null },
    bootId: host.newBootId(),
    hostname: 'fork',
    limits: defaultSandboxLimits,
    egress: { kind: 'open' },
  }
  return host.request('POST', hostPaths.fork(host.newSandboxId()), order)
}

test('a sandbox that was paused while it was frozen wakes as it was', async () => {
  await using idle = await startIdle()
  const orders = ordersOf(idle.host, idle.boot)
  const memory = await orders.memory()
  await idle.untilFrozen()
  await orders.pause()
  await settle()
  expect(await orders.state()).toMatchObject({ actual: 'paused' })
  expect((await orders.wake()).status).toBe(200)
  expect(await orders.memory()).toBe(memory)
  await idle.untilFrozen()
  expect((await idle.ask()).status).toBe(200)
})

test('20 requests at a time, again and again while the sandbox is just being frozen, all get their response', async () => {
  await using idle = await startIdle({ freezeIdleMs: 4 })
  const statuses = new Set<number>()
  for (let round = 0; round < 40; round += 1) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => idle.ask()))
    for (const { status } of answers) statuses.add(status)
    await new Promise((resolve) => setTimeout(resolve, (round * 7) % 23))
  }
  expect([...statuses]).toEqual([200])
  expect(idle.guest.reachedWhileFrozen).toBe(0)
  await idle.untilFrozen()
})

test('C5: a sandbox that cannot be frozen serves on', async () => {
  await using idle = await startIdle()
  const { freeze } = idle.host.driver
  let attempts = 0
  idle.host.driver.freeze = async (bootId) => {
    attempts += 1
    await freeze(bootId)
    throw new Error('the kernel did not reply')
  }
  await expect.poll(() => attempts, { timeout: 5000 }).toBe(1)
  expect((await idle.ask()).status).toBe(200)
  expect([idle.isFrozen(), idle.guest.reachedWhileFrozen]).toEqual([false, 0])
})

test('C5: a frozen sandbox that cannot continue ends and is reported, so it does not stay frozen', async () => {
  await using idle = await startIdle()
  await idle.untilFrozen()
  idle.host.driver.thaw = async () => {
    throw new Error('the kernel did not reply')
  }
  const answer = await idle.ask()
  expect(await answer.json()).toMatchObject({ error: { code: 'sandbox.ended' } })
  const ended = expect.objectContaining({ type: 'boot-ended', ...idle.boot })
  await expect.poll(() => idle.host.events).toContainEqual(ended)
  expect(await ordersOf(idle.host, idle.boot).state()).toMatchObject({ actual: 'stopped' })
})

test('C10: a frozen sandbox that is killed ends, and a request that waits for it gets the reason', async () => {
  await using idle = await startIdle()
  await idle.untilFrozen()
  idle.host.driver.thaw = async (bootId) => {
    idle.host.driver.endBoot({ bootId, cause: 'killed-outside', detail: 'Killed.' })
    throw bootNotRunning({ bootId })
  }
  expect(await (await idle.ask()).json()).toMatchObject({ error: { code: 'sandbox.ended' } })
  await expect
    .poll(async () => (await ordersOf(idle.host, idle.boot).state()).lastBootEnd?.cause)
    .toBe('killed-outside')
})

const freezeKills = boundaries({
  of: 'freezing an idle sandbox',
  killed: 'host daemon',
  at: ['before driver.freeze', 'after driver.freeze'],
})
const thawKills = boundaries({
  of: 'letting an idle sandbox continue',
  killed: 'host daemon',
  at: ['before driver.thaw', 'after driver.thaw'],
})

test.each(freezeKills)('C5: a daemon killed %s leaves a sandbox that serves with its memory', async (step) => {
  await using idle = await startIdle()
  const memory = await ordersOf(idle.host, idle.boot).memory()
  await idle.host.hangAt(step)
  const waiting = idle.ask()
  await idle.host.killAndRestart()
  expect((await waiting).status).toBe(200)
  await expectServing(idle, memory)
})

test.each(thawKills)('C5: a daemon killed %s leaves a sandbox that serves with its memory', async (step) => {
  await using idle = await startIdle()
  const memory = await ordersOf(idle.host, idle.boot).memory()
  await idle.untilFrozen()
  const reached = idle.host.hangAt(step)
  const waiting = idle.ask()
  await reached
  await idle.host.killAndRestart()
  expect((await waiting).status).toBe(200)
  await expectServing(idle, memory)
})

test('C5: a daemon that starts over a frozen sandbox lets it continue before it serves', async () => {
  await using idle = await startIdle()
  const memory = await ordersOf(idle.host, idle.boot).memory()
  await idle.untilFrozen()
  await idle.host.killAndRestart()
  await expectServing(idle, memory)
})

const gatewayKills = boundaries({
  of: 'a sandbox that comes to rest and continues',
  killed: 'gateway',
  at: ['before the freeze', 'after the freeze', 'before it continues', 'after it continued'],
})

test.each(gatewayKills)('C5: a gateway killed %s leaves a sandbox that serves with its memory', async (moment) => {
  await using idle = await startIdle()
  const { host } = idle
  const memory = await ordersOf(host, idle.boot).memory()
  const killed = Promise.withResolvers<void>()
  const { freeze, thaw } = host.driver
  const kill = async (now: string) => {
    if (now !== moment) return
    await host.restartGateway()
    killed.resolve()
  }
  host.driver.freeze = async (bootId) => {
    await kill('before the freeze')
    await freeze(bootId)
    await kill('after the freeze')
  }
  host.driver.thaw = async (bootId) => {
    await kill('before it continues')
    await thaw(bootId)
    await kill('after it continued')
  }
  if (moment.includes('continue')) {
    await idle.untilFrozen()
    // It is cut off, as every request through a gateway that ends.
    await idle.ask().catch(() => undefined)
  }
  await killed.promise
  Object.assign(host.driver, { freeze, thaw })
  await expect.poll(async () => (await idle.ask().catch(() => undefined))?.status, { timeout: 5000 }).toBe(200)
  idle.guest.reachedWhileFrozen = 0
  await expectServing(idle, memory)
})

async function expectServing(idle: Idle, memory: string | undefined): Promise<void> {
  const answers = await Promise.all(Array.from({ length: 5 }, () => idle.ask()))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect(idle.guest.reachedWhileFrozen).toBe(0)
  await idle.untilFrozen()
  const orders = ordersOf(idle.host, idle.boot)
  expect((await orders.pause()).status).toBe(200)
  expect((await orders.wake()).status).toBe(200)
  expect(await orders.memory()).toBe(memory)
}
