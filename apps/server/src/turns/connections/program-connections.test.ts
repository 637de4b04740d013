import { readSettings, serverSettings } from '@threadbox/config'
import type { Connection } from '@threadbox/protocol/public'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'

const token = 'tok-abcdef-123456'

onBothDatabases((target) => {
  let application: TestApplication
  let owner: TestPerson
  let other: TestPerson
  beforeEach(async () => {
    const connectionSettings = { ...readSettings(serverSettings, {}), connectionPrograms: 2 }
    application = await makeTestApplication({ ...(await target()), connectionSettings })
    owner = await application.signUpOwner()
    other = await application.addPerson('other')
  })
  afterEach(() => application[Symbol.asyncDispose]())

  async function answer<Body>(method: string, path: string, body?: unknown, person = owner): Promise<Body> {
    const response = await application.call(method, `/api/v1${path}`, { body, person })
    return (response.status === 204 ? null : await response.json()) as Body
  }
  const codeOf = async (method: string, path: string, body?: unknown, person = owner) =>
    (await answer<{ error?: { code: string } }>(method, path, body, person)).error?.code
  const program = {
    kind: 'stdio',
    name: 'Ledger',
    command: 'uvx',
    args: ['ledger-mcp', '--all'],
    environment: [
      { name: 'CURRENCY', value: 'EUR', isSecret: false },
      { name: 'LEDGER_KEY', value: token, isSecret: true },
    ],
  }
  const add = (more: object = {}, person = owner) =>
    answer<Connection>('POST', '/connections', { ...program, ...more }, person)
  async function settled(id: string): Promise<Connection> {
    const get = () => answer<Connection>('GET', `/connections/${id}`)
    await expect.poll(async () => (await get()).status).not.toBe('starting')
    return await get()
  }

  test('G9: a program that cannot start is kept with the reason; its secret is sealed and never returned', async () => {
    const connection = await add()
    expect(connection).toMatchObject({
      kind: 'stdio',
      url: '',
      tools: [],
      auth: { kind: 'none', header: null },
      program: {
        command: 'uvx',
        args: ['ledger-mcp', '--all'],
        environment: [
          { name: 'CURRENCY', value: 'EUR', isSecret: false },
          { name: 'LEDGER_KEY', value: null, isSecret: true },
        ],
      },
    })
    const failed = await settled(connection.id)
    expect(failed).toMatchObject({ status: 'failed', phase: null, failure: { code: 'host.unreachable' } })
    const rows = await tablesIn(application.open).selectFrom('connections').selectAll().execute()
    const seen = [connection, failed, rows, await answer('GET', '/connections'), await answer('GET', '/audit')]
    for (const one of seen) expect(JSON.stringify(one)).not.toContain(token)
  })

  test('G9: another program, or other variables, get no secret that was entered for the previous ones', async () => {
    const { id } = await add()
    const path = `/connections/${id}`
    for (const change of [{ command: 'sh' }, { args: ['ledger-mcp'] }, { command: 'sh', args: [] }]) {
      expect(await codeOf('PATCH', path, change)).toBe('connection.secret-missing')
    }
    expect(await answer<Connection>('PATCH', path, { name: 'Books' })).toMatchObject({ slug: 'books' })
    expect(await codeOf('PATCH', path, { environment: [{ name: 'LEDGER_KEY', isSecret: true }] })).toBe(
      'request.invalid',
    )
    const moved = await answer<Connection>('PATCH', path, { command: 'sh', environment: [] })
    expect(moved).toMatchObject({ program: { command: 'sh', environment: [] } })
    const [row] = await tablesIn(application.open).selectFrom('connections').selectAll().execute()
    expect(row).toMatchObject({ sealed_secret: null, revision: 2 })
  })

  test('G9: a connection keeps its kind', async () => {
    const { id } = await add()
    expect(await codeOf('PATCH', `/connections/${id}`, { url: 'https://example.com/mcp' })).toBe(
      'connection.kind-other',
    )
    const auth = { kind: 'none' }
    expect(await codeOf('PATCH', `/connections/${id}`, { auth })).toBe('connection.kind-other')
    const remote = { name: 'Remote', url: 'http://127.0.0.1:9/mcp', auth }
    const http = await answer<Connection>('POST', '/connections', remote)
    expect(http.kind ?? http).not.toBe('stdio')
    const both = { ...program, name: 'Both', url: 'https://example.com/mcp' }
    expect(await codeOf('POST', '/connections', both)).toBe('request.invalid')
  })

  test('G9: users cannot exceed the limit of programs or see each other’s', async () => {
    const first = await add()
    await add({ name: 'Second' })
    expect(await codeOf('POST', '/connections', { ...program, name: 'Third' })).toBe('connection.program-limit')
    const theirs = await add({ name: 'Theirs' }, other)
    expect(theirs.kind).toBe('stdio')
    for (const [method, body] of [['GET'], ['PATCH', { name: 'Mine' }], ['DELETE'], ['POST']] as const) {
      const path = `/connections/${theirs.id}${method === 'POST' ? '/test' : ''}`
      expect(await codeOf(method, path, body), method).toBe('connection.not-found')
    }
    expect(JSON.stringify(await answer('GET', '/connections'))).not.toContain('Theirs')
    await answer('DELETE', `/connections/${first.id}`)
    expect((await add({ name: 'Third' })).kind).toBe('stdio')
  })

  test('G9: variable names must be valid and unique; variables, arguments and the command have limits', async () => {
    const variable = { name: 'A', value: 'b', isSecret: false }
    const bad = [
      { environment: [{ ...variable, name: 'A=B' }] },
      { environment: [variable, variable] },
      { environment: Array.from({ length: 51 }, (_, index) => ({ ...variable, name: `A${index}` })) },
      { args: Array.from({ length: 51 }, () => 'x') },
      { args: ['x'.repeat(4001)] },
      { command: '' },
    ]
    for (const more of bad)
      expect(await codeOf('POST', '/connections', { ...program, ...more })).toBe('request.invalid')
    expect(await codeOf('POST', '/connections', { ...program, args: ['a\u0000b'] })).toMatch(/^request\./)
  })
})
