import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { type TLSSocket, connect as tlsConnect } from 'node:tls'
import { endOf } from './recording-host.ts'
import { makeTranscript, type Transcript } from './transcript.ts'
import { Valve } from './valve.ts'

/** A connection of a sandbox. */
export type Client = {
  port: number
  valve: Valve
  tls: TLSSocket
  /** What came, without TLS. */
  got: Transcript
  /** Resolves after the handshake. */
  secured: Promise<unknown>
  /** Resolves when nothing more comes. */
  ended: Promise<unknown>
}

export type ClientOptions = {
  name: string
  address: string
  from: string
  /** PEM of the authorities that it trusts. */
  authorities: string[]
  protocol?: 'h2' | undefined
  /** Bytes that it sends; all, if not given. */
  allowed?: number | undefined
}

/** Connects as a sandbox does; TLS begins immediately. */
export async function openClient(options: ClientOptions): Promise<Client> {
  const socket = connect({ host: options.address, port: 443, localAddress: options.from })
  await once(socket, 'connect')
  const { localPort: port = 0 } = socket
  const valve = new Valve(socket, options.allowed === undefined ? {} : { allowed: options.allowed })
  const tls = tlsConnect({
    socket: valve,
    servername: options.name,
    ca: options.authorities,
    ALPNProtocols: [options.protocol ?? 'http/1.1'],
  })
  tls.on('error', () => undefined)
  const got = makeTranscript()
  const secured = once(tls, 'secureConnect')
  secured.catch(() => undefined)
  if (options.protocol !== 'h2') tls.on('data', (part: Buffer) => got.add(part.toString('latin1')))
  const ended = endOf(tls)
  return { port, valve, tls, got, secured, ended }
}

/** Sends one HTTP/2 request. */
export async function sendHttp2({ tls, got, secured }: Client, headers: Record<string, string>): Promise<void> {
  await secured
  const session = connectHttp2('https://host', { createConnection: () => tls })
  session.on('error', () => undefined)
  const stream = session.request(headers)
  stream.on('error', () => undefined)
  stream.on('response', (found) => got.add(JSON.stringify(found)))
  stream.on('data', (part: Buffer) => got.add(part.toString('latin1')))
}
