import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { repeats } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'
import { signIn, type Visitor } from './previews/visitor.ts'

/** Large responses of a service through the whole stack, and the memory that server and host daemon use for them. */
const MiB = 1024 * 1024
const megabytes = repeats({ what: 'MB of one answer of a service', byDefault: 256, full: 512 })
const count = repeats({ what: 'events of 1 kB of a service', byDefault: 50_000, full: 200_000 })
/** Far below what passes, far above what the garbage collectors of two processes leave. */
const maxGrowthMiB = 160
let installation: TestInstallation
let thread: TestThread
let visitor: Visitor
let origin: string
/** Memory of each process before anything large passed. */
let before: Record<'server' | 'host', number>
beforeAll(async () => {
  installation = await startInstallation()
  thread = await installation.newThread()
  const program = await readFile(path.join(import.meta.dirname, 'previews/service.mjs'), 'utf8')
  await installation.client.files.write(thread.id, '/home/user/service.mjs', new Blob([program]))
  await installation.client.services.start(thread.id, {
    name: 'large',
    port: 8000,
    command: 'exec node service.mjs 127.0.0.1 $PORT',
  })
  visitor = await signIn(installation.server)
  const preview = await visitor.open(thread.id, { port: 8000, path: '/home' })
  origin = preview.origin
  await visitor.enter(preview)
  const answers = async () => expect((await visitor.ask(`${origin}/home`)).status).toBe(200)
  await vi.waitFor(answers, { timeout: 60_000, interval: 200 })
  before = await memory()
})
afterAll(() => installation[Symbol.asyncDispose]())

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

async function memory(): Promise<Record<'server' | 'host', number>> {
  const { server, host } = installation
  return { server: await residentMiB(server.pid()), host: await residentMiB(host.pid()) }
}

/** Peak memory of server and host daemon during the work, above what they had before all of it. */
async function growthDuring(name: string, work: () => Promise<void>): Promise<Record<'server' | 'host', number>> {
  const peak = { ...before }
  const over = new AbortController()
  const watching = (async () => {
    while (!over.signal.aborted) {
      const now = await memory()
      for (const one of ['server', 'host'] as const) peak[one] = Math.max(peak[one], now[one])
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })()
  const startedAt = performance.now()
  await work().finally(() => over.abort())
  const seconds = (performance.now() - startedAt) / 1000
  await watching
  const growth = { server: peak.server - before.server, host: peak.host - before.host }
  console.log(
    `${name}: ${seconds.toFixed(1)} s; server ${before.server.toFixed(0)} + ${growth.server.toFixed(0)} MiB, ` +
      `host daemon ${before.host.toFixed(0)} + ${growth.host.toFixed(0)} MiB, bound ${maxGrowthMiB} MiB`,
  )
  return growth
}

function expectBounded(growth: Record<'server' | 'host', number>): void {
  expect(growth.server).toBeLessThan(maxGrowthMiB)
  expect(growth.host).toBeLessThan(maxGrowthMiB)
}

test(`O4: a download of ${megabytes} MB passes unchanged, next to a stream of events, in bounded memory`, async () => {
  const expected = createHash('sha256')
  const chunk = Buffer.alloc(MiB, 'threadbox ')
  for (let index = 0; index < megabytes; index += 1) expected.update(chunk)
  const growth = await growthDuring(`${megabytes} MB download`, async () => {
    const events = await visitor.stream(`${origin}/events`)
    let seen = ''
    events.on('data', (part: Buffer) => {
      seen += part.toString()
    })
    const received = createHash('sha256')
    for await (const part of await visitor.stream(`${origin}/down?megabytes=${megabytes}`))
      received.update(part as Buffer)
    expect(received.digest('hex')).toBe(expected.digest('hex'))
    const closed = once(events, 'close')
    events.destroy()
    await closed
    const ids = [...seen.matchAll(/^data: (\d+)$/gm)].map(([, id]) => Number(id))
    expect(ids.length).toBeGreaterThan(3)
    expect(ids).toEqual(ids.map((_, index) => index + 1))
  })
  expectBounded(growth)
}, 600_000)

test(`O4: ${count} server-sent events of 1 kB pass, each once and in order, in bounded memory`, async () => {
  const growth = await growthDuring(`${count} events`, async () => {
    let rest = ''
    let last = 0
    const stream = await visitor.stream(`${origin}/many-events?count=${count}`)
    expect(stream.headers['content-type']).toBe('text/event-stream')
    for await (const part of stream) {
      const lines = (rest + String(part)).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (!line.startsWith('id: ')) continue
        const id = Number(line.slice('id: '.length))
        if (id !== last + 1) throw new Error(`event ${id} came after ${last}`)
        last = id
      }
    }
    expect(last).toBe(count)
  })
  expectBounded(growth)
}, 600_000)
