import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSettings, serverSettings, turnSettings } from '@threadbox/config'
import { openStore } from '@threadbox/object-store'
import { makeLogger } from '@threadbox/telemetry'
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { type Application, type ApplicationOptions, makeApplication } from './application.ts'
import { openMigrated } from './migrated.test-utils.ts'
import { migrate } from './migrations.registry.ts'
import { makeDirectoryBlobStore } from './platform/blobs/directory-blob-store.ts'
import { type OpenDatabase, openDatabase } from './platform/database/database.ts'
import { makeSystem } from './platform/system/system.ts'
import { makeHostClient } from './sandboxes/host/host-client.ts'
import { tablesIn } from './tables.test-utils.ts'

export const ownerToken = 'a-one-time-token-of-the-test'
const origin = 'http://localhost'
const backupProgram = join(import.meta.dirname, 'backup-program/main.ts')

/** The headers of a user's requests in tests. */
export type TestPerson = { userId: string; headers: Record<string, string> }

/**
 * The real application on a real database, without a socket. Host and gateway are what listens at `hostSocket`; by default
 * nothing does.
 */
export type TestApplication = AsyncDisposable &
  Application & {
    open: OpenDatabase
    directory: string
    /** `set` is by how much the clock was set: the part of `now` that isn't elapsed time. */
    clock: { now: number; set: number }
    /** Sends a request as a browser at this origin would. A body other than a string or a stream is sent as JSON. */
    call(
      method: string,
      path: string,
      options?: { body?: unknown; headers?: Record<string, string>; person?: TestPerson },
    ): Promise<Response>
    /** Signs the owner up. */
    signUpOwner(): Promise<TestPerson>
    /** Makes a session count as confirmed at the clock’s present time. */
    confirm(person: TestPerson): Promise<void>
    /** Adds another user, which in this version isn't possible through the API. */
    addPerson(name: string): Promise<TestPerson>
  }

/** Tests have their stores in folders, or one that is down. */
const openTestStore = (place: string) =>
  openStore(place, { outside: [], access: { accessKeyId: '', secretAccessKey: '' } })

export async function makeTestApplication(
  options: { databaseUrl?: string; databaseFile?: string; hostSocket?: string } & Partial<ApplicationOptions> = {},
): Promise<TestApplication> {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-server-'))
  const ownerTokenFile = join(directory, 'owner-token')
  await writeFile(ownerTokenFile, `${ownerToken}\n`)
  const open = await openTarget(options)
  const hostSocket = options.hostSocket ?? join(directory, 'no-host.sock')
  const host = makeHostClient({ socketPath: hostSocket, gatewaySocketPath: hostSocket })
  const clock = { now: Date.now(), set: 0 }
  const application = makeApplication({
    open,
    host,
    gatewaySocket: hostSocket,
    egressSocket: join(directory, 'no-egress.sock'),
    blobs: makeDirectoryBlobStore(join(directory, 'blobs')),
    masterKey: randomBytes(32),
    hashPassword: hashOnce,
    verifyPassword: verifyOnce,
    hosts: { installation: 'test00', baseDomain: '', publicUrl: '', allowedHosts: '', listenHost: '127.0.0.1' },
    trustedProxies: '',
    ownerTokenFile,
    auditHeadFile: join(directory, 'audit.head'),
    backups: { directory, command: [process.execPath, backupProgram], environment: {}, niceness: 0 },
    webDirectory: '',
    undoMs: 30_000,
    turnSettings: readSettings(turnSettings, {}),
    archive: { place: '', spoolDirectory: join(directory, 'archive'), openStore: openTestStore },
    connectionSettings: { ...readSettings(serverSettings, {}), connectionsAllow: '127.0.0.0/8' },
    environment: {},
    ollamaUrl: 'http://127.0.0.1:9',
    fixedSettings: [],
    lookUpName: async () => undefined,
    version: '0.0.0-test',
    system: makeSystem({ now: () => clock.now, randomBytes: (count) => randomBytes(count) }),
    machine: { uptimeMs: () => clock.now - clock.set, bootId: 'the-machine-of-the-test' },
    logger: makeLogger({ process: 'test', level: 'fatal' }),
    ...options,
  })
  const call: TestApplication['call'] = async (method, path, request = {}) => {
    const isRaw = typeof request.body === 'string' || request.body instanceof Uint8Array
    const isStream = request.body instanceof ReadableStream
    return await application.app.request(`${origin}${path}`, {
      method,
      headers: {
        host: 'localhost',
        ...(method === 'GET' ? {} : { origin }),
        ...(request.body === undefined || isStream ? {} : { 'content-type': 'application/json' }),
        ...request.person?.headers,
        ...request.headers,
      },
      ...(request.body === undefined
        ? {}
        : { body: isRaw || isStream ? request.body : JSON.stringify(request.body), duplex: 'half' }),
    } as RequestInit)
  }
  return {
    ...application,
    open,
    directory,
    clock,
    call,
    signUpOwner: async () => {
      const response = await call('POST', '/api/v1/auth/sign-up', { body: ownerRequest() })
      const me = (await response.json()) as { id: string }
      return { userId: me.id, headers: { cookie: cookieOf(response) } }
    },
    confirm: (person) => confirmSessions({ open, now: clock.now }, person),
    addPerson: (name) => addPerson(application, name),
    [Symbol.asyncDispose]: async () => {
      await application.stop()
      await host.close()
      await open.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function openTarget(target: { databaseUrl?: string; databaseFile?: string }): Promise<OpenDatabase> {
  const { databaseUrl, databaseFile } = target
  if (databaseUrl === undefined && databaseFile === undefined) return await openMigrated()
  const open = openDatabase(databaseUrl === undefined ? { file: databaseFile ?? '' } : { url: databaseUrl })
  await migrate(open)
  return open
}

/**
 * The library's own hash of each password, computed once: it takes a tenth of a second, which nearly every test would
 * need.
 */
function hashOnce(password: string): Promise<string> {
  const known = hashes.get(password) ?? hashPassword(password)
  hashes.set(password, known)
  return known
}
const hashes = new Map<string, Promise<string>>()

/** The same result as the product’s, without computing it again for the same input. */
function verifyOnce(attempt: { hash: string; password: string }): Promise<boolean> {
  const key = JSON.stringify([attempt.hash, attempt.password])
  const known = verifications.get(key) ?? verifyPassword(attempt)
  verifications.set(key, known)
  return known
}
const verifications = new Map<string, Promise<boolean>>()

export function ownerRequest() {
  return { token: ownerToken, name: 'Owner', email: 'owner@example.com', password: 'correct horse battery' }
}

export function cookieOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

async function confirmSessions({ open, now }: { open: OpenDatabase; now: number }, person: TestPerson): Promise<void> {
  const tables = tablesIn(open)
  const sessions = await tables.selectFrom('sessions').select('id').where('userId', '=', person.userId).execute()
  for (const { id } of sessions) {
    await tables
      .insertInto('session_confirmations')
      .values({ session_id: id, confirmed_at: now })
      .onConflict((conflict) => conflict.column('session_id').doUpdateSet({ confirmed_at: now }))
      .execute()
  }
}

async function addPerson(application: Application, name: string): Promise<TestPerson> {
  const { response, headers } = await application.areas.people.login.api.signUpEmail({
    body: { name, email: `${name}@example.com`, password: 'correct horse battery' },
    returnHeaders: true,
  })
  const cookie = headers
    .getSetCookie()
    .map((value) => value.split(';')[0])
    .join('; ')
  return { userId: response.user.id, headers: { cookie } }
}
