import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createClient, type ThreadboxClient } from '@threadbox/sdk'
import { freePort, testVolume } from '@threadbox/testkit'
import { isFull } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { output } from '../stack/in-threads.ts'
import { testThread } from '../stack/installation.ts'
import { interruptedBefore, killedBefore, killPoints } from './launcher/killed-changes.ts'
import { addBrokenRelease, addPreviousRelease, addWorkingRelease } from './launcher/previous-release.ts'

const run = promisify(execFile)
const repository = join(import.meta.dirname, '../..')
const threadbox = join(repository, 'threadbox')
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

test('O12: a support bundle has facts of host, server and database, and the events of this release', async () => {
  const file = join(dataDirectory, 'bundle.tar.zst')
  const { stdout } = await launcher('doctor', '--bundle', file)
  expect(stdout).not.toContain('Missing:')
  const { stdout: text } = await run('tar', ['--zstd', '-xOf', file])
  expect(text).toMatch(/^threadbox_up\{process="server"\} 1$/m)
  expect(text).toContain('"missing": 0')
  expect(text).toContain('"event":"server listens"')
  expect(text).toContain('"event":"host daemon serves"')
  expect(text).not.toContain(dataDirectory)
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
  await expect(launcher('reset-link', 'unknown@example.com')).rejects.toThrow(/There is no account with the address/)
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

test('O12: this release and the previous one replace each other, and each continues with what the other has written', {
  timeout: 400_000,
}, async () => {
  const { name: previous, migrations } = await addPreviousRelease(dataDirectory)
  const present = await currentRelease()
  expect(migrations.length).toBeGreaterThan(30)
  await writeFile(join(dataDirectory, 'releases', `.schema-${previous}`), `${migrations.join('\n')}\n`)
  const client = await signedInClient()
  const title = async (text: string) => (await client.threads.create({ title: text })).id
  const titles = async () => (await client.threads.list({})).threads.map((thread) => thread.title).sort()
  await title('With this release')
  await inLauncher(`put_back_release ${previous} ${present}`)
  expect([await currentRelease(), await titles()]).toEqual([previous, ['With this release']])

  const thread = testThread(client, await title('With the previous release'))
  const ticks = '(while :; do date +%s%N > /tmp/tick; sleep 0.1; done) > /dev/null 2>&1 &'
  await output(thread, `echo kept > ~/file; ${ticks}`)
  const outageMs = await longestOutage(async () => {
    await inLauncher(`check_release ${present} ${previous} && change_release ${present} ${previous}`)
  })
  console.log(`the API did not respond for up to ${Math.round(outageMs)} ms while the release changed`)
  expect(await currentRelease()).toBe(present)
  // The sandbox kept running: its process still writes.
  const isTicking = 'one=$(cat /tmp/tick); until [ "$one" != "$(cat /tmp/tick)" ]; do sleep 0.1; done; echo ticks'
  expect(await output(thread, `cat ~/file; ${isTicking}`)).toBe('kept\nticks\n')

  await addBrokenRelease(dataDirectory)
  const failed = await inLauncher(`check_release broken ${present} && change_release broken ${present}`).catch(
    (error: { stdout: string }) => error,
  )
  expect(failed.stdout).toContain('The release that ran before serves again')
  expect([await currentRelease(), await output(thread, 'cat ~/file')]).toEqual([present, 'kept\n'])

  const { stdout } = await launcher('upgrade', '--back')
  expect(stdout).toContain(`${previous} serves again; everything written since the upgrade is kept`)
  await title('After going back')
  await inLauncher(`check_release ${present} ${previous} && change_release ${present} ${previous}`)
  expect(await titles()).toEqual(['After going back', 'With the previous release', 'With this release'])
  expect(await output(thread, 'cat ~/file')).toBe('kept\n')
})

test('O12: a change that is killed at any step leaves the earlier release, which serves again after the next start', {
  timeout: 600_000,
}, async () => {
  const present = await currentRelease()
  for (const { before, to } of isFull ? killPoints : killPoints.filter((_, index) => index % 6 === 2)) {
    const release = await (to === 'broken' ? addBrokenRelease : addWorkingRelease)(dataDirectory)
    const change = `check_release ${release} ${present}; change_release ${release} ${present}`
    await expect(inLauncher(killedBefore(before, change))).rejects.toMatchObject({ signal: 'SIGKILL' })
    await cutPower()
    await inLauncher('start_supervisor', { isLocked: false })
    await expect.poll(isReady, { timeout: 30_000, message: `${to} release, before ${before}` }).toBe(true)
    expect(await currentRelease(), `${to} release, before ${before}`).toBe(present)
    await rm(join(dataDirectory, 'releases', release), { recursive: true, force: true })
  }
})

test('O12: an interrupted change puts the earlier release back', { timeout: 120_000 }, async () => {
  const present = await currentRelease()
  await addBrokenRelease(dataDirectory)
  const steps = `trap stop_up EXIT; trap 'exit 130' INT; begin_steps
    check_release broken ${present}; start_step start Upgrade change_release broken ${present}; await_step start`
  const interrupted = await inLauncher(interruptedBefore('await_server', steps)).catch((error: object) => error)
  expect(interrupted).toMatchObject({ code: 130, stdout: expect.stringContaining(`${present} serves again`) })
  expect([await isReady(), await currentRelease()]).toEqual([true, present])
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

/** Runs functions of the launcher, as its commands do: while no other works on the installation. */
function inLauncher(script: string, { isLocked = true } = {}) {
  const text = `sed -e '/^main "\\$@"$/d' -e 's|^repository=.*|repository="${repository}"|' '${threadbox}'`
  const sourced = `source <(${text}); set_option --data-dir '${dataDirectory}'${isLocked ? '; lock_installation' : ''}`
  const command = ['bash', '-c', `set -euo pipefail; ${sourced}; ${script}`, threadbox]
  return run('setsid', ['--wait', ...command], { maxBuffer: 1 << 24 })
}

/** Ends every process of the installation immediately, with its sandboxes. */
async function cutPower() {
  // pkill exits with 1 when nothing is left.
  for (let left = true; left; ) {
    left = await run('pkill', ['-KILL', '-f', dataDirectory]).then(
      () => true,
      () => false,
    )
  }
}

async function isReady(): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
  await response?.body?.cancel()
  return response?.ok === true
}

async function currentRelease(): Promise<string> {
  return basename(await realpath(join(dataDirectory, 'current')))
}

/** With a key of the owner, whose password the reset link has changed. */
async function signedInClient(): Promise<ThreadboxClient> {
  const origin = `http://127.0.0.1:${port}`
  const post = async (path: string, body: object, cookie = '') => {
    const headers = { 'content-type': 'application/json', origin, cookie }
    const response = await fetch(`${origin}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(response.ok, path).toBe(true)
    return response
  }
  const signedIn = await post('/auth/sign-in', { email: 'owner@example.com', password: 'another long password' })
  const cookies = signedIn.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
  const made = await post('/api-keys', { name: 'upgrade' }, cookies.join('; '))
  const { secret } = (await made.json()) as { secret: string }
  return createClient({ baseUrl: origin, apiKey: secret })
}

/** Asks the API again and again during some work. Returns the longest time without a response. */
async function longestOutage(work: () => Promise<void>): Promise<number> {
  let last = performance.now()
  let longest = 0
  const asking = new AbortController()
  const asked = (async () => {
    while (!asking.signal.aborted) {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/setup`).catch(() => undefined)
      await response?.body?.cancel()
      if (response?.ok === true) {
        longest = Math.max(longest, performance.now() - last)
        last = performance.now()
      }
      await delay(20)
    }
  })()
  try {
    await work()
  } finally {
    asking.abort()
    await asked
  }
  return longest
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
