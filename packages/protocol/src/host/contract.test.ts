import { defineError, httpStatusOf, toWireError } from '@threadbox/errors'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { type HostApi, hostContract, hostPaths } from './contract.ts'
import { type ApiOf, bytes, call, field, nothing } from './contract-call.ts'
import { makeHostApi, type SendHostRequest } from './contract-client.ts'
import { serveHostApi } from './contract-server.ts'
import type { PausedSandbox } from './sandboxes.ts'

const thing = z.object({ size: z.number() })
const contract = {
  find: call('GET', '/v1/sandboxes/:sandboxId/:name', { response: thing, allowMissing: true }),
  search: call('GET', '/v1/search', {
    query: z.object({ text: z.string(), all: z.stringbool().optional() }),
    response: field('found', z.array(thing)),
  }),
  start: call('POST', '/v1/sandboxes/:sandboxId/start', {
    body: z.object({ bootId: z.string(), note: z.string().default('none') }),
    ids: { bootId: 'boot' },
    hasBootHeader: true,
    response: thing,
  }),
  store: call('PUT', '/v1/things/:name', { sends: 'bytes', response: nothing }),
  receive: call('PUT', '/v1/disks/:name', { order: thing, sends: 'stream', response: thing }),
  send: call('GET', '/v1/disks/:name', { response: bytes('application/zstd') }),
  events: call('GET', '/v1/events', { response: { line: thing } }),
} as const

type Api = ApiOf<typeof contract>

const noThing = defineError({
  code: 'thing.not-found',
  kind: 'not-found',
  message: () => 'None.',
  remedy: () => 'None.',
})
const sandboxId = `s${'0'.repeat(20)}`
const bootId = `b${'0'.repeat(20)}`

/** A client over a server in this process. Records every request sent. */
function connect(api: Partial<Api>) {
  const unused = () => {
    throw new TypeError('not part of this test')
  }
  const whole = Object.fromEntries(Object.keys(contract).map((name) => [name, unused])) as unknown as Api
  const serve = serveHostApi(contract, { ...whole, ...api })
  const sent: { line: string; headers: Record<string, string>; body: unknown }[] = []
  const answer = async (request: Request) => {
    try {
      return (await serve(request)) ?? new Response('nothing here', { status: 404 })
    } catch (error) {
      return Response.json(toWireError(error), { status: httpStatusOf(error) })
    }
  }
  const send: SendHostRequest = async ({ method, path, headers, body, signal }) => {
    sent.push({ line: `${method} ${path}`, headers, body: typeof body === 'string' ? JSON.parse(body) : body })
    const init = {
      method,
      headers,
      body: body as NonNullable<RequestInit['body']> | undefined,
      signal: signal ?? null,
      duplex: 'half',
    }
    return await answer(new Request(`http://host${path}`, init as RequestInit))
  }
  return { client: makeHostApi(contract, send), answer, sent, send }
}

const codeOf = async (work: Promise<unknown>) =>
  await work.then(
    () => undefined,
    (error: { code?: string; details?: { problem?: string } }) => [error.code, error.details?.problem],
  )

test('an order that cannot be parsed is rejected before it is executed', async () => {
  const { client, answer } = connect({})
  const invalid = 'host.request-invalid'
  expect(await codeOf(client.find('no-id', 'a'))).toEqual([invalid, 'the path has no valid sandbox ID'])
  expect(await codeOf(client.start(sandboxId, { bootId: 'x', note: '' }))).toEqual([
    invalid,
    'bootId is not a valid boot ID',
  ])
  expect(await codeOf(client.start(sandboxId, {} as never))).toMatchObject([invalid, expect.stringContaining('bootId')])
  const noJson = new Request(`http://host/v1/sandboxes/${sandboxId}/start`, { method: 'POST', body: '{' })
  expect(await (await answer(noJson)).json()).toMatchObject({
    error: { details: { problem: 'the body is not valid JSON' } },
  })
})

test('an error that the host throws is thrown by the client; for something missing, the result can be undefined', async () => {
  const { client } = connect({
    find: () => Promise.reject(noThing({})),
    search: () => Promise.reject(noThing({})),
  })
  expect(await client.find(sandboxId, 'a')).toBeUndefined()
  await expect(client.search({ text: '' })).rejects.toMatchObject({ code: 'thing.not-found', kind: 'not-found' })
})

test('a response that is neither an error nor a value of the call is rejected as unknown', async () => {
  const answers = [new Response('no JSON', { status: 502 }), Response.json({ size: 'large' }), new Response('{')]
  const client = makeHostApi(contract, async () => answers.shift() ?? new Response())
  for (const status of [502, 200, 200]) {
    const answer = client.find(sandboxId, 'a')
    await expect(answer).rejects.toMatchObject({ code: 'host.answer-unknown', details: { status } })
  }
})

test('ids, query, body, bytes and values arrive unchanged', async () => {
  const given: unknown[] = []
  const { client, sent } = connect({
    find: async (...all) => ({ size: given.push(all) }),
    search: async (...all) => [{ size: given.push(all) }],
    start: async (...all) => ({ size: given.push(all) }),
    store: async (...all) => void given.push(all),
  })
  expect(await client.find(sandboxId, 'a/b c')).toEqual({ size: 1 })
  expect(await client.search({ text: 'a b&c', all: false })).toEqual([{ size: 2 }])
  expect(await client.start(sandboxId, { bootId, note: 'x' })).toEqual({ size: 3 })
  expect(await client.store('one', new Uint8Array([0, 255]))).toBeUndefined()
  expect(given).toEqual([
    [sandboxId, 'a/b c'],
    [{ text: 'a b&c' }],
    [sandboxId, { bootId, note: 'x' }],
    ['one', new Uint8Array([0, 255])],
  ])
  expect(sent.map(({ line }) => line).slice(0, 2)).toEqual([
    `GET /v1/sandboxes/${sandboxId}/a%2Fb%20c`,
    'GET /v1/search?text=a%20b%26c',
  ])
  expect(sent[2]).toMatchObject({ headers: { 'threadbox-boot': bootId }, body: { bootId, note: 'x' } })
})

test('streams work in both directions, and a rejected one is read to its end', async () => {
  const parts = ['one', 'two', 'three']
  let taken = 0
  const streamOf = () =>
    ReadableStream.from(
      (function* () {
        for (const part of parts) {
          taken += 1
          yield new TextEncoder().encode(part)
        }
      })(),
    ) as ReadableStream<Uint8Array>
  const { client } = connect({
    send: async () => streamOf(),
    receive: async (name, order, stream) => {
      if (name === 'refused') throw noThing({})
      return { size: order.size + (await new Response(stream).text()).length }
    },
  })
  expect(await new Response(await client.send('a')).text()).toBe('onetwothree')
  expect(await client.receive('a', { size: 100 }, streamOf())).toEqual({ size: 111 })
  taken = 0
  await expect(client.receive('refused', { size: 1 }, streamOf())).rejects.toMatchObject({ code: 'thing.not-found' })
  expect(taken).toBe(3)
})

test('lines arrive as they are sent, unknown ones are skipped, and the host notices that a caller stops listening', async () => {
  const ended = Promise.withResolvers<void>()
  const next = Promise.withResolvers<void>()
  const { client } = connect({
    events: async function* (signal) {
      signal.addEventListener('abort', () => ended.resolve())
      yield { size: 1 }
      yield { newer: true } as never
      await next.promise
      yield { size: 2 }
      await ended.promise
    },
  })
  const stop = new AbortController()
  const seen: unknown[] = []
  for await (const event of client.events(stop.signal)) {
    seen.push(event)
    next.resolve()
    if (seen.length === 2) break
  }
  stop.abort()
  await ended.promise
  expect(seen).toEqual([{ size: 1 }, { size: 2 }])
})

test('the host has 37 calls, each with its own method and path', () => {
  const places = Object.values(hostContract).map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ':id')}`)
  expect(new Set(places).size).toBe(37)
  expect(hostPaths.removeSnapshotMemory('s1', 'd1')).toBe('/v1/sandboxes/s1/snapshots/d1/memory')
  expect(hostPaths.info()).toBe('/v1/host')
})

test('a call is typed by its row', () => {
  expectTypeOf<HostApi['pause']>().toEqualTypeOf<
    (id: string, order: { bootId: string; hashKey?: string | undefined }) => Promise<PausedSandbox>
  >()
  expectTypeOf<HostApi['removeSnapshot']>().parameters.toEqualTypeOf<[string, string]>()
})
