import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { keyScopes } from '@threadbox/domain'
import { freePort } from '../free-port/free-port.ts'
import { forgetLog, spawnProgram } from '../test-process/test-process.ts'

/** A real server process beside a test host: own port, own database, a signed-up owner, and the owner’s API key. */
export type TestServer = {
  /** The origin of app and API, by its name under `localhost`, as a browser opens it. */
  origin: string
  /** The same on the loopback address, for clients that do not resolve `*.localhost`. */
  loopbackOrigin: string
  port: number
  /** Has every scope. */
  apiKey: string
  /** Sends requests as the signed-in owner, who confirmed recently: for what no key can do. */
  asOwner: typeof fetch
  owner: { name: string; email: string; password: string }
  directory: string
  pid(): number
  log(): Promise<string>
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
  /** Restarts the server with the same data and port, and with the programs of this release; returns when it serves. */
  restart(release?: { programs: string | undefined }): Promise<void>
  close(): Promise<void>
}

/** The unused one-time token with which the first user signs up. */
export type OwnerToken = { token: string; file: string }

const startTimeoutMs = 60_000
const owner = { name: 'Test owner', email: 'owner@example.org', password: 'correct horse battery staple' }

/**
 * Starts a server. `host` gives installation, data directory and socket (`TestHost.environment`). With `signUp: false`
 * there is no user yet, and `ownerToken` is the token to sign up with.
 */
export async function startTestServer(options: {
  host: { installation: string; dataDirectory: string; environment: Record<string, string> }
  environment?: Record<string, string>
  signUp?: boolean
  /**
   * The number of snapshots kept with memory. None unless a test is about them: saving memory at the end of each turn
   * would delay all other tests’ next commands by half a second.
   */
  memorySnapshots?: number
  /** The bundled programs of another release, instead of this one’s. */
  programs?: string
  /** With the product’s own settings, also those that a person can change. */
  asInstalled?: boolean
}): Promise<TestServer & { ownerToken: OwnerToken }> {
  const port = await freePort()
  const directory = path.join(options.host.dataDirectory, `server-${randomBytes(3).toString('hex')}`)
  const logFile = path.join(directory, 'server.log')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const ownerToken = { token: randomBytes(24).toString('base64url'), file: path.join(directory, 'owner-token') }
  await writeFile(ownerToken.file, `${ownerToken.token}\n`, { mode: 0o600 })
  const environment = {
    PATH: process.env.PATH ?? '',
    ...options.host.environment,
    THREADBOX_PORT: String(port),
    THREADBOX_SERVER_DATA: directory,
    THREADBOX_OWNER_TOKEN_FILE: ownerToken.file,
    ...(options.asInstalled === true ? {} : { THREADBOX_LOG_LEVEL: 'debug' }),
    ...options.environment,
  }
  const loopbackOrigin = `http://127.0.0.1:${port}`
  let server: ChildProcess | undefined
  let { programs } = options
  const start = async (release = { programs }) => {
    programs = release.programs
    server = spawnProgram('server', { environment, logFile, programs })
    await untilReady({ server, loopbackOrigin, logFile })
  }
  const kill = async (signal: 'SIGKILL' | 'SIGTERM') => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
  }
  await start()
  const settings: Record<string, number> =
    options.asInstalled === true
      ? {}
      : { memorySnapshotsPerThread: options.memorySnapshots ?? 0, memorySnapshotQuietSeconds: 0 }
  const apiKey = options.signUp === false ? '' : await signUp({ loopbackOrigin, token: ownerToken.token, settings })
  return {
    origin: `http://app.${options.host.installation}.localhost:${port}`,
    loopbackOrigin,
    port,
    apiKey,
    owner,
    asOwner: ownerFetch({ loopbackOrigin }),
    ownerToken,
    directory,
    pid: () => server?.pid ?? 0,
    log: () => readFile(logFile, 'utf8'),
    kill,
    restart: start,
    close: async () => {
      await kill('SIGTERM')
      forgetLog(logFile)
    },
  }
}

async function untilReady(options: { server: ChildProcess; loopbackOrigin: string; logFile: string }): Promise<void> {
  const startedAt = Date.now()
  for (;;) {
    const answer = await fetch(`${options.loopbackOrigin}/api/v1/setup`).catch(() => undefined)
    await answer?.body?.cancel()
    if (answer?.ok) return
    if (options.server.exitCode !== null || Date.now() - startedAt > startTimeoutMs) {
      const log = await readFile(options.logFile, 'utf8').catch(() => '')
      throw new Error(`the server did not become ready:\n${log.slice(-4000)}`)
    }
    await delay(20)
  }
}

async function signUp(options: {
  loopbackOrigin: string
  token: string
  settings: Record<string, number>
}): Promise<string> {
  const send = async (method: string, order: { route: string; body: unknown; headers?: Record<string, string> }) => {
    const { route, body, headers = {} } = order
    const answer = await fetch(`${options.loopbackOrigin}/api/v1${route}`, {
      method,
      headers: { 'content-type': 'application/json', origin: options.loopbackOrigin, ...headers },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${method} ${route} answered ${answer.status}: ${await answer.text()}`)
    return answer
  }
  const signedUp = await send('POST', { route: '/auth/sign-up', body: { token: options.token, ...owner } })
  const cookie = signedUp.headers
    .getSetCookie()
    .map((header) => header.split(';')[0] ?? '')
    .join('; ')
  await signedUp.body?.cancel()
  const { settings } = options
  if (Object.keys(settings).length > 0) {
    const changed = await send('PATCH', { route: '/settings', body: { settings }, headers: { cookie } })
    await changed.body?.cancel()
  }
  const created = await send('POST', {
    route: '/api-keys',
    body: { name: 'tests', scopes: keyScopes, expiresInDays: null },
    headers: { cookie },
  })
  return ((await created.json()) as { secret: string }).secret
}

/** Less than the time for which a sign-in counts as a confirmation. */
const signedInMs = 5 * 60_000

/** Signs in again before the session is too old for what needs a confirmation, or when it is no longer accepted. */
function ownerFetch({ loopbackOrigin }: { loopbackOrigin: string }): typeof fetch {
  let session: { cookie: string; until: number } | undefined
  const signIn = async () => {
    const signedIn = await fetch(`${loopbackOrigin}/api/v1/auth/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: loopbackOrigin },
      body: JSON.stringify({ email: owner.email, password: owner.password }),
    })
    await signedIn.body?.cancel()
    if (!signedIn.ok) throw new Error(`the owner could not sign in: ${signedIn.status}`)
    const cookies = signedIn.headers.getSetCookie().map((header) => header.split(';')[0] ?? '')
    return { cookie: cookies.join('; '), until: Date.now() + signedInMs }
  }
  const send = async (input: Parameters<typeof fetch>[0], init: RequestInit | undefined, cookie: string) => {
    const headers = new Headers(init?.headers)
    headers.delete('authorization')
    headers.set('cookie', cookie)
    headers.set('origin', loopbackOrigin)
    return await fetch(input, { ...init, headers })
  }
  return async (input, init) => {
    if (session !== undefined && session.until > Date.now()) {
      const response = await send(input, init, session.cookie)
      if (response.status !== 401 && response.status !== 403) return response
      await response.body?.cancel()
    }
    session = await signIn()
    return await send(input, init, session.cookie)
  }
}
