import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Terminal, TerminalClientFrame, TerminalServerFrame, TerminalsView } from '@threadbox/protocol/public'
import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { makeFrontServer } from '../../front-server.ts'
import { type GuestTerminals, makeGuestTerminals } from './guest-terminals.test-utils.ts'

let host: HostStandIn
let inside: GuestTerminals
let server: TestApplication
let listener: Server
let owner: TestPerson
let threadId: string
const views: View[] = []
beforeEach(async () => {
  host = await startHostStandIn()
  inside = makeGuestTerminals()
  host.guestRoutes = inside.routes
  server = await makeTestApplication({ hostSocket: host.socketPath, undoMs: 0 })
  owner = await server.signUpOwner()
  threadId = (await server.areas.threads.threads.create(owner.userId, {})).id
  listener = makeFrontServer({ app: server.app, previews: server.previewServer, sockets: server.socketServer })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
})
afterEach(async () => {
  for (const view of views.splice(0)) view.socket.terminate()
  await server[Symbol.asyncDispose]()
  listener.closeAllConnections()
  listener.close()
  await host[Symbol.asyncDispose]()
})

const port = () => (listener.address() as AddressInfo).port
const origin = () => `http://127.0.0.1:${port()}`
const ask = async <Answer>(method: string, path = '', body?: unknown, person = owner) => {
  const response = await server.call(method, `/api/v1/threads/${threadId}/terminals${path}`, { body, person })
  const answer = response.status === 204 ? undefined : await response.json()
  return { status: response.status, body: answer as Answer }
}
const open = async (request = {}) => (await ask<Terminal>('POST', '', request)).body
const list = async () =>
  (await ask<TerminalsView>('GET')).body.terminals.map(({ title, status, exitCode }) =>
    [title, status, ...(exitCode === null ? [] : [exitCode])].join(' '),
  )

type View = {
  socket: WebSocket
  frames: TerminalServerFrame[]
  output: Buffer
  closed: number | undefined
  /** HTTP status of a rejected upgrade. */
  refused: number | undefined
  send(frame: TerminalClientFrame | string): void
}

function attach(
  id: string,
  options: { after?: number; headers?: Record<string, string>; path?: string; acks?: boolean } = {},
): View {
  const path = options.path ?? `/api/v1/threads/${threadId}/terminals/${id}/socket?after=${options.after ?? 0}`
  const socket = new WebSocket(`ws://127.0.0.1:${port()}${path}`, {
    headers: { ...owner.headers, origin: origin(), ...options.headers },
  })
  const view: View = {
    socket,
    frames: [],
    output: Buffer.alloc(0),
    closed: undefined,
    refused: undefined,
    send: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
  }
  let offset = 0
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      view.output = Buffer.concat([view.output, data])
      offset += data.length
      if (options.acks !== false) view.send({ type: 'ack', offset })
      return
    }
    const frame = JSON.parse(data.toString()) as TerminalServerFrame
    if (frame.type === 'start') offset = frame.offset
    view.frames.push(frame)
  })
  socket.on('unexpected-response', (request, response) => {
    view.refused = response.statusCode
    request.destroy()
  })
  socket.on('error', () => {})
  socket.on('close', (code) => {
    view.closed = code
  })
  views.push(view)
  return view
}
const statuses = (view: View) => view.frames.flatMap((frame) => (frame.type === 'status' ? [frame.status] : []))
const eventually = (check: () => void | Promise<void>, timeout = 8000) => vi.waitFor(check, { timeout, interval: 20 })
const shows = (view: View, text: string) => eventually(() => expect(view.output.toString()).toContain(text))
const pause = () => ask2('pause')
const ask2 = async (what: string) => {
  const response = await server.call('POST', `/api/v1/threads/${threadId}/sandbox/${what}`, { person: owner })
  expect(response.status, await response.clone().text()).toBeLessThan(300)
  if (what === 'pause') inside.cutFollowers()
}

describe('the terminals of a thread', () => {
  test('that cannot be opened are not listed afterwards', async () => {
    inside.fails = new ConnectError('no', Code.Unimplemented)
    expect(await ask('POST', '', {})).toMatchObject({ status: 501, body: { error: { code: 'terminal.unsupported' } } })
    inside.fails = new ConnectError('not a directory', Code.InvalidArgument)
    expect(await ask('POST', '', {})).toMatchObject({ status: 400, body: { error: { code: 'terminal.refused' } } })
    expect(await list()).toEqual([])
  })

  test('O3: the first one starts the sandbox; each has a title, which can be changed, and is closed with its shell', async () => {
    expect(host.starts).toEqual([])
    const first = await open({ cols: 100, rows: 30 })
    const second = await open()
    expect(host.starts).toHaveLength(1)
    expect(inside.shells.get(first.id)?.size).toEqual({ cols: 100, rows: 30 })
    expect(await list()).toEqual(['bash running', 'bash 2 running'])
    expect((await ask<Terminal>('PATCH', `/${first.id}`, { title: 'build' })).body.title).toBe('build')
    expect(await ask('DELETE', `/${second.id}`)).toMatchObject({ status: 204 })
    expect([...inside.shells.keys()]).toEqual([first.id])
    expect(await list()).toEqual(['build running'])
    expect((await ask('DELETE', `/${second.id}`)).status).toBe(404)
  })

  test('up to twenty', async () => {
    for (let count = 0; count < 20; count += 1) await open()
    expect(await ask('POST', '', {})).toMatchObject({
      status: 409,
      body: { error: { code: 'terminal.limit-reached' } },
    })
  })

  test('G8: a pause keeps them, a loss of memory loses them, and an end without a follower is found', async () => {
    await server.start()
    const { id } = await open()
    inside.end((await open()).id, 3)
    expect(await list()).toEqual(['bash running', 'bash 2 ended 3'])
    await pause()
    expect(await list()).toEqual(['bash suspended', 'bash 2 ended 3'])
    await ask2('wake')
    expect(await list()).toEqual(['bash running', 'bash 2 ended 3'])
    await ask2('restart')
    inside.newBoot()
    await eventually(async () => expect(await list()).toEqual(['bash lost', 'bash 2 ended 3']))
    const view = attach(id)
    await eventually(() => expect([statuses(view), view.closed]).toEqual([['lost'], 4000]))
  })
})

describe('a socket is refused', () => {
  const cases: [string, (id: string) => Parameters<typeof attach>[1], number][] = [
    ['without a session', () => ({ headers: { cookie: '' } }), 401],
    ['from another site', () => ({ headers: { origin: 'https://evil.example.com' } }), 403],
    ['from a preview', () => ({ headers: { origin: `http://8000-abc.test00.localhost:${port()}` } }), 403],
    ['from this name at another port', () => ({ headers: { origin: 'http://127.0.0.1:1' } }), 403],
    ['from a frame without an origin', () => ({ headers: { origin: 'null' } }), 403],
    ['under another name', () => ({ headers: { host: 'evil.example.com' } }), 403],
    ['for a terminal that does not exist', () => ({ path: `/api/v1/threads/${threadId}/terminals/y0/socket` }), 404],
    ['for a thread that does not exist', (id) => ({ path: `/api/v1/threads/t0/terminals/${id}/socket` }), 404],
    ['with an invalid offset', (id) => ({ path: `/api/v1/threads/${threadId}/terminals/${id}/socket?after=-1` }), 400],
  ]
  test.each(cases)('O12: %s', async (_title, options, status) => {
    const { id } = await open()
    const view = attach(id, options(id))
    await eventually(() => expect(view.refused).toBe(status))
  })

  test('O12: of someone else’s terminal', async () => {
    const { id } = await open()
    const other = await server.addPerson('other')
    const view = attach(id, { headers: other.headers })
    await eventually(() => expect(view.refused).toBe(404))
  })

  test('and a plain request to its URL says what it is for', async () => {
    const { id } = await open()
    expect(await ask('GET', `/${id}/socket`)).toMatchObject({
      status: 400,
      body: { error: { code: 'terminal.socket-only' } },
    })
  })
})

test('O12: a view is cut within 5 s of a sign-out, and of the end of an API key', async () => {
  const { id } = await open()
  const created = await server.call('POST', '/api/v1/api-keys', { body: { name: 'key' }, person: owner })
  const key = (await created.json()) as { id: string; secret: string }
  const byKey = attach(id, { headers: { cookie: '', origin: origin(), authorization: `Bearer ${key.secret}` } })
  const bySession = attach(id)
  await eventually(() => expect([byKey, bySession].map(({ frames }) => frames.length > 1)).toEqual([true, true]))
  await server.call('DELETE', `/api/v1/api-keys/${key.id}`, { person: owner })
  await eventually(() => expect(byKey.closed).toBe(4001), 5000)
  expect(bySession.closed).toBeUndefined()
  await server.call('POST', '/api/v1/auth/sign-out', { person: owner })
  await eventually(() => expect(bySession.closed).toBe(4001), 5000)
}, 20_000)

test('G8: every view shows the output, input arrives in order, and a size is passed on', async () => {
  const { id } = await open()
  const [one, two] = [attach(id), attach(id)]
  inside.print(id, 'hello ✓\r\n')
  await shows(one, 'hello ✓')
  await shows(two, 'hello ✓')
  for (const letter of 'abcdefghij') one.send({ type: 'input', data: letter })
  one.send({ type: 'report', data: '\x1b[I' })
  one.send({ type: 'resize', cols: 120, rows: 40 })
  await eventually(() =>
    expect(inside.shells.get(id)).toMatchObject({ input: 'abcdefghij\x1b[I', size: { cols: 120, rows: 40 } }),
  )
})

test('G8: a view that reconnects gets only what it has not seen, and a new one gets the modes, too', async () => {
  inside.modes = '\x1b[?1049h'
  const { id } = await open()
  inside.print(id, 'first second')
  const back = attach(id, { after: 6 })
  await shows(back, 'second')
  expect(back.output.toString()).toBe('second')
  expect(back.frames).toContainEqual({
    type: 'start',
    offset: 6,
    liveFrom: 12,
    isReset: false,
    modes: '',
    cols: 0,
    rows: 0,
  })
  const fresh = attach(id)
  await shows(fresh, 'first second')
  expect(fresh.frames).toContainEqual(expect.objectContaining({ type: 'start', isReset: true, modes: '\x1b[?1049h' }))
})

test('G8: the end of a shell comes after its last output, with its code', async () => {
  const { id } = await open()
  const view = attach(id)
  inside.print(id, 'bye')
  inside.end(id, 7)
  await eventually(() => expect(view.closed).toBe(4000))
  expect(view.output.toString()).toBe('bye')
  expect(view.frames.at(-1)).toEqual({ type: 'status', status: 'ended', exitCode: 7 })
  expect(await list()).toEqual(['bash ended 7'])
})

test('O3: attaching wakes nothing; typing wakes a paused sandbox, and no input or output is lost', async () => {
  await server.start()
  const { id } = await open()
  inside.print(id, 'before ')
  const view = attach(id)
  await shows(view, 'before')
  await pause()
  await eventually(() => expect(statuses(view).at(-1)).toBe('suspended'))
  const late = attach(id)
  await eventually(() => expect(statuses(late)).toEqual(['suspended']))
  expect(host.orders.filter(({ order }) => order === 'wake')).toEqual([])
  view.send({ type: 'resize', cols: 10, rows: 10 })
  view.send({ type: 'report', data: '\x1b[I' })
  view.send({ type: 'input', data: 'ls' })
  view.send({ type: 'input', data: '\r' })
  await eventually(() => expect(inside.shells.get(id)?.input).toBe('ls\r'))
  expect(host.orders.filter(({ order }) => order === 'wake')).toHaveLength(1)
  await eventually(() => expect(statuses(view).at(-1)).toBe('running'))
  inside.print(id, 'after')
  await shows(view, 'after')
  expect(view.output.toString()).toBe('before after')
  await shows(late, 'before after')
}, 20_000)

test('a failed wake is reported, and the view stays open', async () => {
  await server.start()
  const { id } = await open()
  const view = attach(id)
  await eventually(() => expect(statuses(view)).toEqual(['running']))
  await pause()
  await eventually(() => expect(statuses(view).at(-1)).toBe('suspended'))
  host.fail('wake', { code: 'host.broken', kind: 'internal' })
  view.send({ type: 'wake' })
  await eventually(() => expect(view.frames.at(-1)).toMatchObject({ type: 'error', error: { code: 'host.broken' } }))
  expect(view.closed).toBeUndefined()
}, 20_000)

test('G8: a view that draws nothing gets no more than half a mebibyte until it has drawn', async () => {
  const { id } = await open()
  inside.print(id, Buffer.alloc(8 * 1024 * 1024, 'x'))
  const view = attach(id, { acks: false })
  await eventually(() => expect(view.output.length).toBeGreaterThan(512 * 1024))
  const before = view.output.length
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(view.output.length).toBe(before)
  expect(before).toBeLessThan(640 * 1024)
  view.send({ type: 'ack', offset: before })
  await eventually(() => expect(view.output.length).toBeGreaterThan(before))
})

test('C9: a guest that begins again and again gets a new stream for each, and a view no more than they contain', async () => {
  const { id } = await open()
  inside.modes = 'm'.repeat(512 * 1024)
  inside.repeats = 'begin'
  const view = attach(id)
  await eventually(() => expect(view.frames.some(({ type }) => type === 'start')).toBe(true))
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(view.frames.filter(({ type }) => type === 'start').length).toBeLessThan(4)
  expect(JSON.stringify(view.frames).length).toBeLessThan(4 * 70_000)
  inside.repeats = undefined
  inside.print(id, 'fine again')
  await eventually(() => expect(view.output.toString()).toContain('fine again'))
})

test('invalid messages end the view', async () => {
  const { id } = await open()
  for (const message of [
    '{',
    '[]',
    '{"type":"input"}',
    '{"type":"input","data":""}',
    '{"type":"resize","cols":0,"rows":1}',
  ]) {
    const view = attach(id)
    await once(view.socket, 'open')
    view.send(message)
    await eventually(() => expect(view.closed).toBe(1003))
    expect(view.frames.at(-1)).toMatchObject({ type: 'error', error: { code: 'terminal.frame-invalid' } })
  }
})

test('a terminal that is closed in another view closes its views', async () => {
  const { id } = await open()
  const view = attach(id)
  await eventually(() => expect(view.frames.length).toBeGreaterThan(1))
  await ask('DELETE', `/${id}`)
  inside.cutFollowers()
  await eventually(() => expect(view.closed).toBe(4004))
})
