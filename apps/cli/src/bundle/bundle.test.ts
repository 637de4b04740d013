import { execFile, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { startModelServer, startTestServer } from '@threadbox/testkit'
import { startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterEach, beforeEach, expect, test } from 'vitest'

const repository = join(import.meta.dirname, '../../../..')
const canary = 'zq7canary'
const requestId = '0b54d8a8-5d43-4b6b-9d6f-5b0f3a3f5a11'

let folder: string
let file: string
const cleanup: (() => PromiseLike<unknown>)[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'threadbox-bundle-'))
  file = join(folder, 'bundle.tar.zst')
  for (const name of ['logs', 'run', 'current/support']) mkdirSync(join(folder, name), { recursive: true })
  const words = {
    events: ['server listens', 'operation failed, will be tried again'],
    codes: ['host.unreachable'],
    findings: [],
    durations: ['durationMs'],
  }
  writeFileSync(join(folder, 'current/support/words.json'), JSON.stringify(words))
  const release = {
    release: '0123456789abcdef',
    version: '1.2.3',
    architecture: 'x64',
    guest: 'guest/0011223344556677',
  }
  writeFileSync(join(folder, 'current/release.json'), JSON.stringify(release))
})
afterEach(async () => {
  for (const close of cleanup.splice(0).reverse()) await close()
  await rm(folder, { recursive: true, force: true })
})

const base = () => ({
  THREADBOX_INSTALLATION: 'bundl0',
  THREADBOX_DATA: folder,
  THREADBOX_HOST_SOCKET: join(folder, 'run/host.sock'),
  THREADBOX_GATEWAY_SOCKET: join(folder, 'run/gateway.sock'),
  THREADBOX_EGRESS_SOCKET: join(folder, 'run/egress.sock'),
})

function writeEnvironment(environment: Record<string, string>): void {
  const lines = Object.entries(environment).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(join(folder, 'threadbox.env'), lines.join(''))
}

/** Beside it, the stand-in of the host daemon keeps responding. */
function execute(command: string, args: readonly string[], env: Record<string, string>) {
  const { promise, resolve } = Promise.withResolvers<{ status: unknown; stdout: string; stderr: string }>()
  const child = execFile(command, args, { env, cwd: folder }, (error, stdout, stderr) =>
    resolve({ status: error?.code ?? 0, stdout, stderr }),
  )
  child.stdin?.end()
  return promise
}

/** As the launcher does: first the server’s program, then the command line. */
async function run(environment: Record<string, string>, options: { limit?: string } = {}) {
  writeEnvironment(environment)
  const env = { PATH: process.env.PATH ?? '' }
  const support = join(repository, 'apps/server/src/support-program/main.ts')
  const found = await execute(process.execPath, [support], { ...env, ...environment })
  expect(found.stderr).toBe('')
  const [facts, checks] = [join(folder, 'facts'), join(folder, 'checks')]
  writeFileSync(facts, found.stdout)
  writeFileSync(checks, `disk\twarning\tDisk\t5 GB free for /home/${canary}\tFree some.\n`)
  const command = [process.execPath, join(repository, 'apps/cli/src/main.ts'), 'doctor', '--bundle', file]
  const given = ['--data-dir', folder, '--server-facts', facts, '--machine-checks', checks]
  const script = `${options.limit ?? ''} exec "$0" "$@"`
  return await execute('bash', ['--norc', '-c', script, ...command, ...given], env)
}

/** The files of the bundle, as the printed command unpacks them. */
function unpacked(): Record<string, string> {
  const into = join(folder, 'unpacked')
  mkdirSync(into)
  const tar = spawnSync('tar', ['--zstd', '-xf', file, '-C', into], { encoding: 'utf8' })
  expect(tar).toMatchObject({ status: 0, stderr: '' })
  const root = join(into, 'threadbox-bundle')
  const names = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    names.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [path.slice(root.length + 1), readFileSync(path, 'utf8')]
    }),
  )
}

/** As it is, in hex, in base64 at each alignment, and in capitals. */
function formsOf(text: string): string[] {
  const bytes = Buffer.from(text)
  const inBase64 = [0, 1, 2].map((skipped) => {
    const whole = Buffer.concat([Buffer.alloc(skipped), bytes]).toString('base64')
    return whole.slice(Math.ceil((skipped * 8) / 6), Math.floor(((skipped + bytes.length) * 8) / 6))
  })
  return [text, text.toUpperCase(), bytes.toString('hex'), ...inBase64]
}

async function startServer(environment: Record<string, string>) {
  const host = await startHostStandIn()
  cleanup.push(() => host[Symbol.asyncDispose]())
  const sockets = { THREADBOX_HOST_SOCKET: host.socketPath, THREADBOX_GATEWAY_SOCKET: host.socketPath }
  const all = { ...base(), ...environment, ...sockets }
  const server = await startTestServer({
    host: { installation: 'bundl0', dataDirectory: folder, environment: all },
    signUp: false,
  })
  cleanup.push(() => server.close())
  symlinkSync(join(server.directory, 'server.log'), join(folder, 'logs/server.log'))
  const installed = { ...all, THREADBOX_SERVER_DATA: server.directory, THREADBOX_PORT: String(server.port) }
  return { server, environment: installed }
}

/** Puts the canary wherever a person or a service can write something. */
async function plant(server: Awaited<ReturnType<typeof startTestServer>>) {
  const origin = server.loopbackOrigin
  const person = { name: `${canary} name`, email: `${canary}@example.org`, password: `correct horse ${canary}` }
  const signedUp = await fetch(`${origin}/api/v1/auth/sign-up`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ token: server.ownerToken.token, ...person }),
  })
  expect(signedUp.status).toBe(201)
  const cookie = signedUp.headers
    .getSetCookie()
    .map((header) => header.split(';')[0])
    .join('; ')
  const call = async <Answer>(method: string, path: string, body: unknown): Promise<Answer> => {
    const response = await fetch(`${origin}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', origin, cookie },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return (text.startsWith('{') ? JSON.parse(text) : undefined) as Answer
  }
  const model = await startModelServer()
  cleanup.push(() => model.close())
  const { baseUrls } = model
  const connected = { provider: 'anthropic', name: `${canary} model`, model: canary, baseUrl: baseUrls.anthropic }
  await call('POST', '/models', { ...connected, apiKey: `key-${canary}` })
  const workspace = await call<{ id: string }>('POST', '/workspaces', { name: `${canary} workspace` })
  const secret = { name: 'ZQ7CANARY', value: `value-${canary}`, owner: 'person', hosts: [`${canary}.example.org`] }
  await call('POST', '/secrets', secret)
  const thread = await call<{ id: string }>('POST', '/threads', { title: `${canary} title`, workspaceId: workspace.id })
  await call('POST', `/threads/${thread.id}/messages`, { text: `/run echo ${canary} > ${canary}.txt`, key: 'canary-1' })
  await call('PUT', `/threads/${thread.id}/uploads?name=${canary}.txt`, canary)
  await call('GET', `/threads/${canary}/nothing?${canary}`, undefined)
  const settings = { idlePauseMinutes: 7, hotKeep: 'strict', timeZone: 'Europe/Berlin' }
  await call('PATCH', '/settings', { settings })
}

function logCanaries(): void {
  const line = (fields: object) =>
    JSON.stringify({ level: 50, time: '2026-11-30T10:00:00.000Z', process: 'server', ...fields })
  const lines = [
    line({
      msg: 'operation failed, will be tried again',
      err: {
        type: canary,
        code: 'host.unreachable',
        message: canary,
        stack: `Error\n    at ${canary} (/home/${canary}.ts:1:1)`,
      },
      requestId,
      durationMs: 12,
      token: canary,
      path: `/home/user/${canary}.txt`,
      [canary]: 1,
      [`${canary}Ms`]: 2,
    }),
    line({ msg: `${canary} failed`, requestId: canary, err: { code: `${canary}.problem` }, code: canary }),
    line({ level: canary, process: canary, msg: 'server listens' }),
    line({ time: canary }),
    line({ process: 'gateway', msg: 'server listens', durationMs: canary }),
    `Error: ${canary}`,
    `{"process":"server","${canary}`,
  ]
  for (const name of ['server', 'host', 'supervisor']) {
    appendFileSync(join(folder, `logs/${name}.log`), lines.map((each) => `${each}\n`).join(''))
  }
}

test('O12: a support bundle has versions, counts, errors and log lines, and nothing that people or services wrote', async () => {
  const { server, environment } = await startServer({
    THREADBOX_CONNECTIONS_ALLOW: '127.0.0.0/8',
    THREADBOX_ALLOWED_HOSTS: `${canary}.example.com`,
  })
  await plant(server)
  const stored = ['server.db', 'server.db-wal']
    .map((name) => readFileSync(join(server.directory, name), 'latin1'))
    .join()
  for (const text of ['title', 'workspace', 'model', 'name'].map((what) => `${canary} ${what}`)) {
    expect(stored.includes(text), text).toBe(true)
  }
  for (const text of [
    `${canary}@example.org`,
    `echo ${canary}`,
    `${canary}.txt`,
    'ZQ7CANARY',
    `${canary}.example.org`,
  ]) {
    expect(stored.includes(text), text).toBe(true)
  }
  // A store of backups, with keys.
  const backup = join(repository, 'apps/server/src/backup-program/main.ts')
  mkdirSync(join(folder, 'elsewhere'))
  const store = await mkdtemp(join(tmpdir(), `${canary}-store-`))
  cleanup.push(() => rm(store, { recursive: true }))
  const env = { PATH: process.env.PATH ?? '', ...environment, AWS_ACCESS_KEY_ID: canary }
  expect(await execute(process.execPath, [backup, 'init', store], env)).toMatchObject({ status: 0 })
  logCanaries()
  const written = await run({ ...environment, OPENAI_API_KEY: `sk-${canary}` })
  expect(written).toMatchObject({ status: 0, stderr: '' })
  expect(written.stdout).toContain(`Check it before you send it: tar --zstd -tf ${file}`)
  expect(statSync(file).mode & 0o777).toBe(0o600)

  const archive = zstdDecompressSync(readFileSync(file)).toString('latin1')
  for (const form of [...formsOf(canary), ...formsOf(store), 'owner-token', server.directory, folder]) {
    expect(archive.includes(form), form).toBe(false)
  }
  // Nothing in it is compressed again, which would hide a text.
  for (const magic of ['1f8b', '504b0304', '28b52ffd']) {
    expect(archive.includes(Buffer.from(magic, 'hex').toString('latin1')), magic).toBe(false)
  }

  const parts = unpacked()
  const read = (name: string) => JSON.parse(parts[name] ?? 'null')
  expect(read('versions.json')).toMatchObject({
    release: '0123456789abcdef',
    version: '1.2.3',
    guest: '0011223344556677',
    node: process.version,
    kernel: expect.any(String),
    distribution: expect.any(String),
    sandboxDriver: 'release-20261110.0',
    hostProtocol: expect.any(Number),
  })
  expect(read('machine.json')).toMatchObject({
    processors: expect.any(Number),
    host: { pool: { totalBytes: expect.any(Number) } },
  })
  expect(read('settings.json')).toMatchObject({
    THREADBOX_ALLOWED_HOSTS: 'set',
    THREADBOX_DATA: 'set',
    THREADBOX_PORT: server.port,
    THREADBOX_PUBLIC_URL: 'default',
    THREADBOX_FROZEN_COPIES: 'on',
  })
  expect(read('checks.json')).toContainEqual({ id: 'disk', state: 'warning' })
  expect(read('counts.json')).toMatchObject({
    totals: { people: 1, threads: 1, workspaces: 1, models: 1 },
    sandboxes: expect.any(Object),
    turns: expect.any(Object),
    operations: expect.any(Array),
  })
  // The turn and the secret are there, or the search above would prove nothing of them.
  expect(Object.values(read('counts.json').turns as object).length).toBeGreaterThan(0)
  expect(read('database.json')).toMatchObject({
    schema: { missing: 0, unknown: 0, newest: expect.stringMatching(/^\d{4}-/) },
    settings: { idlePauseMinutes: 7, hotKeep: 'strict', timeZone: 'set' },
  })
  expect(read('errors.json')).toMatchObject({
    responses: expect.any(Array),
    logs: [{ code: 'host.unreachable', count: 3, lastAt: '2026-11-30T10:00:00.000Z' }],
  })
  expect(parts['metrics.txt']).toMatch(/^threadbox_up\{process="server"\} 1$/m)
  const lines = (parts['logs/server.jsonl'] ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toContainEqual({
    time: '2026-11-30T10:00:00.000Z',
    process: 'server',
    level: 'error',
    event: 'operation failed, will be tried again',
    code: 'host.unreachable',
    requestId,
    durations: { durationMs: 12 },
  })
  expect(lines).toContainEqual(expect.objectContaining({ event: 'server listens' }))
  const contents = parts['contents.txt'] ?? ''
  for (const name of Object.keys(parts)) if (name !== 'contents.txt') expect(contents).toContain(name)
  expect(contents).not.toContain('Missing:')
})

test('O12: without server, database and host daemon it is written too, and says what is missing and why', async () => {
  const { status, stdout } = await run(base())
  expect(status).toBe(0)
  expect(stdout).toContain('Missing: metrics.txt: the server isn’t running (ENOENT)')
  const parts = unpacked()
  expect(Object.keys(parts)).toEqual(
    expect.arrayContaining(['contents.txt', 'versions.json', 'settings.json', 'checks.json']),
  )
  expect(parts['contents.txt']).toMatch(/Missing:\n {2}counts\.json +the database couldn’t be read \(ENOENT\)/)
  expect(parts['contents.txt']).toMatch(/pool in machine\.json +the host daemon doesn’t respond/)
})

test('O12: a file that exists is refused and stays', async () => {
  writeFileSync(file, 'mine')
  expect(await run(base())).toMatchObject({ status: 5, stdout: '', stderr: expect.stringContaining('already exists') })
  expect(readFileSync(file, 'utf8')).toBe('mine')
})

test('O12: when there is no room or no such folder, the reason is named and nothing is left', async () => {
  // A file larger than 1 KiB can’t be written: the system says so as it does for a full disk.
  const full = await run(base(), { limit: 'ulimit -f 1;' })
  expect(full).toMatchObject({ status: 7, stdout: '', stderr: expect.stringContaining('EFBIG') })
  expect(existsSync(file)).toBe(false)
  file = join(folder, 'nowhere/bundle.tar.zst')
  expect(await run(base())).toMatchObject({ status: 7, stdout: '', stderr: expect.stringContaining('ENOENT') })
})
