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
import { allowedAddressesOf } from '../../platform/outbound/addresses.models.ts'
import { makeSecretBox } from '../../platform/secrets/secret-box.ts'
import { type GitRelay, type GitRelayDependencies, makeGitRelay } from './git-relay.ts'
import type { UsableCredential } from './usable-credentials.ts'

const token = 'tok-abcdef-123456'
const secretBox = makeSecretBox(randomBytes(32))
const agent = new Agent()
afterAll(() => agent.destroy())

type Told = { status: number; headers: Record<string, string>; body: string; isBroken: boolean }
type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string }

/** What git sent, and what it was answered, at the guest's end of the wire. */
let told: Told[]
let gitBody: (response: ServerResponse) => void
/** Resolves when a body that git sends is taken no longer. */
let bodyClosed: PromiseWithResolvers<void>
/** Resolves when the guest has a first part of an answer. */
let answerBegun: PromiseWithResolvers<void>
/** While set, the guest does not say that it has taken an answer. */
let heldAnswers: ServerResponse[] | undefined
/** What the Git server was asked, and how it answers. */
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
    const { status, headers } = JSON.parse(String(request.headers[gitAnswerHeader])) as Told
    const done = (body: string, isBroken: boolean) => told.push({ status, headers, body, isBroken })
    const parts: Buffer[] = []
    request.once('data', () => answerBegun.resolve())
    request.on('data', (part: Buffer) => parts.push(part))
    request.once('error', () => done(Buffer.concat(parts).toString(), true))
    request.once('end', () => {
      done(Buffer.concat(parts).toString(), false)
      if (heldAnswers === undefined) response.end('{}')
      else heldAnswers.push(response)
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
  told = []
  heldAnswers = undefined
  bodyClosed = Promise.withResolvers()
  answerBegun = Promise.withResolvers()
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
])('%s asks no server, and git is told %s', async (target, code, status) => {
  await pass(target)
  expect(seen).toEqual([])
  expect(told).toMatchObject([
    { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: expect.stringContaining(code) },
  ])
})

test.each(['text/plain', 'application/x-git-upload-pack-request', ''])(
  'what is not called as git calls a push (%s) is none, as a page of a browser sends it',
  async (type) => {
    await pass(push, { method: 'POST', headers: { 'content-type': type } })
    expect(seen).toEqual([])
    expect(told).toMatchObject([{ status: 400, body: expect.stringContaining('git-credential.request-refused') }])
  },
)

test('a push is refused at its first request and at its second where the credential may only read', async () => {
  credentials = [credential({ access: 'read' })]
  await pass(pushRefs)
  await pass('/git.test/team/app/git-receive-pack', { method: 'POST' })
  expect(seen).toEqual([])
  expect(told.map(({ status }) => status)).toEqual([403, 403])
  expect(told[0]?.body).toContain('git-credential.push-refused')
})

test('a repository that no credential is for is left to git, without a login', async () => {
  credentials = [credential({ repositories: ['team/other'] })]
  await pass(refs)
  await pass('/git.test/team/app/git-upload-pack', { method: 'POST' })
  expect(seen).toEqual([])
  expect(told).toMatchObject([
    { status: 302, headers: { location: `${origin}/team/app/info/refs?service=git-upload-pack` } },
    { status: 403 },
  ])
})

test.each([
  [401, 403, 'git-credential.token-refused'],
  [403, 403, 'git-credential.token-refused'],
  [404, 404, 'git-credential.repository-missing'],
  [500, 503, 'git-credential.server-failed'],
])('an answer with status %i comes to git as %i with %s, and nothing of its words', async (status, shown, code) => {
  answer = (_request, response) =>
    void response.writeHead(status, { 'www-authenticate': 'Basic' }).end(`words ${token}`)
  await pass(refs)
  expect(told).toMatchObject([{ status: shown, body: expect.stringContaining(code) }])
  expect(JSON.stringify(told)).not.toMatch(/words|authenticate|tok-/)
})

test('a page in place of a Git server is no answer', async () => {
  answer = (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Log in</p>')
  await pass(refs)
  expect(told).toMatchObject([{ status: 503, body: expect.stringContaining('not from a Git server') }])
})

test('a redirect to another server is not followed; one of a renamed repository goes back to git', async () => {
  answer = (_request, response) =>
    void response.writeHead(301, { location: 'http://127.0.0.2:9/x/y/info/refs?service=git-upload-pack' }).end()
  await pass(refs)
  expect(told).toMatchObject([{ status: 503, body: expect.stringContaining('to a different server') }])
  answer = (_request, response) =>
    void response.writeHead(301, { location: '/new/app/info/refs?service=git-upload-pack' }).end()
  await pass(refs)
  expect(told[1]).toMatchObject({
    status: 302,
    headers: { location: '/git.test/new/app/info/refs?service=git-upload-pack' },
  })
  expect(seen).toHaveLength(2)
})

test('an address inside a private network is refused, also when a name leads there or when it is allowed no more', async () => {
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
  expect(told.map(({ body }) => /git-credential\.address-\w+/.exec(body)?.[0])).toEqual([
    'git-credential.address-refused',
    'git-credential.address-refused',
    'git-credential.address-refused',
  ])
})

test('a server that is not there, and one that says nothing, are told apart', async () => {
  credentials = [credential({ address: 'http://127.0.0.1:9' })]
  await pass(refs)
  expect(told[0]?.body).toContain('git-credential.server-failed')
  credentials = [credential()]
  answer = () => undefined
  await using quick = relayWith({ silenceMs: 50 })
  await quick.pass(waiting(refs))
  expect(told[1]?.body).toContain('no data for')
})

test.each([401, 404, 415])(
  'a server that answers with %i before git has sent all ends the request on both sides',
  async (status) => {
    gitBody = (response) => void response.write('first part')
    answer = (request, response) => void request.once('data', () => response.writeHead(status).end())
    await pass(push, { method: 'POST' })
    await bodyClosed.promise
    expect(told).toMatchObject([{ body: expect.stringContaining('git-credential.') }])
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
  await relay.judgeAgain()
  expect(told).toEqual([])
  credentials = left()
  await relay.judgeAgain()
  await passed
  await broken
  await bodyClosed.promise
  expect(told).toMatchObject([{ status: 403, body: expect.stringContaining('git-credential.taken-back') }])
})

test('a clone under way goes on when only pushing was taken back, and ends when nobody can say whether it may', async () => {
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
  await answerBegun.promise
  credentials = [credential({ access: 'read' })]
  await other.judgeAgain()
  expect(told).toEqual([])
  isLost = true
  await other.judgeAgain()
  await passed
  // Its guest is told too, which tells git nothing more once an answer has begun.
  await expect.poll(() => told.find(({ status }) => status === 200)).toMatchObject({ body: 'half', isBroken: true })
})

test('a credential that is taken back while it is being looked for is not used', async () => {
  const { promise: looked, resolve: look } = Promise.withResolvers<void>()
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const usable = async () => {
    const found = credentials
    look()
    await held
    return found
  }
  await using other = relayWith({ usable })
  const passed = other.pass(waiting(refs))
  await looked
  credentials = []
  await other.judgeAgain()
  letGo()
  await passed
  expect(seen).toEqual([])
  expect(told).toMatchObject([{ status: 403 }])
})

test('an answer that breaks off is broken off for git too, and never taken for the whole', async () => {
  answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
    response.write('half', () => response.destroy())
  }
  await pass(refs)
  expect(told[0]).toMatchObject({ status: 200, isBroken: true })
})

test('when the sandbox goes away its request at the server ends', async () => {
  const gone = new AbortController()
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  answer = (_request, response) => {
    response.once('close', resolve)
    gone.abort()
  }
  await pass(refs, { signal: gone.signal })
  await closed
  expect(told).toEqual([])
})

test('more requests of one sandbox than it may have at once are refused; others go on', async () => {
  const held: ServerResponse[] = []
  answer = (_request, response) => void held.push(response)
  const under = Array.from({ length: 16 }, () => pass(refs))
  await expect.poll(() => held.length).toBe(16)
  // Its guest takes as long as it likes with what it is told.
  heldAnswers = []
  const refused = Array.from({ length: 200 }, () => pass(refs))
  await expect.poll(() => told.length).toBe(200)
  expect(told[0]).toMatchObject({ status: 429, body: expect.stringContaining('git-credential.too-many-requests') })
  const other = relay.pass({ ...waiting(refs), sandbox: { sandboxId: 'other', bootId: 'b' } })
  await expect.poll(() => held.length).toBe(17)
  for (const response of held) response.destroy()
  for (const response of heldAnswers) response.end('{}')
  heldAnswers = undefined
  await Promise.all([...under, ...refused, other])
})

test('one person has a part of all places only, and all of them together have a bound', async () => {
  const held: ServerResponse[] = []
  answer = (_request, response) => void held.push(response)
  const fill = (threadId: string, sandboxes: number) =>
    Array.from({ length: sandboxes * 16 }, (_, one) =>
      relay.pass({
        ...waiting(refs, { threadId }),
        sandbox: { sandboxId: `${threadId}-${one % sandboxes}`, bootId: 'b' },
      }),
    )
  const limitTold = () => told.map(({ status, body }) => [status, /More than (\d+)/.exec(body)?.[1]])
  const under = fill('a1', 3)
  await expect.poll(() => held.length).toBe(48)
  // Another thread of the same person, and another sandbox.
  await pass(refs, { threadId: 'a2' })
  expect(limitTold()).toEqual([[429, '48']])
  under.push(...fill('b', 3), ...fill('c', 2))
  await expect.poll(() => held.length).toBe(128)
  await pass(refs, { threadId: 'd' })
  expect(limitTold().slice(1)).toEqual([[429, '128']])
  for (const response of held) response.destroy()
  await Promise.all(under)
  answer = (_request, response) =>
    void response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' }).end('refs')
  await pass(refs, { threadId: 'a2' })
  expect(told.at(-1)).toMatchObject({ status: 200, body: 'refs' })
})

test('a read is noted when the server has agreed to it, and a push before it is asked', async () => {
  answer = (_request, response) => void response.writeHead(404).end()
  await pass(refs)
  await pass('/git.test/team/app/git-upload-pack', { method: 'POST' })
  expect(recorded).toEqual([])
  await pass(push, { method: 'POST' })
  expect(recorded).toEqual(['receive-pack team/app'])
})

test('what git asks for is asked for with the login and nothing else of the sandbox, and its answer comes as it is', async () => {
  await pass(refs)
  expect(seen[0]).toMatchObject({ method: 'GET', url: '/team/app/info/refs?service=git-upload-pack' })
  const { authorization, cookie } = seen[0]?.headers ?? {}
  expect(authorization).toBe(`Basic ${Buffer.from(`me:${token}`).toString('base64')}`)
  expect(cookie).toBeUndefined()
  expect(told).toMatchObject([{ status: 200, body: 'refs', isBroken: false }])
  answer = (_request, response) =>
    void response.writeHead(200, { 'content-type': 'application/x-git-receive-pack-result' }).end('done')
  await pass('/git.test/team/app/git-receive-pack', { method: 'POST' })
  await expect.poll(() => seen[1]?.body).toBe('what git sends')
  expect(told[1]).toMatchObject({ status: 200, body: 'done' })
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
  expect(told).toMatchObject([{ body: 'done' }])
  expect(seen[0]?.body).toBe('first partrest')
})
