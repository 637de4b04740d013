import { randomBytes } from 'node:crypto'
import type { lookup as lookUp } from 'node:dns'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { gitAnswerHeader } from '@threadbox/protocol/guest'
import { makeLogger } from '@threadbox/telemetry'
import { Agent } from 'undici'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { allowedAddressesOf } from '../../platform/outbound/addresses.logic.ts'
import { makeSecretBox } from '../../platform/secrets/secret-box.ts'
import { type GitRelay, type GitRelayDependencies, makeGitRelay } from './git-relay.ts'
import type { UsableCredential } from './usable-credentials.ts'

const token = 'tok-abcdef-123456'
const secretBox = makeSecretBox(randomBytes(32))
const agent = new Agent()
afterAll(() => agent.destroy())

type GitReply = { status: number; headers: Record<string, string>; body: string; isBroken: boolean }
type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string }

/** Replies to git that arrived at the guest. */
let replies: GitReply[]
let gitBody: (response: ServerResponse) => void
/** Resolves when the stream of git’s request body closes. */
let bodyClosed: PromiseWithResolvers<void>
/** Resolves when the guest has received a first part of a reply’s body. */
let replyBegun: PromiseWithResolvers<void>
/** While set, the guest does not confirm that it has a reply. */
let heldReplies: ServerResponse[] | undefined
/** Requests that reached the Git server, and how the server responds. */
let seen: Seen[]
let answer: (request: IncomingMessage, response: ServerResponse) => void
let credentials: UsableCredential[]
let recorded: string[]
let guest: Server
let server: Server
let origin: string
let relay: GitRelay

const listen = async (made: Server) => {
  made.listen(0, '127.0.0.1')
  await once(made, 'listening')
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`
}
const relayWith = (more: Partial<GitRelayDependencies> = {}): GitRelay =>
  makeGitRelay({
    host: {
      guest: async (_target, request) =>
        await agent.request({
          origin: guestOrigin,
          path: request.path,
          method: request.method,
          headers: request.headers ?? {},
          ...(request.body === undefined ? {} : { body: request.body }),
          ...(request.signal === undefined ? {} : { signal: request.signal }),
        }),
    },
    usable: async () => credentials,
    ownerOf: async (threadId) => `owner of ${threadId.slice(0, 1)}`,
    secretBox,
    allowed: allowedAddressesOf('127.0.0.0/8'),
    uses: { record: async ({ target }) => void recorded.push(`${target.service} ${target.repository}`) },
    transferring: () => ({ [Symbol.dispose]: () => undefined }),
    connectTimeoutMs: 5000,
    silenceMs: 10_000,
    logger: makeLogger({ process: 'test', level: 'silent' }),
    ...more,
  })
let guestOrigin: string

beforeAll(async () => {
  guest = createServer((request, response) => {
    if (request.method === 'GET') {
      response.once('close', bodyClosed.resolve)
      return gitBody(response)
    }
    const { status, headers } = JSON.parse(String(request.headers[gitAnswerHeader])) as GitReply
    const done = (body: string, isBroken: boolean) => replies.push({ status, headers, body, isBroken })
    const parts: Buffer[] = []
    request.once('data', () => replyBegun.resolve())
    request.on('data', (part: Buffer) => parts.push(part))
    request.once('error', () => done(Buffer.concat(parts).toString(), true))
    request.once('end', () => {
      done(Buffer.concat(parts).toString(), false)
      if (heldReplies === undefined) response.end('{}')
      else heldReplies.push(response)
    })
  })
  guestOrigin = await listen(guest)
  server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    const one = { method, url, headers, body: '' }
    seen.push(one)
    buffer(request).then(
      (body) => {
        one.body = body.toString()
      },
      () => undefined,
    )
    answer(request, response)
  })
  origin = await listen(server)
})
afterAll(() => {
  for (const made of [guest, server]) made.close().closeAllConnections()
})
beforeEach(() => {
  replies = []
  heldReplies = undefined
  bodyClosed = Promise.withResolvers()
  replyBegun = Promise.withResolvers()
  seen = []
  recorded = []
  gitBody = (response) => void response.end('what git sends')
  answer = (_request, response) =>
    void response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' }).end('refs')
  credentials = [credential()]
  relay = relayWith()
})
afterEach(() => relay[Symbol.asyncDispose]())

const credential = (more: Partial<UsableCredential> = {}): UsableCredential => ({
  id: 'c',
  userId: 'u',
  site: 'git.test',
  address: origin,
  username: 'me',
  access: 'push',
  repositories: [],
  sealedToken: secretBox.seal(token),
  ...more,
})
const refs = '/git.test/team/app/info/refs?service=git-upload-pack'
const pushRefs = '/git.test/team/app/info/refs?service=git-receive-pack'
type More = { method?: string; signal?: AbortSignal; headers?: Record<string, string>; threadId?: string }
const waiting = (target: string, more: More = {}) => ({
  threadId: 't',
  sandbox: { sandboxId: 's', bootId: 'b' },
  id: 'r',
  method: 'GET',
  target,
  headers: {
    'user-agent': 'git/2.39.5',
    cookie: 'a=b',
    'git-protocol': 'version=2',
    ...(more.method === 'POST' ? { 'content-type': `application/x-${target.split('/').at(-1)}-request` } : {}),
  },
  signal: new AbortController().signal,
  ...more,
})
const pass = (...request: Parameters<typeof waiting>) => relay.pass(waiting(...request))
const push = '/git.test/team/app/git-receive-pack'

test.each([
  ['/git.test/team/app/HEAD', 'git-credential.request-refused', 400],
  ['/other.test/team/app/info/refs?service=git-upload-pack', 'git-credential.repository-not-covered', 403],
])('%s reaches no server, and git gets %s', async (target, code, status) => {
  await pass(target)
  expect(seen).toEqual([])
  expect(replies).toMatchObject([
    { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: expect.stringContaining(code) },
  ])
})

test.each(['text/plain', 'application/x-git-upload-pack-request', ''])(
  'a push with the content type %s, as a page in a browser would send it, is rejected',
  async (type) => {
    await pass(push, { method: 'POST', headers: { 'content-type': type } })
    expect(seen).toEqual([])
    expect(replies).toMatchObject([{ status: 400, body: expect.stringContaining('git-credential.request-refused') }])
  },
)

test('a read-only credential refuses a push at its first and its second request', async () => {
  credentials = [credential({ access: 'read' })]
  await pass(pushRefs)
  await pass('/git.test/team/app/git-receive-pack', { method: 'POST' })
  expect(seen).toEqual([])
  expect(replies.map(({ status }) => status)).toEqual([403, 403])
  expect(replies[0]?.body).toContain('git-credential.push-refused')
})

test('a repository that no credential covers is left to git, without credentials', async () => {
  credentials = [credential({ repositories: ['team/other'] })]
  await pass(refs)
  await pass('/git.test/team/app/git-upload-pack', { method: 'POST' })
  expect(seen).toEqual([])
  expect(replies).toMatchObject([
    { status: 302, headers: { location: `${origin}/team/app/info/refs?service=git-upload-pack` } },
    { status: 403 },
  ])
})

test.each([
  [401, 403, 'git-credential.token-refused'],
  [403, 403, 'git-credential.token-refused'],
  [404, 404, 'git-credential.repository-missing'],
  [500, 503, 'git-credential.server-failed'],
])('a response with status %i reaches git as %i with %s, without its text', async (status, shown, code) => {
  answer = (_request, response) =>
    void response.writeHead(status, { 'www-authenticate': 'Basic' }).end(`words ${token}`)
  await pass(refs)
  expect(replies).toMatchObject([{ status: shown, body: expect.stringContaining(code) }])
  expect(JSON.stringify(replies)).not.toMatch(/words|authenticate|tok-/)
})

test('a web page is not accepted as the response of a Git server', async () => {
  answer = (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Log in</p>')
  await pass(refs)
  expect(replies).toMatchObject([{ status: 503, body: expect.stringContaining('not from a Git server') }])
})

test('a redirect to another server is not followed; one to a renamed repository goes back to git', async () => {
  answer = (_request, response) =>
    void response.writeHead(301, { location: 'http://127.0.0.2:9/x/y/info/refs?service=git-upload-pack' }).end()
  await pass(refs)
  expect(replies).toMatchObject([{ status: 503, body: expect.stringContaining('to a different server') }])
  answer = (_request, response) =>
    void response.writeHead(301, { location: '/new/app/info/refs?service=git-upload-pack' }).end()
  await pass(refs)
  expect(replies[1]).toMatchObject({
    status: 302,
    headers: { location: '/git.test/new/app/info/refs?service=git-upload-pack' },
  })
  expect(seen).toHaveLength(2)
})

test('an address in a private network is refused, also when a name resolves to it or when it is no longer allowed', async () => {
  await using other = relayWith({
    allowed: allowedAddressesOf(''),
    lookUp: ((_name: string, _options: object, callback: (error: null, found: object[]) => void) =>
      callback(null, [{ address: '127.0.0.1', family: 4 }])) as unknown as typeof lookUp,
  })
  const { port } = new URL(origin)
  for (const address of [origin, `https://127.0.0.1:${port}`, `https://git.test:${port}`]) {
    credentials = [credential({ address })]
    await other.pass(waiting(refs))
  }
  expect(seen).toEqual([])
  expect(replies.map(({ body }) => /git-credential\.address-\w+/.exec(body)?.[0])).toEqual([
    'git-credential.address-refused',
    'git-credential.address-refused',
    'git-credential.address-refused',
  ])
})

test('an unreachable server and a silent one get different errors', async () => {
  credentials = [credential({ address: 'http://127.0.0.1:9' })]
  await pass(refs)
  expect(replies[0]?.body).toContain('git-credential.server-failed')
  credentials = [credential()]
  answer = () => undefined
  await using quick = relayWith({ silenceMs: 50 })
  await quick.pass(waiting(refs))
  expect(replies[1]?.body).toContain('no data for')
})

test.each([401, 404, 415])(
  'a server that responds with %i before git has sent everything ends the request on both sides',
  async (status) => {
    gitBody = (response) => void response.write('first part')
    answer = (request, response) => void request.once('data', () => response.writeHead(status).end())
    await pass(push, { method: 'POST' })
    await bodyClosed.promise
    expect(replies).toMatchObject([{ body: expect.stringContaining('git-credential.') }])
  },
)

type Taking = [string, () => UsableCredential[]]
test.each<Taking>([
  ['is gone', () => []],
  ['may only read now', () => [credential({ access: 'read' })]],
  ['is for other repositories now', () => [credential({ repositories: ['team/other'] })]],
  ['was replaced by another one', () => [credential({ id: 'other' })]],
])('a push that trickles ends when its credential %s', async (_how, left) => {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const { promise: broken, resolve: breakOff } = Promise.withResolvers<void>()
  gitBody = (response) => void response.write('first part')
  answer = (request) => {
    request.once('data', resolve)
    request.once('error', () => breakOff())
  }
  const passed = pass(push, { method: 'POST' })
  await begun
  await relay.recheck()
  expect(replies).toEqual([])
  credentials = left()
  await relay.recheck()
  await passed
  await broken
  await bodyClosed.promise
  expect(replies).toMatchObject([{ status: 403, body: expect.stringContaining('git-credential.taken-back') }])
})

test('a clone continues when only pushing was revoked, and ends when its credentials cannot be checked', async () => {
  answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
    response.write('half')
  }
  let isLost = false
  const usable = async () => {
    if (isLost) throw new Error('no database')
    return credentials
  }
  await using other = relayWith({ usable })
  const passed = other.pass(waiting(refs))
  await replyBegun.promise
  credentials = [credential({ access: 'read' })]
  await other.recheck()
  expect(replies).toEqual([])
  isLost = true
  await other.recheck()
  await passed
  // The guest is also sent the refusal, which git does not get after a response has begun.
  await expect.poll(() => replies.find(({ status }) => status === 200)).toMatchObject({ body: 'half', isBroken: true })
})

test('a credential that is removed while it is being read is not used', async () => {
  const { promise: readBegun, resolve: markReadBegun } = Promise.withResolvers<void>()
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const usable = async () => {
    const found = credentials
    markReadBegun()
    await held
    return found
  }
  await using other = relayWith({ usable })
  const passed = other.pass(waiting(refs))
  await readBegun
  credentials = []
  await other.recheck()
  release()
  await passed
  expect(seen).toEqual([])
  expect(replies).toMatchObject([{ status: 403 }])
})

test('a response that breaks off also breaks off for git, and does not look complete', async () => {
  answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
    response.write('half', () => response.destroy())
  }
  await pass(refs)
  expect(replies[0]).toMatchObject({ status: 200, isBroken: true })
})

test('when the sandbox goes away, its request at the server ends', async () => {
  const gone = new AbortController()
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  answer = (_request, response) => {
    response.once('close', resolve)
    gone.abort()
  }
  await pass(refs, { signal: gone.signal })
  await closed
  expect(replies).toEqual([])
})

test('requests of one sandbox above its limit are refused; other sandboxes continue', async () => {
  const held: ServerResponse[] = []
  answer = (_request, response) => void held.push(response)
  const under = Array.from({ length: 16 }, () => pass(refs))
  await expect.poll(() => held.length).toBe(16)
  // The guest takes its time to confirm the replies.
  heldReplies = []
  const refused = Array.from({ length: 200 }, () => pass(refs))
  await expect.poll(() => replies.length).toBe(200)
  expect(replies[0]).toMatchObject({ status: 429, body: expect.stringContaining('git-credential.too-many-requests') })
  const other = relay.pass({ ...waiting(refs), sandbox: { sandboxId: 'other', bootId: 'b' } })
  await expect.poll(() => held.length).toBe(17)
  for (const response of held) response.destroy()
  for (const response of heldReplies) response.end('{}')
  heldReplies = undefined
  await Promise.all([...under, ...refused, other])
})

test('each person has a limit of requests in progress, and so have all of them together', async () => {
  const held: ServerResponse[] = []
  answer = (_request, response) => void held.push(response)
  const fill = (threadId: string, sandboxes: number) =>
    Array.from({ length: sandboxes * 16 }, (_, one) =>
      relay.pass({
        ...waiting(refs, { threadId }),
        sandbox: { sandboxId: `${threadId}-${one % sandboxes}`, bootId: 'b' },
      }),
    )
  const limitReplies = () => replies.map(({ status, body }) => [status, /More than (\d+)/.exec(body)?.[1]])
  const under = fill('a1', 3)
  await expect.poll(() => held.length).toBe(48)
  // Another thread and another sandbox of the same person.
  await pass(refs, { threadId: 'a2' })
  expect(limitReplies()).toEqual([[429, '48']])
  under.push(...fill('b', 3), ...fill('c', 2))
  await expect.poll(() => held.length).toBe(128)
  await pass(refs, { threadId: 'd' })
  expect(limitReplies().slice(1)).toEqual([[429, '128']])
  for (const response of held) response.destroy()
  await Promise.all(under)
  answer = (_request, response) =>
    void response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' }).end('refs')
  await pass(refs, { threadId: 'a2' })
  expect(replies.at(-1)).toMatchObject({ status: 200, body: 'refs' })
})

test('a read is recorded when the server has accepted it, a push before it is sent', async () => {
  answer = (_request, response) => void response.writeHead(404).end()
  await pass(refs)
  await pass('/git.test/team/app/git-upload-pack', { method: 'POST' })
  expect(recorded).toEqual([])
  await pass(push, { method: 'POST' })
  expect(recorded).toEqual(['receive-pack team/app'])
})

test('a git request carries the credential and nothing else of the sandbox; its response is passed on unchanged', async () => {
  await pass(refs)
  expect(seen[0]).toMatchObject({ method: 'GET', url: '/team/app/info/refs?service=git-upload-pack' })
  const { authorization, cookie } = seen[0]?.headers ?? {}
  expect(authorization).toBe(`Basic ${Buffer.from(`me:${token}`).toString('base64')}`)
  expect(cookie).toBeUndefined()
  expect(replies).toMatchObject([{ status: 200, body: 'refs', isBroken: false }])
  answer = (_request, response) =>
    void response.writeHead(200, { 'content-type': 'application/x-git-receive-pack-result' }).end('done')
  await pass('/git.test/team/app/git-receive-pack', { method: 'POST' })
  await expect.poll(() => seen[1]?.body).toBe('what git sends')
  expect(replies[1]).toMatchObject({ status: 200, body: 'done' })
  expect(recorded).toEqual(['upload-pack team/app', 'receive-pack team/app'])
})

test('what git sends reaches the server before git has sent all of it', async () => {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  answer = (request, response) => {
    request.once('data', resolve)
    request.once('end', () =>
      response.writeHead(200, { 'content-type': 'application/x-git-receive-pack-result' }).end('done'),
    )
  }
  let git: ServerResponse | undefined
  gitBody = (response) => {
    git = response
    response.write('first part')
  }
  const passed = pass('/git.test/team/app/git-receive-pack', { method: 'POST' })
  await begun
  await turn()
  git?.end('rest')
  await passed
  expect(replies).toMatchObject([{ body: 'done' }])
  expect(seen[0]?.body).toBe('first partrest')
})
