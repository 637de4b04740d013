import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect, type Socket } from 'node:net'
import { json } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { freePort } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AppWithoutHost, startServerWithoutHost } from './app-without-host.ts'
import { startProxy } from './reverse-proxies.ts'

const domain = 'box.localhost'
/** The only trusted proxy. nginx connects from it, so a request straight to the server comes from an untrusted peer. */
const proxyAddress = '127.0.0.9'
const perNetwork = 30
const perAccount = 10

const cleanup = new AsyncDisposableStack()
let server: AppWithoutHost['server']
let port: number
/** Here nginx takes the client’s address from the connection’s first line, so that clients can have any. */
let anyAddressPort: number
beforeAll(async () => {
  port = await freePort()
  anyAddressPort = await freePort()
  const started = await startServerWithoutHost({
    environment: {
      THREADBOX_BASE_DOMAIN: domain,
      THREADBOX_PUBLIC_URL: `https://app.${domain}:${port}`,
      THREADBOX_TRUSTED_PROXIES: proxyAddress,
    },
  })
  server = cleanup.use(started).server
  const serverLines = `
    listen 127.0.0.1:${anyAddressPort} ssl proxy_protocol;
    set_real_ip_from 127.0.0.1;
    real_ip_header proxy_protocol;
    proxy_bind ${proxyAddress};`
  cleanup.use(await startProxy('nginx', { domain, port, target: server.port, serverLines }))
})
afterAll(() => cleanup.disposeAsync())

type Signing = { as?: string; password?: string; cookie?: string; forged?: string }
/** `address`: where the client is. `direct`: it connects to the server, past nginx. */
type Client = { address: string } | 'direct'

async function signIn(client: Client, { as, password = 'a guess', cookie, forged }: Signing = {}) {
  const { email } = server.owner
  const origin = client === 'direct' ? server.loopbackOrigin : `https://app.${domain}:${port}`
  const options = {
    method: 'POST',
    path: '/api/v1/auth/sign-in',
    agent: false,
    headers: {
      host: new URL(origin).host,
      origin,
      'content-type': 'application/json',
      ...(cookie !== undefined && { cookie }),
      ...(forged !== undefined && { 'x-forwarded-for': forged }),
    },
  } as const
  const request =
    client === 'direct'
      ? httpRequest({ ...options, host: '127.0.0.1', port: server.port })
      : httpsRequest({ ...options, rejectUnauthorized: false, ...(await wayOf(client.address)) })
  request.end(JSON.stringify({ email: as ?? email, password }))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const body = (await json(response)) as { error?: { code: string } }
  const cookies = (response.headers['set-cookie'] ?? []).map((value) => value.split(';')[0] ?? '')
  const device = cookies.find((value) => value.includes('threadbox-device-'))
  return { status: response.statusCode, code: body.error?.code, device }
}

/** A loopback address is the connection’s own; others are in its first line (PROXY protocol, as load balancers send). */
async function wayOf(address: string) {
  if (address.startsWith('127.')) return { host: '127.0.0.1', port, localAddress: address }
  const socket: Socket = connect({ host: '127.0.0.1', port: anyAddressPort })
  await once(socket, 'connect')
  socket.write(`PROXY TCP6 ${address} ::1 40000 443\r\n`)
  return {
    agent: undefined,
    createConnection: () => connectTls({ socket, servername: `app.${domain}`, rejectUnauthorized: false }),
  }
}

let people = 0
/** Guesses at accounts that don’t exist, each at another one, and returns the statuses. */
async function guess(count: number, clientOf: (index: number) => Client, forged?: (index: number) => string) {
  const statuses: (number | undefined)[] = []
  for (let index = 0; index < count; index += 1) {
    people += 1
    const signing = { as: `person${people}@example.com`, ...(forged && { forged: forged(index) }) }
    statuses.push((await signIn(clientOf(index), signing)).status)
  }
  return statuses
}
const at = (address: string) => () => ({ address })
const guesses = (statuses: readonly unknown[]) => statuses.map((status) => (status === 401 ? 'counted' : status))
const counted = Array.from({ length: perNetwork }, () => 'counted')

test('three clients are counted separately, whatever they write into the header, also after a restart', async () => {
  expect(guesses(await guess(perNetwork + 1, at('127.0.0.2')))).toEqual([...counted, 429])
  expect(await guess(3, at('127.0.0.2'), (index) => `198.51.100.${index}`)).toEqual([429, 429, 429])
  expect([...(await guess(1, at('127.0.0.3'))), ...(await guess(1, at('127.0.0.4')))]).toEqual([401, 401])
  await server.kill('SIGKILL')
  await server.restart()
  expect(await guess(1, at('127.0.0.2'))).toEqual([429])
  expect(guesses(await guess(perNetwork, at('127.0.0.3')))).toEqual([...counted.slice(1), 429])
})

test('the header of an untrusted peer is ignored', async () => {
  const statuses = await guess(
    perNetwork + 1,
    () => 'direct',
    (index) => `203.0.113.${index}`,
  )
  expect(guesses(statuses)).toEqual([...counted, 429])
})

test('IPv6 clients are counted by /64', async () => {
  const statuses = await guess(perNetwork + 1, (index) => ({ address: `2001:db8::${(index + 1).toString(16)}` }))
  expect(guesses(statuses)).toEqual([...counted, 429])
  expect(await guess(1, at('2001:db8:0:1::1'))).toEqual([401])
})

test('a guesser who signs in to an own account keeps the count of guesses at others', async () => {
  const { password } = server.owner
  const address = '127.0.0.5'
  const statuses: (number | undefined)[] = []
  for (let round = 0; round < 3; round += 1) {
    statuses.push(...(await guess(perNetwork / 3, at(address))))
    if (round < 2) expect(await signIn({ address }, { password })).toMatchObject({ status: 200 })
  }
  expect(guesses(statuses)).toEqual(counted)
  expect(await guess(1, at(address))).toEqual([429])
})

test('a guesser locks out other devices of an account, but not one that was signed in', async () => {
  const { password } = server.owner
  const { device } = await signIn({ address: '127.0.0.6' }, { password })
  expect(device).toMatch(/^__Host-threadbox-device-/)
  const statuses: (number | undefined)[] = []
  for (let index = 0; index <= perAccount; index += 1) {
    statuses.push((await signIn({ address: `127.0.1.${index + 1}` })).status)
  }
  expect(guesses(statuses)).toEqual([...counted.slice(0, perAccount), 429])
  expect(await signIn({ address: '127.0.0.7' }, { password })).toMatchObject({ code: 'auth.too-many-attempts' })
  expect(await signIn({ address: '127.0.0.7' }, { password, cookie: device ?? '' })).toMatchObject({ status: 200 })
})
