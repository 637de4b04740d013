import { randomBytes } from 'node:crypto'
import type { CreatedInvite, Invites, Me, People, ResetLink, Workspaces } from '@threadbox/protocol/public'
import { repeats } from '@threadbox/testkit/repeats'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { cookieOf, makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { confirmedCalls, type Refusal } from '../../confirmed-calls.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'

const password = 'correct horse battery'

onBothDatabases((target) => {
  let server: TestApplication
  let owner: TestPerson
  beforeEach(async () => {
    server = await makeTestApplication(await target())
    owner = await server.signUpOwner()
  })
  afterEach(() => server[Symbol.asyncDispose]())

  const send = (method: string, path: string, options: { person?: TestPerson; body?: unknown } = {}) =>
    server.call(method, `/api/v1${path}`, options)
  const { as, codeOf } = confirmedCalls(() => server)
  const invite = (body: object = {}, by = owner) => as<CreatedInvite & Refusal>(by, 'POST', '/invites', body)
  const secretOf = ({ path }: { path: string }) => path.split('#')[1] ?? ''
  const answerCode = async (response: Response) =>
    response.status < 300 ? 'done' : ((await response.json()) as Refusal).error?.code
  const joinAs = (secret: string, name = 'ben', more: object = {}) =>
    send('POST', '/auth/join', { body: { secret, name, email: `${name}@example.com`, password, ...more } })
  async function joined(name: string, request: object = {}): Promise<TestPerson & { me: Me }> {
    const response = await joinAs(secretOf(await invite(request)), name)
    const me = (await response.json()) as Me
    return { me, userId: me.id, headers: { cookie: cookieOf(response) } }
  }
  const read = async (secret: string) => answerCode(await send('POST', '/auth/link', { body: { secret } }))
  const signIn = async (name: string, word = password) =>
    answerCode(await send('POST', '/auth/sign-in', { body: { email: `${name}@example.com`, password: word } }))

  describe('an invite', () => {
    test('C12: lets one person join, who is signed in, and is gone then', async () => {
      const created = await invite()
      expect(created).toMatchObject({ role: 'member', email: null, usesLeft: 1 })
      expect(created.path).toMatch(/^\/join#[\w-]{43}$/)
      const ben = await joinAs(secretOf(created))
      expect(ben.status).toBe(201)
      expect(await ben.json()).toMatchObject({ name: 'ben', role: 'member', isOwner: false })
      const headers = { cookie: cookieOf(ben) }
      expect((await server.call('GET', '/api/v1/threads', { headers })).status).toBe(200)
      expect(await answerCode(await joinAs(secretOf(created), 'eve'))).toBe('invite.invalid')
      expect((await as<Invites>(owner, 'GET', '/invites')).invites).toEqual([])
      const stored = await tablesIn(server.open).selectFrom('invites').selectAll().execute()
      expect(JSON.stringify(stored)).not.toContain(secretOf(created))
    })

    test('C12: is not used up when it is opened, as mail scanners do, nor by a request that fails', async () => {
      const secret = secretOf(await invite())
      for (let count = 0; count < 5; count++) expect(await read(secret)).toBe('done')
      expect(await answerCode(await joinAs(secret, 'owner'))).toBe('auth.email-taken')
      expect(await answerCode(await joinAs(secret, 'ben', { password: 'short' }))).toBe('request.invalid')
      expect(await answerCode(await joinAs(secret))).toBe('done')
    })

    test('C12: can’t be guessed: a network is refused after 60 tries, and one row in the audit log says so', async () => {
      const secret = secretOf(await invite())
      const tries = repeats({ what: 'guesses of an invite’s secret', byDefault: 300, full: 100_000 })
      const codes = new Map<string, number>()
      for (let count = 0; count < tries; count += 1) {
        const code = (await read(randomBytes(32).toString('base64url'))) ?? ''
        codes.set(code, (codes.get(code) ?? 0) + 1)
      }
      expect(Object.fromEntries(codes)).toEqual({ 'invite.invalid': 60, 'auth.too-many-attempts': tries - 60 })
      expect(await answerCode(await joinAs(secret))).toBe('auth.too-many-attempts')
      const guessed = () =>
        tablesIn(server.open).selectFrom('audit_events').selectAll().where('action', '=', 'links-guessed').execute()
      expect(await guessed()).toHaveLength(1)
      server.clock.now += 15 * 60_000
      expect(await read(secret)).toBe('done')
      for (let count = 0; count < 62; count += 1) await read('another guess')
      expect(await guessed()).toHaveLength(2)
    }, 900_000)

    test('C12: for n people lets exactly n join, also at the same time', async () => {
      const secret = secretOf(await invite({ uses: 3 }))
      const names = ['ann', 'ben', 'cyd', 'dan', 'eve']
      const codes = await Promise.all(names.map(async (name) => answerCode(await joinAs(secret, name))))
      expect(codes.filter((code) => code === 'done')).toHaveLength(3)
      expect(codes.filter((code) => code === 'invite.invalid')).toHaveLength(2)
      expect((await as<People>(owner, 'GET', '/people')).people).toHaveLength(4)
    })

    test('C12: ends after its days, and when it is revoked', async () => {
      const [first, second] = [await invite(), await invite({ expiresInDays: 1 })]
      await as(owner, 'DELETE', `/invites/${first.id}`)
      expect(await read(secretOf(first))).toBe('invite.invalid')
      server.clock.now += 24 * 60 * 60_000
      expect(await answerCode(await joinAs(secretOf(second)))).toBe('invite.invalid')
      expect(await codeOf(owner, 'DELETE', `/invites/${first.id}`)).toBe('invite.not-found')
    })

    test('C12: for an address is for that address only, in whatever case', async () => {
      const secret = secretOf(await invite({ email: 'Ben@Example.com' }))
      expect(await answerCode(await joinAs(secret, 'eve'))).toBe('invite.for-other')
      expect(await answerCode(await joinAs(secret, 'ben', { email: 'BEN@example.com' }))).toBe('done')
    })

    test('C12: makes a person a member of its workspaces, without those that were deleted in the meantime', async () => {
      const make = async (name: string) => (await as<{ id: string }>(owner, 'POST', '/workspaces', { name })).id
      const workspaceIds = [await make('Kept'), await make('Gone')]
      const secret = secretOf(await invite({ workspaceIds }))
      await tablesIn(server.open).deleteFrom('workspaces').where('name', '=', 'Gone').execute()
      const response = await joinAs(secret)
      const ben = { userId: '', headers: { cookie: cookieOf(response) } }
      const { workspaces } = (await (await send('GET', '/workspaces', { person: ben })).json()) as Workspaces
      expect(workspaces).toMatchObject([{ name: 'Kept', role: 'member' }])
    })

    test('C12: is made by the owner and admins; only the owner invites admins, and to a workspace only its owners', async () => {
      const admin = await joined('ada', { role: 'admin' })
      const ben = await joined('ben')
      expect(admin.me.role).toBe('admin')
      expect((await invite({}, ben)).error?.code).toBe('auth.owner-required')
      expect(await codeOf(ben, 'GET', '/invites')).toBe('auth.owner-required')
      expect((await invite({}, admin)).usesLeft).toBe(1)
      expect((await invite({ role: 'admin' }, admin)).error?.code).toBe('person.protected')
      const { id } = await as<{ id: string }>(owner, 'POST', '/workspaces', { name: 'Team' })
      expect((await invite({ workspaceIds: [id] }, admin)).error?.code).toBe('workspace.not-found')
    })

    test('C12: can’t be guessed: after sixty wrong ones, a network waits', async () => {
      const codes = new Set<string | undefined>()
      for (let count = 0; count < 61; count++) codes.add(await read(`wrong-${count}`))
      expect([...codes]).toEqual(['invite.invalid', 'auth.too-many-attempts'])
      expect(await read(secretOf(await invite()))).toBe('auth.too-many-attempts')
      server.clock.now += 15 * 60_000
      expect(await read(secretOf(await invite()))).toBe('done')
    })

    test.each([
      [{ uses: 0 }],
      [{ uses: 101 }],
      [{ uses: 1.5 }],
      [{ expiresInDays: 31 }],
      [{ role: 'owner' }],
      [{ email: 'without-at' }],
      [{ email: `${'x'.repeat(320)}@example.com` }],
      [{ workspaceIds: ['x'.repeat(65)] }],
      [{ more: true }],
    ])('C12: with %j isn’t created', async (body) => {
      expect((await invite(body)).error?.code).toBe('request.invalid')
    })

    test.each(['a\nb', '\u202eevil', 'a\u0007b', '\u2066x', ' ', 'x'.repeat(81)])(
      'C12: is refused to a person with the name %j',
      async (name) => {
        const body = { secret: secretOf(await invite()), name, email: 'ben@example.com', password }
        expect(await answerCode(await send('POST', '/auth/join', { body }))).toBe('request.invalid')
      },
    )
  })

  describe('a link for a new password', () => {
    const makeLink = (person: TestPerson, by = owner) =>
      as<ResetLink & Refusal>(by, 'POST', `/people/${person.userId}/reset-link`)
    const reset = async (secret: string, word: string) =>
      answerCode(await send('POST', '/auth/reset', { body: { secret, password: word } }))

    test('C12: sets it once, signs the person in, and out everywhere else', async () => {
      const ben = await joined('ben')
      const secret = secretOf(await makeLink(ben))
      expect(await reset(secret, 'another long password')).toBe('done')
      expect((await send('GET', '/me', { person: ben })).status).toBe(401)
      expect([await signIn('ben'), await signIn('ben', 'another long password')]).toEqual([
        'auth.credentials-wrong',
        'done',
      ])
      expect(await reset(secret, 'yet another password')).toBe('invite.invalid')
    })

    test('C12: replaces the one before, ends after a day, and is no invite', async () => {
      const ben = await joined('ben')
      const [first, second] = [await makeLink(ben), await makeLink(ben)]
      expect(await read(secretOf(first))).toBe('invite.invalid')
      expect(await answerCode(await joinAs(secretOf(second), 'eve'))).toBe('invite.invalid')
      expect(await reset(secretOf(await invite()), 'another long password')).toBe('invite.invalid')
      expect(await read(secretOf(second))).toBe('done')
      server.clock.now += 24 * 60 * 60_000
      expect(await reset(secretOf(second), 'another long password')).toBe('invite.invalid')
    })

    test('C12: is made for members by admins, for admins by the owner, and for the owner on the machine only', async () => {
      const admin = await joined('ada', { role: 'admin' })
      const ben = await joined('ben')
      expect((await makeLink(owner)).error?.code).toBe('person.protected')
      expect((await makeLink(admin, admin)).error?.code).toBe('person.protected')
      expect((await makeLink(ben, admin)).path).toMatch(/^\/reset#/)
      expect((await makeLink(ben, ben)).error?.code).toBe('auth.owner-required')
    })
  })

  describe('people', () => {
    const change = (person: TestPerson, body: object, by = owner) =>
      codeOf(by, 'PATCH', `/people/${person.userId}`, body)

    test('C12: everyone sees names and roles; addresses are for the owner, admins and each person', async () => {
      const admin = await joined('ada', { role: 'admin' })
      const ben = await joined('ben')
      const emails = async (person: TestPerson) =>
        (await as<People>(person, 'GET', '/people')).people.map(({ name, role, email }) => [name, role, email !== null])
      const all = (isShown: boolean) => [
        ['Owner', 'owner', isShown],
        ['ada', 'admin', isShown],
        ['ben', 'member', true],
      ]
      expect((await emails(owner)).toSorted()).toEqual(all(true))
      expect((await emails(admin)).toSorted()).toEqual(all(true))
      expect((await emails(ben)).toSorted()).toEqual(all(false))
    })

    test('C12: a disabled person is out: sessions, keys and new sign-ins, until they are enabled', async () => {
      const ben = await joined('ben')
      const { secret } = await as<{ secret: string }>(ben, 'POST', '/api-keys', { name: 'key' })
      const byKey = async () =>
        (await server.call('GET', '/api/v1/threads', { headers: { authorization: `Bearer ${secret}` } })).status
      expect(await byKey()).toBe(200)
      expect(await change(ben, { isDisabled: true })).toBe('done')
      expect((await send('GET', '/threads', { person: ben })).status).toBe(401)
      expect(await byKey()).toBe(401)
      expect(await signIn('ben')).toBe('auth.account-disabled')
      expect(await signIn('ben', 'a wrong password')).toBe('auth.credentials-wrong')
      const link = await as<ResetLink>(owner, 'POST', `/people/${ben.userId}/reset-link`)
      const reset = { secret: secretOf(link), password: 'another long password' }
      expect(await answerCode(await send('POST', '/auth/reset', { body: reset }))).toBe('auth.account-disabled')
      expect(await change(ben, { isDisabled: false })).toBe('done')
      expect([await signIn('ben'), await byKey()]).toEqual(['done', 200])
    })

    test('C12: the owner changes everyone else, admins change members, and members only themselves', async () => {
      const admin = await joined('ada', { role: 'admin' })
      const second = await joined('abe', { role: 'admin' })
      const ben = await joined('ben')
      expect(await change(owner, { isDisabled: true }, admin)).toBe('person.protected')
      expect(await change(owner, { role: 'member' })).toBe('person.protected')
      expect(await change(second, { isDisabled: true }, admin)).toBe('person.protected')
      expect(await change(ben, { role: 'admin' }, admin)).toBe('person.protected')
      expect(await change(admin, { isDisabled: true }, ben)).toBe('auth.owner-required')
      expect(await change(ben, { isDisabled: true }, admin)).toBe('done')
      expect(await change(ben, { isDisabled: false }, admin)).toBe('done')
      expect(await change(second, { role: 'member' })).toBe('done')
      expect(await change({ userId: 'u-unknown', headers: {} }, { role: 'member' })).toBe('person.not-found')
    })

    test('C12: an admin changes settings and models as the owner does', async () => {
      const admin = await joined('ada', { role: 'admin' })
      const ben = await joined('ben')
      expect([await codeOf(admin, 'GET', '/audit'), await codeOf(ben, 'GET', '/audit')]).toEqual([
        'done',
        'auth.owner-required',
      ])
      expect(await codeOf(ben, 'GET', '/models/discovered')).toBe('model.owner-only')
      expect(await codeOf(admin, 'GET', '/models/discovered')).toBe('done')
    })
  })
})
