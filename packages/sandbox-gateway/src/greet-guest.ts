import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import {
  accessTokenHeader,
  type GuestHello,
  type GuestInit,
  guestHelloSchema,
  guestPort,
} from '@threadbox/protocol/guest'

/** Time between two attempts to reach a guest that is just starting: nothing signals that it listens. */
const retryMs = 5
/** A guest that listens responds within milliseconds, within a second on an overloaded machine. */
const answerTimeoutMs = 5000

/**
 * The handshake with a guest: waits until it listens, sets its access token and sends its settings. Stops when `signal`
 * is aborted, with the signal's reason; a response other than 200 is an error immediately.
 */
export async function greetGuest(options: {
  address: string
  init: GuestInit
  /** The guest's current token, if it differs from the one to set. */
  presentedToken?: string | undefined
  signal: AbortSignal
}): Promise<GuestHello> {
  const body = JSON.stringify(options.init)
  for (;;) {
    options.signal.throwIfAborted()
    const answer = await ask({ ...options, body }).catch((error: NodeJS.ErrnoException) => {
      options.signal.throwIfAborted()
      if (!notYet.has(error.code ?? '')) throw error
      return undefined
    })
    if (answer === undefined) await delay(retryMs)
    else return guestHelloSchema.parse(JSON.parse(answer))
  }
}

/** Errors of a connection to a guest that does not listen yet. */
const notYet = new Set(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EPIPE'])

async function ask(options: {
  address: string
  init: GuestInit
  presentedToken?: string | undefined
  body: string
  signal: AbortSignal
}): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const request = httpRequest({
    host: options.address,
    port: guestPort,
    method: 'POST',
    path: '/init',
    agent: new Agent({ keepAlive: false }),
    signal: options.signal,
    timeout: answerTimeoutMs,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(options.body),
      // After the first handshake the guest requires the token; it is not always known whether an earlier attempt
      // arrived.
      [accessTokenHeader]: options.presentedToken ?? options.init.accessToken,
    },
  })
  request.once('timeout', () => request.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })))
  request.once('error', reject)
  request.once('response', (response) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      // The hello is under 200 bytes; the guest is not trusted to respect that.
      if (text.length < 65_536) text += chunk
    })
    response.once('error', reject)
    response.once('end', () => {
      if (response.statusCode === 200) resolve(text)
      else reject(new Error(`it answered ${response.statusCode}: ${text.slice(0, 200)}`))
    })
  })
  request.end(options.body)
  return await promise
}
