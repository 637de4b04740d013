import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultRetention, makeKeys } from '@threadbox/backups'
import type { Backups } from '@threadbox/protocol/public'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { startTimeOf } from './backup-process.ts'
import { backupSettingsFile, writeBackupSettings } from './backup-settings.ts'
import { backupStatusFile, changeBackupStatus } from './backup-status.ts'

const hour = 3_600_000
const program = join(import.meta.dirname, '../../backup-program/main.ts')

let root: string
let directory: string
let store: string
let server: TestApplication
let owner: TestPerson
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'threadbox-daily-'))
  directory = join(root, 'server')
  store = join(root, 'store')
  await mkdir(directory)
  await mkdir(store)
  await writeFile(join(directory, 'master.key'), Buffer.alloc(32), { mode: 0o600 })
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await rm(root, { recursive: true, force: true })
})

/** The server of an installation, whose backups are made by `command`. */
async function serve(command: readonly string[] = [process.execPath, program]): Promise<void> {
  const environment = { THREADBOX_SERVER_DATA: directory, THREADBOX_HOST_SOCKET: join(root, 'no.sock') }
  server = await makeTestApplication({
    databaseFile: join(directory, 'server.db'),
    backups: { directory, command, environment, niceness: 0 },
  })
  owner = await server.signUpOwner()
}
async function setUp(values: { place?: string; isConfirmed?: boolean } = {}): Promise<void> {
  const { recoveryKey, machine } = await makeKeys()
  await writeBackupSettings(directory, {
    format: 1,
    place: store,
    access: { accessKeyId: '', secretAccessKey: '' },
    keys: machine,
    ending: recoveryKey.slice(-8),
    isConfirmed: true,
    retention: defaultRetention,
    ...values,
  })
}

async function call(method: string, path: string, options: { person?: TestPerson; body?: unknown } = {}) {
  const response = await server.call(method, `/api/v1${path}`, { person: owner, ...options })
  const body = (await response.json()) as Backups & { error: { code: string }; secret: string }
  return { status: response.status, body, code: body.error?.code }
}
const list = async () => (await call('GET', '/machine/backups')).body
const run = () => call('POST', '/machine/backups/run')
const settled = () => server.areas.installation.backups.settled()
const schedule = () => server.areas.installation.backups.schedule
const statusFile = () => backupStatusFile(directory)

/** A program that waits for `endIt`. */
const waiting = () => ['/bin/sh', '-c', `echo "$0" >>${root}/started; until [ -e ${root}/end ]; do sleep 0.05; done`]
const endIt = () => writeFile(join(root, 'end'), '')
const starts = async () => (await readFile(join(root, 'started'), 'utf8').catch(() => '')).split('\n').length - 1

describe('without a backup program that works', () => {
  test('C12: without a store, or before its key is confirmed, none is started', async () => {
    await serve(waiting())
    expect(await list()).toMatchObject({ state: 'not-set-up', place: null, attention: null, nextAt: null })
    expect(await run()).toMatchObject({ status: 409, code: 'backup.not-set-up' })
    await setUp({ isConfirmed: false })
    expect(await list()).toMatchObject({ state: 'not-confirmed', place: store, attention: null, nextAt: null })
    expect(await run()).toMatchObject({ status: 409, code: 'backup.not-confirmed' })
    server.clock.now += 48 * hour
    expect(await schedule().check()).toBeNull()
    expect(await starts()).toBe(0)
  })

  test('C12: damaged settings are an error that is shown, and nothing is started', async () => {
    await serve(waiting())
    await setUp()
    await writeFile(backupSettingsFile(directory), '{"format": 1')
    const { failure, attention } = await list()
    expect([failure?.code, attention]).toEqual(['backup.settings-damaged', 'failed'])
    expect((await run()).code).toBe('backup.settings-damaged')
    await expect(schedule().check()).rejects.toThrow('its content is damaged')
    expect(await starts()).toBe(0)
  })

  test('C12: one that ends without a word is recorded as ended, with what it printed', async () => {
    await serve(['/bin/sh', '-c', 'echo no room >&2; exit 3'])
    await setUp()
    await run()
    await settled()
    const { failure, attention } = await list()
    expect(failure).toMatchObject({ step: 'run', code: 'backup.program-ended', details: { reason: 'no room' } })
    expect(attention).toBe('failed')
  })

  test('C12: one that doesn’t start is recorded, too', async () => {
    await serve(['/nowhere/node'])
    await setUp()
    await run()
    await settled()
    expect((await list()).failure).toMatchObject({ step: 'run', code: 'backup.program-ended' })
  })
})

describe('the backup program', () => {
  test('C12: what it can’t write is recorded with its code, until a backup succeeds, which is listed with what is not in it', async () => {
    await serve()
    await setUp({ place: join(root, 'missing') })
    expect((await run()).status).toBe(202)
    await settled()
    const failed = await list()
    expect(failed).toMatchObject({ attention: 'failed', backups: [], succeededAt: null, running: null })
    expect(failed.failure).toMatchObject({ step: 'run', code: 'store.not-a-folder', message: expect.any(String) })
    await setUp()
    await run()
    await settled()
    const { backups, succeededAt, verifiedAt, ...made } = await list()
    expect(made).toMatchObject({ attention: null, failure: null, place: store, running: null })
    expect(backups).toHaveLength(1)
    expect(backups[0]).toMatchObject({ at: expect.any(Number), problems: [], verifiedAt: expect.any(Number) })
    expect(backups[0]?.sizeBytes).toBeGreaterThan(1000)
    expect(backups[0]?.leftOut?.map(({ what }) => what)).toEqual([
      'the disks of all sandboxes',
      'the machine’s settings and certificate authority',
      'the memory of sandboxes',
    ])
    expect(succeededAt).not.toBeNull()
    expect(verifiedAt).toBeGreaterThanOrEqual(succeededAt ?? 0)
  })

  test('C12: damage is found after the next backup, and a damaged record is an error that is shown', async () => {
    await serve()
    await setUp()
    await run()
    await settled()
    await writeFile(statusFile(), '{"succeededAt": 5,')
    const { failure, attention, state } = await list()
    expect([state, attention]).toEqual(['ready', 'failed'])
    expect(failure).toMatchObject({ step: 'record', code: 'backup.status-damaged' })
    const [name = ''] = (await readdir(join(store, 'backups'))).filter((each) => each.endsWith('.age'))
    await writeFile(join(store, 'backups', name), 'damaged')
    await run()
    await settled()
    const after = await list()
    expect(after.attention).toBe('failed')
    expect(after.failure).toMatchObject({
      step: 'verify',
      code: 'backup.found-damaged',
      details: { damaged: 1, total: 2 },
    })
    expect(after.backups.map(({ problems }) => problems)).toEqual([[], ['the manifest is truncated']])
    expect(after.backups.map(({ leftOut }) => leftOut === null)).toEqual([false, true])
  })
})

describe('a backup runs', () => {
  test('C12: a second one is refused, also if a person started the first on the machine', async () => {
    await serve(waiting())
    await setUp()
    const [first, second] = await Promise.all([run(), run()])
    expect([first.status, second.status].toSorted()).toEqual([202, 409])
    expect([first.code, second.code]).toContain('backup.already-running')
    expect((await list()).running).toMatchObject({ step: 'run', startedAt: expect.any(Number) })
    await endIt()
    await settled()
    expect((await list()).running).toBeNull()
    expect(await starts()).toBe(1)
    const startTime = (await startTimeOf(process.pid)) ?? ''
    await changeBackupStatus(statusFile(), { program: { pid: process.pid, startTime, isRepeated: false } })
    expect((await run()).code).toBe('backup.already-running')
    expect((await list()).running).toMatchObject({ step: 'run', files: null })
  })

  test('C12: its steps and what it has read so far are shown', async () => {
    await serve([
      '/bin/sh',
      '-c',
      `echo step verify; echo progress 12 3000; until [ -e ${root}/end ]; do sleep 0.05; done`,
    ])
    await setUp()
    await run()
    await expect.poll(async () => (await list()).running).toMatchObject({ step: 'verify', files: 12, bytes: 3000 })
    await endIt()
    await settled()
  })

  test('C12: a stop of the server ends it, which is no failure', async () => {
    await serve(waiting())
    await setUp()
    await run()
    await server.areas.installation.backups.stop()
    expect((await list()).failure).toBeNull()
    expect((await list()).running).toBeNull()
  })
})

describe('the schedule', () => {
  test('C12: starts one at its time, and the next a day later', async () => {
    await serve(waiting())
    await setUp()
    await endIt()
    await call('PATCH', '/settings', { body: { settings: { backupDaily: '03:15', timeZone: 'Etc/GMT-1' } } })
    const due = Math.ceil(server.clock.now / (24 * hour)) * 24 * hour + 24 * hour + 2.25 * hour
    server.clock.now = due - 1000
    await changeBackupStatus(statusFile(), { succeededAt: server.clock.now - hour, startedAt: server.clock.now - hour })
    expect(await schedule().check()).toBe(due)
    expect(await starts()).toBe(0)
    server.clock.now = due
    expect(await schedule().check()).toBe(due + 24 * hour)
    await settled()
    expect(await starts()).toBe(1)
    server.clock.now += 60_000
    await schedule().check()
    await settled()
    expect(await starts()).toBe(1)
    expect((await list()).nextAt).toBe(due + 24 * hour)
  })

  test('C12: an empty time turns it off, and another text is refused', async () => {
    await serve(waiting())
    await setUp()
    const change = (backupDaily: string) => call('PATCH', '/settings', { body: { settings: { backupDaily } } })
    expect((await change('25:00')).code).toBe('setting.value-invalid')
    expect((await change('')).status).toBe(200)
    server.clock.now += 72 * hour
    expect(await schedule().check()).toBeNull()
    expect(await list()).toMatchObject({ nextAt: null, running: null, attention: 'old' })
  })
})

test('C12: backups are for the owner, admins and keys of that scope, and who started one is in the audit log', async () => {
  await serve(waiting())
  await setUp()
  await endIt()
  const ben = await server.addPerson('Ben')
  expect((await call('GET', '/machine/backups', { person: ben })).code).toBe('auth.owner-required')
  expect((await call('POST', '/machine/backups/run', { person: ben })).code).toBe('auth.owner-required')
  const { body } = await call('POST', '/api-keys', { body: { name: 'monitor', scopes: ['machine'] } })
  const person = { userId: owner.userId, headers: { authorization: `Bearer ${body.secret}` } }
  expect((await call('GET', '/machine/backups', { person })).status).toBe(200)
  expect((await call('POST', '/machine/backups/run', { person })).status).toBe(202)
  await settled()
  const audit = await server.call('GET', '/api/v1/audit', { person: owner })
  expect(await audit.text()).toContain('backup-started')
})
