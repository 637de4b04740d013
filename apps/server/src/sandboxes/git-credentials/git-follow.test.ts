import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect'
import { git as guest } from '@threadbox/protocol/guest'
import { makeLogger } from '@threadbox/telemetry'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type GitFollow, makeGitFollow } from './git-follow.ts'
import type { WaitingRequest } from './git-relay.ts'
import type { UsableCredential } from './usable-credentials.ts'

type Stream = { sites: string[]; tell(target: string): void; breakOff(): void; isOpen: boolean }

/** A target that begins with a slash gets an id as guests give them; any other one is the id itself. */
const idOf = (target: string) => (target.startsWith('/') ? crypto.randomUUID() : target)

let streams: Stream[]
let fails: ConnectError | undefined
let addresses: string[]
let bootId: string | undefined
let passed: WaitingRequest[]
let holdPasses: Promise<void> | undefined
let judgedAgain: number
let follow: GitFollow

/** A guest that says what a test says, and ends an older stream when a newer one comes. */
const transport = createRouterTransport((router) => {
  router.service(guest.Git, {
    async *followGit({ sites }, { signal }) {
      if (fails !== undefined) throw fails
      streams.at(-1)?.breakOff()
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
        breakOff: () => over.abort(),
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
  judgedAgain = 0
  follow = makeGitFollow({
    usable: async () => addresses.map((address) => ({ address, site: new URL(address).host }) as UsableCredential),
    relay: {
      pass: async (waiting) => {
        passed.push(waiting)
        await holdPasses
      },
      judgeAgain: async () => void judgedAgain++,
    },
    ifAwake: async () => (bootId === undefined ? undefined : sandbox()),
    awakeThreads: async () => ['t'],
    logger: makeLogger({ process: 'test', level: 'silent' }),
  })
})
afterEach(() => follow.stop())

test('an older guest, which knows nothing of git, is left alone and holds nobody up', async () => {
  fails = new ConnectError('unknown', Code.Unimplemented)
  await follow.deliver('t', sandbox())
  expect(streams).toEqual([])
})

test('a guest that was lost is followed again', async () => {
  await follow.deliver('t', sandbox())
  streams[0]?.breakOff()
  await expect.poll(() => streams.length).toBe(2)
  streams[1]?.tell('/git.test/a')
  await expect.poll(() => passed.map(({ target }) => target)).toEqual(['/git.test/a'])
})

test('what is delivered is known to the guest, which is asked again only when something changed', async () => {
  await follow.deliver('t', sandbox())
  expect(streams.map(({ sites }) => sites)).toEqual([['https://git.test/']])
  await follow.deliver('t', sandbox())
  follow.sandboxChanged('t')
  await follow.deliver('t', sandbox())
  expect(streams).toHaveLength(1)
})

test('new credentials reach a sandbox that is awake, and what git asked before goes on', async () => {
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

test('whenever something changed, what is under way is judged again, also of sandboxes that nobody follows any more', () => {
  follow.refresh()
  expect(judgedAgain).toBe(1)
})

test('when the last credential is taken away the guest is told, and followed no longer', async () => {
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

test('a request whose id would lead elsewhere in a path is not looked at', async () => {
  await follow.deliver('t', sandbox())
  for (const id of ['../../other/guest/files?path=/', '', 'a'.repeat(35), `${crypto.randomUUID()}/..`])
    streams[0]?.tell(id)
  streams[0]?.tell('/git.test/a')
  await expect.poll(() => passed.map(({ target }) => target)).toEqual(['/git.test/a'])
})

test('a guest that announces without end is read no further than what is under way', async () => {
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

test('what git asked in a boot ends with it, and the next boot is followed anew', async () => {
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
