import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { defaultSandboxLimits } from '@threadbox/domain'
import { type CleanedSandbox, hostInfoSchema, hostPaths } from '@threadbox/protocol/host'
import { sealText } from '@threadbox/protocol/sealing'
import { expect, test } from 'vitest'
import { startHostUnderTest } from '../../host.test-utils.ts'
import { answeringGuest, codeOf, ordersOf } from '../../memory/memory/memory.test-utils.ts'

const random = (length: number) => randomBytes(length).toString('hex').slice(0, length)
const githubToken = `ghp_${random(36)}`

/** A sandbox and a stopped copy of it, as they are when an environment is made. */
async function begin() {
  const host = await startHostUnderTest(answeringGuest())
  const source = await host.startSandbox()
  const sourcePath = await ordersOf(host, source).diskPath()
  const put = (name: string, content: string) => {
    mkdirSync(path.dirname(path.join(sourcePath, name)), { recursive: true })
    writeFileSync(path.join(sourcePath, name), content)
  }
  const sandboxId = host.newSandboxId()
  const copy = async () => {
    const bootId = host.newBootId()
    const forked = await host.request('POST', hostPaths.fork(sandboxId), {
      source: { sandboxId: source.sandboxId, snapshotId: null },
      bootId,
      hostname: 'copy',
      limits: defaultSandboxLimits,
      egress: { kind: 'none' },
    })
    expect(forked.status).toBe(200)
    const stopped = await host.request('POST', hostPaths.stop(sandboxId), { bootId })
    expect(stopped.status).toBe(200)
    return (await host.disks.getDisk(sandboxId)).path
  }
  const clean = async (
    { secrets = [], ...rest }: { secrets?: string[]; [name: string]: unknown } = {},
    id = sandboxId,
  ) => {
    const info = hostInfoSchema.parse((await host.request('GET', hostPaths.info())).body)
    const order = { ...rest, sealedSecrets: await sealText(JSON.stringify(secrets), info.sealingKey) }
    const answer = await host.request('POST', hostPaths.clean(id), order)
    return { ...answer, body: answer.body as CleanedSandbox }
  }
  return { host, source, sourcePath, sandboxId, put, copy, clean }
}

test('a disk in which something runs, and an unknown one, are not cleaned', async () => {
  const { host, source, put, sourcePath, clean } = await begin()
  await using _ = host
  put('home/user/.netrc', 'machine a password b')
  expect(codeOf(await clean({}, source.sandboxId))).toEqual([409, 'environment.in-use'])
  expect(codeOf(await clean({}, host.newSandboxId()))).toEqual([404, 'sandbox.not-found'])
  expect(existsSync(path.join(sourcePath, 'home/user/.netrc'))).toBe(true)
})

test('no link leads out of the tree that is cleaned, and a pipe does not block', async () => {
  const { host, put, sourcePath, copy, clean } = await begin()
  await using _ = host
  const outside = mkdtempSync(path.join(tmpdir(), 'outside-'))
  writeFileSync(path.join(outside, 'id_rsa'), githubToken)
  mkdirSync(path.join(outside, '.aws'))
  put('home/user/note', 'kept')
  symlinkSync(outside, path.join(sourcePath, 'home/user/.ssh'))
  symlinkSync(outside, path.join(sourcePath, 'home/user/folder'))
  symlinkSync(path.join(outside, 'id_rsa'), path.join(sourcePath, 'home/user/file'))
  execFileSync('/usr/bin/mkfifo', [path.join(sourcePath, 'home/user/pipe')])
  const disk = await copy()
  const { body } = await clean({ secrets: [githubToken] })
  expect(body.removed).toEqual([{ path: '/home/user/.ssh', kind: 'credentials' }])
  expect(body.redacted).toEqual([])
  expect(existsSync(path.join(disk, 'home/user/note'))).toBe(true)
  expect(readFileSync(path.join(outside, 'id_rsa'), 'utf8')).toBe(githubToken)
  expect(existsSync(path.join(outside, '.aws'))).toBe(true)
  rmSync(outside, { recursive: true })
})

test('C11: credentials, histories and outputs go, stored secrets are overwritten, what else is found is named', async () => {
  const { host, put, sourcePath, copy, clean } = await begin()
  await using _ = host
  const stored = random(40)
  put('home/user/.ssh/id_ed25519', 'key')
  put('home/user/.aws/credentials', 'key')
  put('root/.git-credentials', 'https://a:b@c')
  put('home/user/project/.netrc', 'machine a password b')
  put('home/user/.bash_history', 'export A=b')
  put('var/lib/threadbox/output/1', 'what was said')
  put('home/user/.threadbox/outputs/1.txt', 'what was said')
  put('home/user/.ipython/profile_default/history.sqlite', 'what was run')
  put('var/lib/threadbox/born', '{}')
  put('home/user/.npmrc', `registry=https://r/\n//r/:_authToken=${random(20)}\n//s/:_authToken=\${TOKEN}\n`)
  put('home/user/config.json', `{"key": "${stored}", "again": "${stored}"}`)
  // Across the border of the parts in which large files are read.
  put('home/user/large.bin', `${'x'.repeat(4 * 1024 * 1024 - 20)}${stored}${'y'.repeat(18 * 1024 * 1024)}`)
  put('home/user/.env', `GITHUB=${githubToken}\n`)
  put('home/user/lib/site-packages/example.py', `# ${githubToken}\n`)
  put('home/user/.profile', 'export CITY=Oslo\n')
  const disk = await copy()
  const { status, body } = await clean({ secrets: [stored] })
  expect(status).toBe(200)
  expect(body.removed.toSorted((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
    { path: '/home/user/.aws', kind: 'credentials' },
    { path: '/home/user/.bash_history', kind: 'history' },
    { path: '/home/user/.ssh', kind: 'credentials' },
    { path: '/home/user/project/.netrc', kind: 'credentials' },
    { path: '/root/.git-credentials', kind: 'credentials' },
  ])
  expect(
    ['var/lib/threadbox/output', 'home/user/.threadbox/outputs'].map((name) => existsSync(path.join(disk, name))),
  ).toEqual([false, false])
  expect(existsSync(path.join(disk, 'home/user/.ipython/profile_default/history.sqlite'))).toBe(false)
  expect(body.redacted.toSorted((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
    { path: '/home/user/.npmrc', rule: 'npmrc-token', count: 1 },
    { path: '/home/user/config.json', rule: 'stored', count: 2 },
    { path: '/home/user/large.bin', rule: 'stored', count: 1 },
  ])
  expect(body.findings).toEqual([{ path: '/home/user/.env', rule: 'github-token', count: 1 }])
  expect(() => execFileSync('grep', ['-rqF', stored, disk])).toThrow()
  expect(execFileSync('grep', ['-rlF', stored, sourcePath]).toString().trim().split('\n')).toHaveLength(2)
  expect(readFileSync(path.join(disk, 'home/user/.npmrc'), 'utf8')).toContain(
    'registry=https://r/\n//r/:_authToken=****',
  )
  expect(readFileSync(path.join(disk, 'home/user/.npmrc'), 'utf8')).toContain('$' + '{TOKEN}')
  // Selected: overwritten, and the rest of the file stays.
  const again = await clean({ redact: [{ path: '/home/user/.env', rule: 'github-token' }] })
  expect(again.body).toMatchObject({ removed: [], findings: [], redacted: [{ path: '/home/user/.env', count: 1 }] })
  expect(readFileSync(path.join(disk, 'home/user/.env'), 'utf8')).toBe(`GITHUB=${'*'.repeat(githubToken.length)}\n`)
  expect(readFileSync(path.join(sourcePath, 'home/user/.env'), 'utf8')).toContain(githubToken)
  expect(body.amounts.packages.files).toBe(1)
  // The image's own.
  expect(body.amounts.system.files).toBe(1)
  expect(body.amounts.home.bytes).toBeGreaterThan(22 * 1024 * 1024)
})

test.each(['before disks.getDisk', 'before disks.syncDisk', 'after disks.syncDisk'] as const)(
  'a cleaning that ends with the daemon %s is done by the same order again, and the source has everything',
  async (step) => {
    const { host, sandboxId, put, sourcePath, copy, clean } = await begin()
    await using _ = host
    put('home/user/.netrc', 'machine a password b')
    put('home/user/note', 'kept')
    const disk = await copy()
    const reached = host.hangAt(step)
    clean().catch(() => undefined)
    await reached
    await host.killAndRestart()
    expect((await clean()).status).toBe(200)
    expect(existsSync(path.join(disk, 'home/user/.netrc'))).toBe(false)
    expect(readFileSync(path.join(disk, 'home/user/note'), 'utf8')).toBe('kept')
    expect(existsSync(path.join(sourcePath, 'home/user/.netrc'))).toBe(true)
    expect((await host.request('DELETE', hostPaths.get(sandboxId))).status).toBe(204)
    expect(existsSync(disk)).toBe(false)
  },
)
