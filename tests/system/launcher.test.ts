import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, testVolume } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'

const run = promisify(execFile)
const threadbox = join(import.meta.dirname, '../../threadbox')
/** The smallest pool that holds the base image and its reserves. */
const poolBytes = 8 * 1024 ** 3
const firstUpMs = 900_000

let dataDirectory: string
let port: number
let token: string

beforeAll(async () => {
  await mkdir(testVolume, { recursive: true, mode: 0o711 })
  dataDirectory = await mkdtemp(join(testVolume, 'up-'))
  port = await freePort()
})
afterAll(async () => {
  if (existsSync(join(dataDirectory, 'threadbox.env'))) await launcher('uninstall', '--yes')
  await rm(dataDirectory, { recursive: true, force: true })
})

test('up leads to a page with a sign-up link, and a sandbox can start', { timeout: firstUpMs }, async () => {
  const { stdout } = await launcher('up', '--port', `${port}`)
  const link = /http:\/\/app\.[a-z0-9]{6}\.localhost:\d+\/setup\?token=[\w-]{40,}/.exec(stdout)?.[0]
  expect(stdout).toContain(`ssh -L ${port}:127.0.0.1:${port}`)
  expect(link).toBeDefined()
  token = link?.split('token=')[1] ?? ''
  const page = await fetch(`http://127.0.0.1:${port}/setup`, { headers: { accept: 'text/html' } })
  expect(page.headers.has('threadbox-request-id')).toBe(true)
  // It exits with 1 when a check failed: the failed check is reported below.
  const told = await launcher('doctor', '--json').catch((error: { stdout: string }) => error)
  const doctor = JSON.parse(told.stdout) as { checks: { state: string }[] }
  expect(doctor.checks.length).toBeGreaterThan(15)
  expect(doctor.checks.filter((check) => check.state === 'failed')).toEqual([])
})

test('a second up restarts nothing', async () => {
  const before = await records()
  await launcher('up')
  expect(await records()).toEqual(before)
})

test('the release lists every file that it contains, and the documentation has the list', async () => {
  const release = await realpath(join(dataDirectory, 'current'))
  const list = await readFile(join(release, 'sbom.json'), 'utf8')
  const { components } = JSON.parse(list) as { components: { type: string; name: string }[] }
  const listed = components.filter(({ type }) => type === 'file').map(({ name }) => name)
  const entries = await readdir(release, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const own = ['release.json', 'sbom.json', 'web/docs/sbom.json']
  expect([...listed, ...own].sort()).toEqual(files.map((file) => file.slice(release.length + 1)).sort())
  expect(await (await fetch(`http://127.0.0.1:${port}/docs/sbom.json`)).text()).toBe(list)
})

test('the audit log is checked and printed beside the running server, as its user', async () => {
  const { stdout } = await launcher('audit', 'verify')
  expect(stdout).toMatch(/^✓ \d+ rows are unchanged/)
  const { stdout: exported } = await launcher('audit', 'export')
  for (const line of exported.split('\n').filter((text) => text !== ''))
    expect(JSON.parse(line)).toHaveProperty('action')
  const { server } = await records()
  const { uid } = await stat(`/proc/${server?.pid}`)
  const files = await readdir(join(dataDirectory, 'server'), { recursive: true })
  const owners = await Promise.all(files.map(async (file) => (await stat(join(dataDirectory, 'server', file))).uid))
  expect([...new Set(owners)]).toEqual([uid])
})

test('O11: an owner who can’t sign in gets a link on the machine, which works once', async () => {
  const origin = `http://127.0.0.1:${port}`
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', origin }
    const response = await fetch(`${origin}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return response.status
  }
  const owner = { token, name: 'Owner', email: 'owner@example.com', password: 'correct horse battery' }
  expect(await post('/auth/sign-up', owner)).toBe(201)
  await expect(launcher('reset-link', 'unknown@example.com')).rejects.toThrow(/No one here has the address/)
  const { stdout } = await launcher('reset-link', 'owner@example.com')
  const secret = /\/reset#(\S+)/.exec(stdout)?.[1]
  const reset = { secret, password: 'another long password' }
  expect([await post('/auth/reset', reset), await post('/auth/reset', reset)]).toEqual([200, 403])
})

test('the server runs as its own user and cannot read the host’s files', async () => {
  const { server } = await records()
  const status = await readFile(`/proc/${server?.pid}/status`, 'utf8')
  const idOf = (kind: 'Uid' | 'Gid') => new RegExp(`^${kind}:\\t(\\d+)`, 'm').exec(status)?.[1] ?? '0'
  expect([idOf('Uid'), idOf('Gid')]).not.toContain('0')
  const asServer = (...command: string[]) =>
    run('setpriv', [`--reuid=${idOf('Uid')}`, `--regid=${idOf('Gid')}`, '--clear-groups', '--', ...command])
  await expect(asServer('ls', join(dataDirectory, 'releases'))).resolves.toBeDefined()
  await expect(asServer('cat', join(dataDirectory, 'threadbox.env'))).rejects.toThrow()
  await expect(asServer('ls', join(dataDirectory, 'host'))).rejects.toThrow()
})

test('no process opens a debugger, or ends, when it is sent SIGUSR1', async () => {
  const before = await records()
  const processes = Object.values(before).flatMap((record) => record ?? [])
  expect(processes).toHaveLength(3)
  for (const { pid } of processes) {
    expect(signalsIn('SigCgt', await readFile(`/proc/${pid}/status`, 'utf8'))).not.toContain(constants.signals.SIGUSR1)
    process.kill(pid, 'SIGUSR1')
  }
  await launcher('status')
  expect(await records()).toEqual(before)
})

test('a restarted supervisor finds its daemons; a killed daemon is restarted', { timeout: 60_000 }, async () => {
  const before = await records()
  kill(before.supervisor)
  await expect.poll(async () => (await records()).supervisor?.pid, { timeout: 20_000 }).not.toBe(before.supervisor?.pid)
  expect((await records()).host).toEqual(before.host)
  kill(before.server)
  await expect
    .poll(
      () =>
        launcher('status').then(
          () => 'fine',
          () => 'not yet',
        ),
      { timeout: 30_000 },
    )
    .toBe('fine')
  expect((await records()).server).not.toEqual(before.server)
})

test('down leaves no process and no mount, uninstall leaves nothing', { timeout: 120_000 }, async () => {
  const installation =
    /INSTALLATION=(\w+)/.exec(await readFile(join(dataDirectory, 'threadbox.env'), 'utf8'))?.[1] ?? ''
  await launcher('down')
  expect((await run('ps', ['-e', '-o', 'args='])).stdout).not.toContain(dataDirectory)
  expect(await readFile('/proc/self/mounts', 'utf8')).not.toContain(dataDirectory)
  await launcher('uninstall', '--yes')
  expect(existsSync(dataDirectory)).toBe(false)
  const machine = await Promise.all([
    run('nft', ['list', 'tables']),
    run('ip', ['link']),
    run('getent', ['passwd']),
    run('find', ['/sys/fs/cgroup', '-ignore_readdir_race', '-name', `*${installation}*`]),
  ])
  expect(machine.map(({ stdout }) => stdout).join('\n')).not.toContain(installation)
})

function launcher(command: string, ...args: string[]) {
  const environment = { ...process.env, THREADBOX_POOL_SIZE: `${poolBytes}` }
  return run(threadbox, [command, '--data-dir', dataDirectory, ...args], { env: environment, maxBuffer: 1 << 24 })
}

function kill(recorded: Recorded) {
  if (recorded === undefined) throw new Error('this process is not recorded')
  process.kill(recorded.pid, 'SIGKILL')
}

/** The numbers of the signals in a mask of /proc/PID/status. `SigCgt`: those with a handler. */
function signalsIn(mask: 'SigCgt', status: string): number[] {
  const bits = BigInt(`0x${new RegExp(`^${mask}:\\t([0-9a-f]+)`, 'm').exec(status)?.[1] ?? '0'}`)
  return Array.from({ length: 64 }, (_, bit) => bit + 1).filter((signal) => bits & (1n << BigInt(signal - 1)))
}

type Recorded = { pid: number; startTime: string } | undefined

async function records(): Promise<Record<'supervisor' | 'host' | 'server', Recorded>> {
  const read = async (name: string): Promise<Recorded> => {
    const text = await readFile(join(dataDirectory, 'run', `${name}.json`), 'utf8').catch(() => undefined)
    return text === undefined ? undefined : (JSON.parse(text) as Recorded)
  }
  return { supervisor: await read('supervisor'), host: await read('host'), server: await read('server') }
}
