import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { createClient, type ThreadboxClient } from '@threadbox/sdk'
import { makeOwnedDirectory, startTestServer } from '@threadbox/testkit'
import { repeats } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Said, type TestThread, testThread } from '../stack/installation.ts'
import { makeOwnMachine, type OwnMachine, startSmallHost } from './small-host/small-host.ts'
import { makeSmallImage } from './small-host/small-image.ts'

/** A machine with memory for this many sandboxes, all of them awake, and three more threads that want to wake. */
const MiB = 1024 * 1024
const places = repeats({ what: 'sandboxes that are awake when three more want to be', byDefault: 4, full: 12 })
const reserveBytes = 512 * MiB
const cleanup = new AsyncDisposableStack()
let machine: OwnMachine
let client: ThreadboxClient
let threads: TestThread[]

beforeAll(async () => {
  const directory = await makeOwnedDirectory()
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  machine = cleanup.use(await makeOwnMachine(directory))
  const [file, data] = [path.join(directory, 'disk'), path.join(directory, 'data')]
  await mkdir(data)
  await promisify(execFile)('truncate', ['--size', String(2048 * MiB), file])
  await promisify(execFile)('mkfs.ext4', ['-q', file])
  await machine.mount(['-o', 'loop', file, data])
  cleanup.defer(() => machine.unmount(data))
  const installation = path.basename(directory)
  const host = await startSmallHost({
    installation,
    dataDirectory: data,
    logFile: path.join(directory, 'host.log'),
    machine,
    imageArchive: await makeSmallImage(directory),
    environment: {
      THREADBOX_POOL_SIZE: String(1536 * MiB),
      THREADBOX_MEMORY_IMAGE_RESERVE_BYTES: String(512 * MiB),
      THREADBOX_MEMORY_RESERVE: String(reserveBytes),
    },
  })
  cleanup.defer(() => host.cutPower())
  const environment = {
    THREADBOX_INSTALLATION: installation,
    THREADBOX_DATA: directory,
    THREADBOX_HOST_SOCKET: path.join(machine.root, data, 'run/host.sock'),
    THREADBOX_GATEWAY_SOCKET: path.join(machine.root, data, 'run/gateway.sock'),
  }
  const server = await startTestServer({ host: { installation, dataDirectory: directory, environment } })
  cleanup.defer(() => server.close())
  client = createClient({ baseUrl: server.loopbackOrigin, apiKey: server.apiKey })
  threads = []
  for (let index = 0; index < places; index++) threads.push(await threadAtWork(index))
})
afterAll(() => cleanup.disposeAsync())

test('G7: one more wake on a machine whose memory is full waits visibly, and is not lost', async () => {
  await machine.setAvailableMemory(reserveBytes + 100 * MiB)
  const [next, second, third] = [await newThread(), await newThread(), await newThread()]
  const order: string[] = []
  const waiting: Promise<Said>[] = []
  for (const [index, thread] of [next, second, third].entries()) {
    const said = thread.say(`/run echo thread ${places + index}`)
    waiting.push(said.finally(() => order.push(thread.id)))
    await untilPlace(thread, { position: index + 1, places })
  }
  // The thread itself says so too: a notice stays.
  const told = (await next.entries()).filter((entry) => entry.kind === 'notice')
  expect(told).toMatchObject([{ code: 'sandbox-waiting', params: { position: 1, places } }])
  await expectUnharmed()

  // A thread that stops waiting leaves the queue, and nothing of it stays behind.
  await client.threads.stop(third.id)
  expect((await waiting[2])?.turn.status).toBe('stopped')
  const left = (await client.threads.get(third.id)).sandbox
  expect({ state: left.state, waiting: left.waiting }).toEqual({ state: 'fresh', waiting: undefined })
  await untilPlace(second, { position: 2, places })

  for (const thread of threads.slice(0, 2)) await client.sandboxes.pause(thread.id)
  await machine.setAvailableMemory(4096 * MiB)
  const said = await Promise.all(waiting.slice(0, 2))
  expect(order).toEqual([third.id, next.id, second.id])
  for (const [index, { calls }] of said.entries()) {
    expect(calls).toMatchObject([{ status: 'succeeded', output: { tail: `thread ${places + index}\n` } }])
  }
  await expectUnharmed()
  const all = await Promise.all([...threads, next, second, third].map(async ({ id }) => await client.threads.get(id)))
  expect(all.map(({ sandbox }) => sandbox.waiting ?? null)).toEqual(all.map(() => null))
})

async function newThread(): Promise<TestThread> {
  return testThread(client, (await client.threads.create({})).id)
}

/** A thread whose sandbox is awake, has something in its memory, and cannot be paused for another one. */
async function threadAtWork(index: number): Promise<TestThread> {
  const thread = await newThread()
  await output(thread, `mark=${index}; sleep 100${index} </dev/null >/dev/null 2>&1 & worker=$!`)
  await client.sandboxes.hold(thread.id, { until: Date.now() + 3_600_000 })
  return thread
}

async function output(thread: TestThread, command: string): Promise<string> {
  const { calls } = await thread.say(`/run ${command}`)
  expect(calls).toMatchObject([{ status: 'succeeded', result: { exitCode: 0 } }])
  return calls[0]?.output.tail ?? ''
}

/** Every awake thread still has everything in its memory. */
async function expectUnharmed(): Promise<void> {
  for (const [index, thread] of threads.entries()) {
    expect(await output(thread, 'kill -0 $worker && echo $mark')).toBe(`${index}\n`)
  }
}

async function untilPlace(thread: TestThread, place: { position: number; places: number }): Promise<void> {
  await vi.waitFor(
    async () => expect((await client.threads.get(thread.id)).sandbox).toMatchObject({ waiting: place }),
    { timeout: 20_000, interval: 100 },
  )
}
