import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type ClientHttp2Session, connect } from 'node:http2'
import { Agent, request as startRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { process as protocol } from '@threadbox/protocol/guest'
import { messages } from './calls.ts'

/** Clients that run in a sandbox: `node-clients.js CLIENT`, with the host and the credential in the environment. */
const { HOST: host = '', TOKEN: token = '' } = process.env
const origin = `https://${host}`
const headers = { authorization: `Bearer ${token}` }
const streams = 100

const clients: Record<string, () => Promise<void>> = {
  fetch: async () => {
    const body = Buffer.alloc(300_000, 'fetch')
    const parts = () => ReadableStream.from([body.subarray(0, 10), body.subarray(10)])
    for (const more of [{ body }, { body: parts(), duplex: 'half' as const }]) {
      for (const query of ['', '?chunked', '?status=418']) {
        const sent = more.body === body ? more : { ...more, body: parts() }
        const response = await fetch(`${origin}/fetch/echo${query}`, { method: 'POST', headers, ...sent })
        console.log(response.status, response.headers.get('x-received'), sha256(await response.bytes()))
      }
    }
    console.log((await fetch(`${origin}/fetch/echo?status=204`, { headers })).status)
  },
  /** 100 streams of one connection, which get their responses when the host has all of them. */
  streams: async () => {
    const session = connect(origin)
    const responses = Array.from({ length: streams }, async (_, number) => {
      const stream = session.request({ ':path': `/streams/together?of=${streams}&number=${number}`, ...headers })
      return await text(stream)
    })
    console.log((await Promise.all(responses)).join(' '))
    session.close()
  },
  grpc: async () => {
    const client = createClient(protocol.Process, createGrpcTransport({ baseUrl: origin }))
    const options = {
      headers,
      onHeader: (found: Headers) => console.log('header', found.get('in-header')),
      onTrailer: (found: Headers) => console.log('trailer', found.get('in-trailer'), found.get('grpc-status')),
    }
    const { processes } = await client.list({}, options)
    console.log(processes.map(({ pid, tag = '' }) => [pid, tag.length]))
    for await (const { event } of client.start({}, options)) console.log(event?.event.value)
    const inputs = async function* () {
      for (let sent = 0; sent < messages; sent++) yield { event: { case: 'keepalive' as const, value: {} } }
    }
    console.log(await client.streamInput(inputs(), options))
    const error = ConnectError.from(await client.sendSignal({}, options).catch((failure: unknown) => failure))
    console.log(Code[error.code], error.rawMessage, error.metadata.get('in-trailer'))
  },
  /** Asks over two connections again and again, and keeps a stream open, until the file `stop` exists. */
  untilRevoked: async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const overHttp1 = () =>
      new Promise((resolve) => {
        const request = startRequest(`${origin}/kept1/echo`, { agent, headers })
        request.once('error', (error) => resolve(error.message))
        request.once('response', (response) => response.resume().once('close', () => resolve(response.statusCode)))
        request.end()
      })
    let session = connectQuietly()
    const overHttp2 = () =>
      new Promise((resolve) => {
        if (session.destroyed || session.closed) session = connectQuietly()
        const stream = session.request({ ':path': '/kept2/echo', ...headers })
        stream.once('error', (error) => resolve(error.message))
        stream.once('response', (head) => resolve(head[':status']))
        stream.once('close', () => resolve('closed')).resume()
      })
    const events = connectQuietly().request({ ':path': '/kept/events?count=2&everyMs=0', ...headers })
    events.on('error', () => undefined).once('close', () => console.log(Date.now(), 'the stream has ended'))
    events.resume()
    for (const ask of [overHttp1, overHttp2]) void askAgain(ask)
    while (!existsSync('stop')) await delay(pauseMs)
    process.exit()
  },
}
const pauseMs = 20

/** Errors are those of the requests. */
function connectQuietly(): ClientHttp2Session {
  return connect(origin).on('error', () => undefined)
}

async function askAgain(ask: () => Promise<unknown>): Promise<never> {
  for (;;) {
    console.log(Date.now(), ask.name, await ask())
    await delay(pauseMs)
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

void clients[process.argv[2] ?? '']?.()
