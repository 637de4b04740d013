import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConnectError, createClient } from '@connectrpc/connect'
import { isThreadboxError } from '@threadbox/errors'
import { terminals } from '@threadbox/protocol/guest'
import { checkProperty, cutAnywhere, cuts, foreignJson } from '@threadbox/testkit/properties'
import { array, asyncProperty, constantFrom, oneof, tuple, uint8Array } from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAtMost } from './guest-transport.ts'
import { type HostClient, makeHostClient } from './host-client.ts'

type Given = { status: number; type: string; body: Uint8Array }

let directory: string
let host: HostClient
let given: Given
const server = createServer((request, response) => {
  request.resume()
  request.once('end', () => {
    response.writeHead(given.status, { 'content-type': given.type, 'content-length': given.body.length })
    response.end(given.body)
  })
})

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'threadbox-guest-'))
  const socketPath = join(directory, 'host.sock')
  server.listen(socketPath)
  await once(server, 'listening')
  host = makeHostClient({ socketPath, gatewaySocketPath: socketPath })
})
afterAll(async () => {
  await host.close()
  server.closeAllConnections()
  server.close()
  await rm(directory, { recursive: true })
})

const json = foreignJson(['code', 'message', 'details', 'error', 'metadata', 'terminals']).map((value) =>
  Buffer.from(JSON.stringify(value)),
)
const content = oneof(uint8Array({ maxLength: 60 }), json)
/** Connect’s envelopes: flags (2 is the end of the stream), the length, the message. */
const envelopes = array(tuple(constantFrom(0, 1, 2, 3, 128), content), { maxLength: 4 }).map((parts) =>
  Buffer.concat(
    parts.flatMap(([flags, message]) => {
      const head = Buffer.alloc(5)
      head[0] = flags
      head.writeUInt32BE(message.length, 1)
      return [head, message]
    }),
  ),
)
const types = constantFrom('application/proto', 'application/json', 'application/connect+proto', 'text/html', 'a')

test('any response of a guest to a call is messages or an error with a code, of limited length', () =>
  checkProperty(
    'connect-messages',
    asyncProperty(
      oneof(content, envelopes),
      types,
      constantFrom(200, 200, 200, 404, 500, 503),
      async (body, type, status) => {
        given = { body, type, status }
        const client = createClient(terminals.Terminals, host.transport({ sandboxId: 's1', bootId: 'b1' }))
        await client.listTerminals({}).catch(ignoreCoded)
        await all(client.followTerminal({ id: 'a' })).catch(ignoreCoded)
      },
    ),
    { runs: 100 },
  ))

test('of a response in any pieces, at most the limit is read', () =>
  checkProperty(
    'guest-responses-limited',
    asyncProperty(uint8Array({ maxLength: 200 }), cuts(), async (body, places) => {
      const whole = await readAtMost(streamOf([Buffer.from(body)]), 100)
      expect(await readAtMost(streamOf(cutAnywhere(body, places)), 100)).toEqual(whole)
      expect(whole.isCut).toBe(body.length > 100)
      expect(whole.text).toBe(Buffer.from(body.subarray(0, 100)).toString())
    }),
  ))

async function* streamOf(pieces: Buffer[]) {
  yield* pieces
}

async function all(messages: AsyncIterable<unknown>): Promise<void> {
  for await (const message of messages) expect(message).toBeDefined()
}

function ignoreCoded(error: unknown): void {
  if (error instanceof ConnectError) expect(error.rawMessage.length).toBeLessThanOrEqual(2001)
  else if (!isThreadboxError(error)) throw error
}
