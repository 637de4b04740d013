import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startTestServer, type TestServer } from '@threadbox/testkit'
import { repeats } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdvancedClock, makeAdvancedClock } from '../stack/advanced-clock.ts'

const tries = repeats({ what: 'sign-ins whose times are compared', byDefault: 60, full: 200 })
/** Fewer than an account and a network allow in a window. */
const perWindow = 7
const windowMs = 15 * 60_000
const allowedShare = 0.05

const cleanup = new AsyncDisposableStack()
let clock: AdvancedClock
let server: TestServer
beforeAll(async () => {
  clock = cleanup.use(await makeAdvancedClock())
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-sign-in-'))
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  const installation = `ts${randomBytes(2).toString('hex')}`
  const environment = {
    THREADBOX_INSTALLATION: installation,
    THREADBOX_DATA: directory,
    THREADBOX_HOST_SOCKET: path.join(directory, 'host.sock'),
    ...clock.environment,
  }
  server = await startTestServer({ host: { installation, dataDirectory: directory, environment } })
  cleanup.defer(() => server.close())
})
afterAll(() => cleanup.disposeAsync())

async function refusedAfter(email: string): Promise<number> {
  const startedAt = performance.now()
  const response = await fetch(`${server.loopbackOrigin}/api/v1/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: server.loopbackOrigin },
    body: JSON.stringify({ email, password: 'a guess' }),
  })
  await response.arrayBuffer()
  expect(response.status).toBe(401)
  return performance.now() - startedAt
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
}

/**
 * The interval in which the median lies in 19 of 20 measurements (from the binomial distribution of the ranks). It is
 * wide on a busy machine, so that chance shows no difference that isn’t there.
 */
function intervalOf(differences: readonly number[]): [low: number, high: number] {
  const sorted = differences.toSorted((a, b) => a - b)
  const [middle, reach] = [sorted.length / 2, (1.96 * Math.sqrt(sorted.length)) / 2]
  return [sorted[Math.floor(middle - reach)] ?? Number.NaN, sorted[Math.ceil(middle + reach)] ?? Number.NaN]
}

test('how long a refusal takes doesn’t tell whether an email address has an account', async () => {
  const times = { known: [] as number[], unknown: [] as number[] }
  for (let count = 0; count < tries; count += 1) {
    if (count % perWindow === 0) {
      await clock.advance(windowMs, [server])
      // What has become due delays the next request, which must not be one that counts.
      for (const name of ['first', 'second']) await refusedAfter(`${name}-person@example.org`)
    }
    // In turns and in changing order, so that a slow moment of the machine slows both.
    for (const kind of count % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)) {
      times[kind].push(await refusedAfter(kind === 'known' ? server.owner.email : `person${count}@example.org`))
    }
  }
  const [known, unknown] = [median(times.known), median(times.unknown)]
  const differences = times.known.map((time, index) => time - (times.unknown[index] ?? Number.NaN))
  const [low, high] = intervalOf(differences).map((difference) => difference / Math.min(known, unknown)) as [
    number,
    number,
  ]
  console.log(
    `a refusal takes ${known.toFixed(1)} ms for a known address and ${unknown.toFixed(1)} ms for an unknown one; ` +
      `pairs differ by ${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)} %`,
  )
  expect(low).toBeLessThan(allowedShare)
  expect(high).toBeGreaterThan(-allowedShare)
})
