import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import { runs } from '@threadbox/protocol/guest'
import { expect, test } from 'vitest'
import { makeHostClient } from '../../sandboxes/host/host-client.ts'
import { guestMessageLimits } from '../../sandboxes/public.ts'
import { type ExecutionDisplay, type FollowOptions, followExecution } from './follow-run.ts'
import type { ToolContext } from './tool.ts'

type Event = Parameters<typeof create<typeof runs.ReadResponseSchema>>[1]

function envelope(content: Uint8Array, flags = 0): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(flags)
  head.writeUInt32BE(content.length, 1)
  return Buffer.concat([head, content])
}

/** A guest whose `Read` responds with these events, from the requested result on. */
async function followFrom(
  eventsFrom: (display: number) => Event[],
  start: FollowOptions['start'] = { case: 'startCell', value: { code: 'x' } },
) {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-follow-'))
  const stop = Promise.withResolvers<string>()
  const marks: unknown[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    if (request.url?.endsWith('/Stop')) stop.resolve('/Stop')
    if (!request.url?.endsWith('/Read')) return response.writeHead(200, { 'content-type': 'application/proto' }).end()
    marks.push(request.headers['threadbox-cell'])
    const { display } = fromBinary(runs.ReadRequestSchema, body.subarray(5))
    const messages = eventsFrom(display).map((event) =>
      envelope(toBinary(runs.ReadResponseSchema, create(runs.ReadResponseSchema, event))),
    )
    response.writeHead(200, { 'content-type': 'application/connect+proto' })
    return response.end(Buffer.concat([...messages, envelope(Buffer.from('{}'), 2)]))
  })
  const socketPath = join(directory, 'host.sock')
  server.listen(socketPath)
  await once(server, 'listening')
  const host = makeHostClient({ socketPath, gatewaySocketPath: socketPath })
  const target = { sandboxId: 's1', bootId: 'b1' }
  const sandbox = { ...target, runs: createClient(runs.Runs, host.transport(target, guestMessageLimits.run)) }
  const recorder = {
    acknowledgeTo: () => undefined,
    flush: async () => undefined,
    write: async () => undefined,
    tail: () => ({ tail: '', tailOffset: 0, sizeBytes: 0 }),
  }
  const signal = new AbortController().signal
  const call = { id: 'call', displays: 0 }
  const where = { sandbox, reawake: async () => sandbox, how: 'start', isBelievedReady: false }
  const context = { call, recorder, ...where, signal, leave: signal, nowMs: Date.now } as unknown as ToolContext
  const displays: ExecutionDisplay[] = []
  try {
    const end = await followExecution(context, {
      start,
      onDisplay: async (display) => void displays.push(display),
    })
    return { end, displays, marks }
  } catch (error) {
    return { error, displays, stopped: await stop.promise }
  } finally {
    await host.close()
    server.closeAllConnections()
    server.close()
    await rm(directory, { recursive: true })
  }
}

const display = (index: number, bundleJson = '{}'): Event => ({
  event: { case: 'display', value: { index, bundleJson } },
})
const tooLarge = 'x'.repeat(guestMessageLimits.run)
const ended: Event = { event: { case: 'ended', value: { exitCode: 0 } } }

test('C9: a run that sends a larger message than is read is stopped, and the call says why', async () => {
  const { error, displays, stopped } = await followFrom((from) => [display(from, tooLarge), ended])
  expect(error).toMatchObject({ code: 'guest.response-too-large', details: { limitMebibytes: 16 } })
  expect(displays).toEqual([])
  expect(stopped).toBe('/Stop')
})

test('a run with large results below the limit is read to its end', async () => {
  const large = 'x'.repeat(15 * 1024 * 1024)
  const { end, displays } = await followFrom((from) => [display(from), display(from + 1, large), ended])
  expect(end).toMatchObject({ kind: 'ended', ended: { exitCode: 0 } })
  expect(displays).toMatchObject([{ index: 0 }, { index: 1, bundleJson: large }])
})

test('a request that starts a cell says so to the gateway, which can’t read its body, and one that starts a command doesn’t', async () => {
  expect((await followFrom(() => [ended])).marks).toEqual(['1'])
  const command = { case: 'startCommand', value: { command: 'true' } } as const
  expect((await followFrom(() => [ended], command)).marks).toEqual([undefined])
})
