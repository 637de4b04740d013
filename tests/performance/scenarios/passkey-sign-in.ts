import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { NewPasskeyRequest, PasskeyRequest } from '@threadbox/protocol/public'
import { startTestServer } from '@threadbox/testkit'
import { newTestPasskey } from '../../../apps/server/src/people/passkeys/test-passkey.test-utils.ts'
import { emptyFigure, type Figure, timed } from '../figure.ts'
import type { Stage } from '../stage.ts'

/** Signing in with a passkey, without the time of the person and their device: the two requests. */
export async function passkeySignIn(stage: Pick<Stage, 'rounds'>): Promise<Figure[]> {
  await using cleanup = new AsyncDisposableStack()
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-bench-'))
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  const environment = {
    THREADBOX_INSTALLATION: 'bench0',
    THREADBOX_DATA: directory,
    THREADBOX_HOST_SOCKET: path.join(directory, 'host.sock'),
    THREADBOX_GATEWAY_SOCKET: path.join(directory, 'gateway.sock'),
  }
  const server = await startTestServer({
    host: { installation: 'bench0', dataDirectory: directory, environment },
    asInstalled: true,
  })
  cleanup.defer(() => server.close())
  const origin = `http://localhost:${server.port}`
  const { email, password } = server.owner
  const signedIn = await send(origin, { path: '/auth/sign-in', body: { email, password } })
  const asked = await send<NewPasskeyRequest>(origin, { path: '/passkeys/request', cookie: signedIn.cookie })
  const key = newTestPasskey()
  const registration = key.create(asked.answer, { origin })
  const cookie = `${signedIn.cookie}; ${asked.cookie}`
  await send(origin, { path: '/passkeys', cookie, body: { name: 'Bench', registration } })
  const figure = emptyFigure({
    id: 'passkey-sign-in',
    title: 'Signing in with a passkey: both requests, without the person and their device',
    floorTitle: 'two requests to the same server that do nothing',
    target: { maxP50: 150 },
  })
  for (let round = 0; round < stage.rounds; round++) {
    figure.floorSamples.push((await timed(() => nothing(origin))) + (await timed(() => nothing(origin))))
    const startedAt = performance.now()
    const opened = await send<PasskeyRequest>(origin, { path: '/auth/passkey/request' })
    const firstMs = performance.now() - startedAt
    const body = { assertion: key.get(opened.answer, { origin }) }
    const { cookie } = opened
    figure.samples.push(firstMs + (await timed(() => send(origin, { path: '/auth/passkey', cookie, body }))))
  }
  return [figure]
}

async function nothing(origin: string): Promise<void> {
  const response = await fetch(`${origin}/healthz`)
  await response.text()
}

type Sent<Answer> = { answer: Answer; cookie: string }

async function send<Answer = unknown>(
  origin: string,
  { path: where, cookie = '', body }: { path: string; cookie?: string; body?: unknown },
): Promise<Sent<Answer>> {
  const response = await fetch(`${origin}/api/v1${where}`, {
    method: 'POST',
    headers: { origin, cookie, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`POST ${where} failed: ${text}`)
  const set = response.headers.getSetCookie().map((value) => value.split(';')[0])
  return { answer: JSON.parse(text) as Answer, cookie: set.join('; ') }
}
