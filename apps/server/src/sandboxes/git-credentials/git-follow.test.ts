import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect'
import { git as guest } from '@threadbox/protocol/guest'
import { makeLogger } from '@threadbox/telemetry'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type GitFollow, makeGitFollow } from './git-follow.ts'
import type { WaitingRequest } from './git-relay.ts'
import type { UsableCredential } from './usable-credentials.ts'

type Stream = { sites: string[]; tell(target: string): void; breakStream(): void; isOpen: boolean }

/** A target that begins with a slash gets an ID as guests create them; any other target is the ID itself. */
const idOf = (target: string) => (target.startsWith('/') ? crypto.randomUUID() : target)

let streams: Stream[]
let fails: ConnectError | undefined
let addresses: string[]
let bootId: string | undefined
let passed: WaitingRequest[]
let holdPasses: Promise<void> | undefined
let rechecks: number
let follow: GitFollow

/** A guest that sends what a test pushes, and ends an older stream when a newer one opens. */
const transport = createRouterTransport((router) => {
  router.service(guest.Git, {
    async *followGit({ sites }, { signal }) {
      if (fails !== undefined) throw fails
      streams.at(-1)?.breakStream()
      const queue: guest.GitRequest[] = []
      let next = Promise.withResolvers<void>()
      const over = new AbortController()
      const stream: Stream = {
        sites: sites.map(({ address }) => address),
        isOpen: true,
        tell: (target) => {
          queue.push({ id: idOf(target), method: 'GET', target, headers: {} } as guest.GitRequest)
          next.resolve()
        },
        breakStream: () => over.abort(),
      }
      streams.push(stream)
      const ended = AbortSignal.any([signal, over.signal])
      ended.addEventListener('abort', () => next.resolve())
      yield { event: { case: 'ready', value: {} } }
      while (!ended.aborted && sites.length > 0) {
        await next.promise
        next = Promise.withResolvers<void>()
        for (const request of queue.splice(0)) yield { event: { case: 'request', value: request } }
      }
      stream.isOpen = false
    },
  })
})
const client = createClient(guest.Git, transport)
const sandbox = () => ({ sandboxId: 's', bootId: bootId ?? '', git: client })

beforeEach(() => {
  streams = []
  fails = undefined
  addresses = ['https://git.test']
  bootId = 'b-1'
  passed = []
  holdPasses = undefined
  rechecks = 0
  follow = makeGitFollow({
    usable: async () => addresses.map((address) => ({ address, site: new URL(address).host }) as UsableCredential),
    relay: {
      pass: async (waiting) => {
        passed.push(waiting)
        await holdPasses
      },
      recheck: async () => void rechecks++,
    },
    ifAwake: async () => (bootId === undefined ? undefined : sandbox()),
    awakeThreads: async () => ['t'],
    logger: makeLogger({ process: 'test', level: 'silent' }),
  })
})
afterEach(() => follow.stop())

test('an older guest without the git service is not followed and delays no delivery', async () => {
  fails = new ConnectError('unknown', Code.Unimplemented)
  await follow.deliver('t', sandbox())
  expect(streams).toEqual([])
})

test('a guest whose stream broke is followed again', async () => {
  await follow.deliver('t', sandbox())
  streams[0]?.breakStream()
  await expect.poll(() => streams.length).toBe(2)
  streams[1]?.tell('/git.test/a')
  await expect.poll(() => passed.map(({ target }) => target)).toEqual(['/git.test/a'])
})

test('the guest gets the sites once, and again only after a change', async () => {
  await follow.deliver('t', sandbox())
  expect(streams.map(({ sites }) => sites)).toEqual([['https://git.test/']])
  await follow.deliver('t', sandbox())
  follow.sandboxChanged('t')
  await follow.deliver('t', sandbox())
  expect(streams).toHaveLength(1)
})

test('new credentials reach an awake sandbox, and its earlier git requests continue', async () => {
  const held = Promise.withResolvers<void>()
  holdPasses = held.promise
  await follow.deliver('t', sandbox())
  streams[0]?.tell('/git.test/a')
  await expect.poll(() => passed.length).toBe(1)
  addresses = ['https://git.test', 'https://other.test']
  follow.refresh()
  await expect.poll(() => streams.length).toBe(2)
  expect(streams[1]?.sites).toEqual(['https://git.test/', 'https://other.test/'])
  await expect.poll(() => streams[0]?.isOpen).toBe(false)
  expect(passed[0]?.signal.aborted).toBe(false)
  held.resolve()
})

test('a refresh checks active requests again, also those of sandboxes that are no longer followed', () => {
  follow.refresh()
  expect(rechecks).toBe(1)
})

test('after the last credential is removed, the guest gets an empty list and is no longer followed', async () => {
  await follow.deliver('t', sandbox())
  addresses = []
  follow.refresh()
  await expect
    .poll(() => streams.map(({ sites, isOpen }) => [sites.length, isOpen]))
    .toEqual([
      [1, false],
      [0, false],
    ])
  await follow.deliver('t', sandbox())
  expect(streams).toHaveLength(2)
})

test('a request whose ID would change the path is ignored', async () => {
  await follow.deliver('t', sandbox())
  for (const id of ['../../other/guest/files?path=/', '', 'a'.repeat(35), `${crypto.randomUUID()}/..`])
    streams[0]?.tell(id)
  streams[0]?.tell('/git.test/a')
  await expect.poll(() => passed.map(({ target }) => target)).toEqual(['/git.test/a'])
})

test('requests of a guest are read only while fewer than 64 are in progress', async () => {
  const held = Promise.withResolvers<void>()
  holdPasses = held.promise
  await follow.deliver('t', sandbox())
  for (let count = 0; count < 200; count++) streams[0]?.tell(`/git.test/${count}`)
  await expect.poll(() => passed.length).toBe(64)
  follow.sandboxChanged('t')
  await follow.deliver('t', sandbox())
  expect(passed).toHaveLength(64)
  held.resolve()
  await expect.poll(() => passed.length).toBe(200)
})

test('git requests of a boot end with it, and the next boot is followed', async () => {
  await follow.deliver('t', sandbox())
  streams[0]?.tell('/git.test/a')
  await expect.poll(() => passed.length).toBe(1)
  bootId = undefined
  follow.sandboxChanged('t')
  await expect.poll(() => passed[0]?.signal.aborted).toBe(true)
  bootId = 'b-2'
  await follow.deliver('t', sandbox())
  streams.at(-1)?.tell('/git.test/b')
  await expect.poll(() => passed[1]?.sandbox.bootId).toBe('b-2')
})
