import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { verifyPassword } from 'better-auth/crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, ownerRequest, type TestApplication } from '../../application.test-utils.ts'
import { makeFrontServer } from '../../front-server.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesOf } from '../../platform/database/database.ts'
import { tablesIn } from '../../tables.test-utils.ts'
import { makeAttemptLimit, pruneInterval } from './attempt-limit.ts'
import type { AttemptTables } from './attempts.table.ts'

/** On the real server with real sockets; requests come from 127.0.0.1, where the tests’ proxy is. */
type Running = { server: TestApplication; listener: Server; verified: () => number }
const cleanup: AsyncDisposable[] = []
const email = ownerRequest().email

async function start(options: Parameters<typeof makeTestApplication>[0] = {}): Promise<Running> {
  let count = 0
  const server = await makeTestApplication({
    trustedProxies: 'loopback',
    verifyPassword: (attempt) => {
      count += 1
      return verifyPassword(attempt)
    },
    ...options,
  })
  const listener = makeFrontServer({ app: server.app, previews: server.previewServer, sockets: server.socketServer })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  cleanup.push({
    [Symbol.asyncDispose]: async () => {
      listener.closeAllConnections()
      listener.close()
      await server[Symbol.asyncDispose]()
    },
  })
  return { server, listener, verified: () => count }
}

type Signing = { as?: string; from?: string; password?: string; cookie?: string }
async function signIn({ listener }: Running, { as = email, from, password = 'a guess', cookie }: Signing = {}) {
  const { port } = listener.address() as AddressInfo
  const request = httpRequest({
    host: '127.0.0.1',
    port,
    path: '/api/v1/auth/sign-in',
    method: 'POST',
    agent: false,
    headers: {
      host: `localhost:${port}`,
      origin: `http://localhost:${port}`,
      'content-type': 'application/json',
      ...(from !== undefined && { 'x-forwarded-for': from }),
      ...(cookie !== undefined && { cookie }),
    },
  })
  request.end(JSON.stringify({ email: as, password }))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const body = (await json(response)) as { error?: { code: string; message: string } }
  const cookies = (response.headers['set-cookie'] ?? []).map((value) => value.split(';')[0] ?? '')
  return {
    status: response.statusCode,
    code: body.error?.code,
    message: body.error?.message,
    retryAfter: Number(response.headers['retry-after']),
    device: cookies.find((value) => value.startsWith('threadbox-device-')),
  }
}
async function guess(running: Running, times: number, options: (index: number) => Signing) {
  const answers = []
  for (let index = 0; index < times; index += 1) answers.push(await signIn(running, options(index)))
  return answers.map(({ status }) => status)
}
const right = { password: ownerRequest().password }
const name = (index: number) => ({ as: `nobody${index}@example.com` })

onBothDatabases((target) => {
  let running: Running
  beforeEach(async () => {
    running = await start(await target())
    await running.server.signUpOwner()
  })
  afterEach(async () => {
    for (const item of cleanup.splice(0).reverse()) await item[Symbol.asyncDispose]()
  })

  test('clients behind a trusted proxy are counted separately, IPv6 by /64', async () => {
    const statuses = await guess(running, 31, (index) => ({ ...name(index), from: '198.51.100.1' }))
    expect([statuses[29], statuses[30]]).toEqual([401, 429])
    expect((await signIn(running, { ...name(0), from: '198.51.100.2' })).status).toBe(401)
    await guess(running, 30, (index) => ({ ...name(100 + index), from: `2001:db8::${index + 1}` }))
    expect((await signIn(running, { ...name(200), from: '2001:db8::ffff' })).status).toBe(429)
    expect((await signIn(running, { ...name(201), from: '2001:db8:0:1::1' })).status).toBe(401)
  }, 60_000)

  test('a forged address of an untrusted peer is ignored', async () => {
    const direct = await start({ ...(await target()), trustedProxies: '' })
    const statuses = await guess(direct, 31, (index) => ({ ...name(index), from: `198.51.100.${index}` }))
    expect([statuses[29], statuses[30]]).toEqual([401, 429])
  }, 60_000)

  test('a guesser at many addresses locks out other devices, but not one that was signed in', async () => {
    const { device } = await signIn(running, { ...right, from: '203.0.113.1' })
    const statuses = await guess(running, 11, (index) => ({ from: `198.51.100.${index}` }))
    expect([statuses[9], statuses[10]]).toEqual([401, 429])
    const elsewhere = await signIn(running, { ...right, from: '203.0.113.2' })
    expect(elsewhere).toMatchObject({ status: 429, code: 'auth.too-many-attempts' })
    expect(elsewhere.message).toContain(`Try again in ${elsewhere.retryAfter} s`)
    expect((await signIn(running, { ...right, from: '203.0.113.1', cookie: device })).status).toBe(200)
  }, 60_000)

  test('a device has a limit of its own, found also beside a planted cookie, and none for other accounts', async () => {
    await running.server.addPerson('other')
    const known = (await signIn(running, { ...right })).device
    const cookie = `threadbox-device-test00=0-planted.planted; ${known}`
    const statuses = await guess(running, 11, () => ({ cookie }))
    expect([statuses[9], statuses[10]]).toEqual([401, 429])
    const other = await guess(running, 11, () => ({ as: 'other@example.com', cookie }))
    expect(other[10]).toBe(429)
    expect((await signIn(running, { as: 'other@example.com', ...right, from: '203.0.113.9' })).status).toBe(429)
  }, 60_000)

  test('signing in to an own account doesn’t reset the address’s count', async () => {
    await running.server.addPerson('guesser')
    const own = { as: 'guesser@example.com', ...right, from: '198.51.100.1' }
    const statuses: (number | undefined)[] = []
    for (let index = 0; index < 30; index += 1) {
      statuses.push((await signIn(running, { ...name(index), from: '198.51.100.1' })).status)
      if (index % 10 === 0) expect((await signIn(running, own)).status).toBe(200)
    }
    expect(new Set(statuses)).toEqual(new Set([401]))
    expect((await signIn(running, { ...name(99), from: '198.51.100.1' })).status).toBe(429)
  }, 60_000)

  test('counts are in the database, without the address that was entered, for 15 minutes', async () => {
    const { server } = running
    await guess(running, 10, (index) => ({ from: `198.51.100.${index}` }))
    const again = makeAttemptLimit({
      database: tablesOf<AttemptTables>(server.open.database),
      secret: server.areas.platform.keyFor('threadbox attempts v1'),
      windowMs: 15 * 60_000,
      maxKeys: 10_000,
      now: () => server.clock.now,
    })
    await expect(again.take(`email ${email}`, 10)).rejects.toMatchObject({ code: 'auth.too-many-attempts' })
    const rows = JSON.stringify(await tablesIn(server.open).selectFrom('attempt_counts').selectAll().execute())
    expect(rows).not.toContain(email)
    server.clock.now += 15 * 60_000
    await again.take(`email ${email}`, 10)
  }, 60_000)

  test('the number of counters is bounded: those that count least are removed first', async () => {
    const { server } = running
    const limit = makeAttemptLimit({
      database: tablesOf<AttemptTables>(server.open.database),
      secret: Buffer.alloc(32),
      windowMs: 60_000,
      maxKeys: 20,
      now: () => server.clock.now,
    })
    for (let count = 0; count < 10; count += 1) await limit.take('guessed', 10)
    for (let index = 0; index < 4 * pruneInterval; index += 1) await limit.take(`key ${index}`, 10)
    const rows = await tablesIn(server.open).selectFrom('attempt_counts').selectAll().execute()
    expect(rows.length).toBeLessThanOrEqual(20 + pruneInterval)
    await expect(limit.take('guessed', 10)).rejects.toMatchObject({ code: 'auth.too-many-attempts' })
  })

  test('concurrent attempts can’t pass a limit together', async () => {
    const all = Array.from({ length: 15 }, (_, index) => signIn(running, { from: `198.51.100.${index}` }))
    const statuses = (await Promise.all(all)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
  }, 60_000)

  test('an unknown and a known email address cost exactly one verification of a password', async () => {
    const costs: number[] = []
    for (const as of ['nobody@example.com', email, 'nobody@example.com', email]) {
      const before = running.verified()
      expect(await signIn(running, { as })).toMatchObject({ status: 401, code: 'auth.credentials-wrong' })
      costs.push(running.verified() - before)
    }
    expect(costs).toEqual([1, 1, 1, 1])
    const unknown = await signIn(running, { as: 'nobody@example.com', password: 'unused' })
    expect(unknown.status).toBe(401)
  })

  test('the session records the client’s address, and never what the client wrote', async () => {
    await signIn(running, { ...right, from: '203.0.113.9, 198.51.100.7' })
    const sessions = await tablesOf<{ sessions: { ipAddress: string } }>(running.server.open.database)
      .selectFrom('sessions')
      .select('ipAddress')
      .execute()
    expect(sessions.map(({ ipAddress }) => ipAddress)).toContain('198.51.100.7')
  })
}, 'migrated')
