import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'

/** The account that the visit creates. */
export const account = { name: 'Owner', email: 'owner@example.com', password: 'correct horse battery' }

export type Client = {
  /** Returns the one-time token of the sign-up link. */
  token(): string
  /** Makes a request to the API, as a browser with a session does. Throws for a response that isn’t a success. */
  call<Answer>(method: string, path: string, body?: unknown): Promise<Answer>
  /** Returns a page of the app’s address. */
  page(path: string): Promise<string>
}

/** Makes requests to the installation on this machine, under its own name. Uses nothing but Node. */
export function connect(options: { port: string; dataDirectory: string }): Client {
  const environment = readFileSync(join(options.dataDirectory, 'threadbox.env'), 'utf8')
  const origin = /^THREADBOX_ADDRESS=(.*)$/m.exec(environment)?.[1] ?? ''
  let cookie = ''
  const send = async (method: string, path: string, body?: unknown): Promise<string> => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const headers = { host: new URL(origin).host, origin, cookie, ...type }
    const sent = request({ method, host: '127.0.0.1', port: options.port, path, headers })
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    sent.once('error', reject)
    sent.once('response', async (response) => {
      const text = (await response.toArray()).join('')
      if ((response.statusCode ?? 500) >= 300)
        return reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`))
      cookie = response.headers['set-cookie']?.map((line) => line.split(';')[0]).join('; ') ?? cookie
      resolve(text)
    })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    return await promise
  }
  return {
    token: () => readFileSync(join(options.dataDirectory, 'server/owner-token'), 'utf8').trim(),
    call: async (method, path, body) => {
      const text = await send(method, `/api/v1${path}`, body)
      return text === '' ? undefined : JSON.parse(text)
    },
    page: async (path) => await send('GET', path),
  }
}
