import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@threadbox/object-store'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { day, type LifecycleBench, makeLifecycleBench } from '../lifecycle/lifecycle.test-utils.ts'

let bench: LifecycleBench
let folder: string
let store: string

const objects = async () =>
  (await readdir(join(store, 'archives'), { recursive: true, withFileTypes: true }).catch(() => [])).filter((entry) =>
    entry.isFile(),
  ).length
const noObjects = () => vi.waitFor(async () => expect(await objects()).toBe(0), { timeout: 10_000 })
const isOnHost = async () => bench.host.sandboxes.get((await bench.row()).id)?.isArchived !== true
const archive = () => bench.detail('POST', '/archive')
const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code
const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: { code?: string }) => error.code,
  )
const setDays = (values: Record<string, number>) =>
  bench.server.call('PATCH', '/api/v1/settings', { person: bench.owner, body: { settings: values } })

/** A sandbox that has run, sleeps, and has files. */
async function asleep() {
  await bench.start()
  await bench.awake()
  await bench.detail('POST', '/pause')
  bench.host.disk = 'the files of this thread'
}

onBothDatabases((target) => {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'threadbox-archive-'))
    store = join(folder, 'store')
    await mkdir(store)
    bench = await makeLifecycleBench({
      ...(await target()),
      archive: {
        place: store,
        spoolDirectory: join(folder, 'spool'),
        openStore: (place) => openStore(place, { outside: [], access: { accessKeyId: '', secretAccessKey: '' } }),
      },
    })
  })
  afterEach(async () => {
    await bench[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  describe('A1, O11: the archive', () => {
    test('files leave the host, are shown as archived, and come back on the first use, once for two openers', async () => {
      await asleep()
      const { sandbox, log } = await archive()
      expect(sandbox).toMatchObject({ state: 'archived', archive: { restoredBytes: null } })
      expect(sandbox.archive?.bytes).toBeGreaterThan(0)
      expect(log[0]).toMatchObject({ code: 'archived' })
      expect([await isOnHost(), await objects()]).toEqual([false, 1])
      const [one, other] = await Promise.all([bench.awake(), bench.awake()])
      expect(one.bootId).toBe(other.bootId)
      expect([bench.host.asked('restore'), bench.host.received.get(one.sandboxId)]).toEqual([1, bench.host.disk])
      expect([await bench.state(), await isOnHost()]).toEqual(['active', true])
      expect(await bench.codes()).toContain('restored-from-archive')
    })

    test('lists, searches and the sandbox’s page bring nothing back; the files’ list says that it sleeps', async () => {
      await asleep()
      await archive()
      const read = (path: string) => bench.server.call('GET', `/api/v1${path}`, { person: bench.owner })
      for (const path of [
        '/threads',
        '/search?q=files',
        `/threads/${bench.threadId}`,
        `/threads/${bench.threadId}/sandbox`,
      ]) {
        expect((await read(path)).status, path).toBe(200)
      }
      const files = await read(`/threads/${bench.threadId}/files?path=/home/user&wake=false`)
      expect([files.status, await codeOf(files)]).toEqual([409, 'sandbox.not-awake'])
      expect([await bench.state(), bench.host.asked('restore')]).toEqual(['archived', 0])
    })

    test('a restore without a start leaves the sandbox cold', async () => {
      await asleep()
      await archive()
      expect((await bench.detail('POST', '/restore')).sandbox.state).toBe('cold')
      expect(bench.host.starts.length).toBe(1)
    })

    test('a store that is down is an error that says what to do; nothing is lost, and it is tried again at the next use', async () => {
      await asleep()
      await archive()
      await rename(store, `${store}-away`)
      expect(await failure(bench.awake())).toBe('archive.store-unreachable')
      expect([await bench.state(), await isOnHost()]).toEqual(['archived', false])
      await rename(`${store}-away`, store)
      await bench.awake()
      expect(await bench.state()).toBe('active')
    })

    test('a store that is down while files leave keeps them on the host', async () => {
      await asleep()
      await rename(store, `${store}-away`)
      const response = await bench.call('POST', '/archive')
      expect([response.status, await codeOf(response)]).toEqual([503, 'archive.store-unreachable'])
      expect([await bench.state(), await isOnHost()]).toEqual(['cold', true])
      await rename(`${store}-away`, store)
      expect((await archive()).sandbox.state).toBe('archived')
    })

    test('a lost object is said, and the conversation is kept', async () => {
      await asleep()
      await archive()
      await rename(join(store, 'archives'), join(folder, 'lost'))
      expect(await failure(bench.awake())).toBe('archive.files-lost')
      expect(await bench.state()).toBe('archived')
      await rename(join(folder, 'lost'), join(store, 'archives'))
      await bench.awake()
      expect(await bench.state()).toBe('active')
    })

    test('a host without space for the files says so, and they stay archived', async () => {
      await asleep()
      await archive()
      bench.host.fail('restore', { code: 'archive.no-space', kind: 'out-of-space' })
      expect(await failure(bench.awake())).toBe('archive.no-space')
      expect(await bench.state()).toBe('archived')
      await bench.awake()
      expect(await bench.state()).toBe('active')
    })

    test('a use while files are being copied goes ahead: they stay, and the copy is deleted', async () => {
      await asleep()
      const release = bench.host.hold('sendDisk')
      const archiving = bench.call('POST', '/archive')
      await vi.waitFor(() => expect(bench.host.asked('sendDisk')).toBe(1))
      await bench.awake()
      release()
      expect(await codeOf(await archiving)).toBe('environment.in-use')
      expect([await bench.state(), await isOnHost()]).toEqual(['active', true])
      await noObjects()
    })

    test('an awake sandbox is not archived', async () => {
      await bench.start()
      await bench.awake()
      const response = await bench.call('POST', '/archive')
      expect([response.status, await codeOf(response)]).toEqual([409, 'archive.not-asleep'])
    })
  })

  describe('O11: a server that ends at any phase leaves one copy that counts', () => {
    test('before the host was ordered to delete: the next use finds the files there', async () => {
      await asleep()
      bench.host.fail('archive', { code: 'host.unreachable', kind: 'unavailable' })
      expect((await bench.call('POST', '/archive')).status).toBe(503)
      expect([await bench.state(), await isOnHost()]).toEqual(['archived', true])
      await bench.awake()
      expect([await bench.state(), bench.host.asked('restore')]).toEqual(['active', 0])
    })
    test('before the host was ordered to delete: the next start completes it', async () => {
      await asleep()
      bench.host.fail('archive', { code: 'host.unreachable', kind: 'unavailable' })
      await bench.call('POST', '/archive')
      await bench.server.areas.sandboxes.recoverLifecycle()
      expect([await bench.state(), await isOnHost(), await objects()]).toEqual(['archived', false, 1])
      await bench.awake()
      expect(bench.host.received.size).toBe(1)
    })
    test('after the host deleted, without its response: both continue from there', async () => {
      await asleep()
      bench.host.loseAnswer = (order) => order === 'archive'
      expect((await bench.call('POST', '/archive')).status).toBe(503)
      bench.host.loseAnswer = () => false
      expect([await bench.state(), await isOnHost()]).toEqual(['archived', false])
      await bench.server.areas.sandboxes.recoverLifecycle()
      await bench.awake()
      expect(await bench.state()).toBe('active')
    })
    test('after the files were back, without the response: they are not restored twice', async () => {
      await asleep()
      await archive()
      bench.host.loseAnswer = (order) => order === 'restore'
      expect(await failure(bench.awake())).toBe('host.unreachable')
      bench.host.loseAnswer = () => false
      expect([await bench.state(), await isOnHost()]).toEqual(['archived', true])
      await bench.awake()
      expect([await bench.state(), bench.host.asked('restore')]).toEqual(['active', 1])
    })
    test('other content on the host than in the copy: the sandbox stays as it is', async () => {
      await asleep()
      bench.host.fail('archive', { code: 'archive.disk-changed', kind: 'conflict' })
      expect((await bench.call('POST', '/archive')).status).toBe(409)
      expect([await bench.state(), await isOnHost()]).toEqual(['cold', true])
    })
    test('a host that knows nothing, because its state is from a backup, gets the files all the same', async () => {
      await asleep()
      await archive()
      const { id } = await bench.row()
      bench.host.sandboxes.delete(id)
      await bench.awake()
      expect(bench.host.received.get(id)).toBe(bench.host.disk)
    })
  })

  describe('O11: time', () => {
    test('a sandbox is archived after the days of the setting without use, and not because the clock was set', async () => {
      await asleep()
      await setDays({ archiveDays: 30 })
      await bench.pass(29 * day)
      for (const years of [1, -1]) {
        bench.server.clock.set += years * 365 * day
        await bench.pass(years * 365 * day)
      }
      expect(await bench.state()).toBe('paused')
      await bench.pass(1.1 * day)
      await bench.pass(6 * 60_000)
      await vi.waitFor(async () => expect(await bench.state()).toBe('archived'), { timeout: 10_000 })
    })

    test('deletion after the retention time is announced also while archived, and removes the copy', async () => {
      await asleep()
      await archive()
      await setDays({ retentionDays: 30 })
      await bench.pass(24 * day)
      expect((await bench.notices()).map(({ code }) => code)).toContain('retention-near')
      expect([await bench.state(), await objects()]).toEqual(['archived', 1])
      await bench.pass(6.9 * day)
      expect(await bench.state()).toBe('archived')
      await bench.pass(0.2 * day)
      expect(await bench.state()).toBe('fresh')
      await noObjects()
    })

    test('a copy is kept for 30 days after the return of its files', async () => {
      await asleep()
      await archive()
      await bench.awake()
      await bench.pass(29 * day)
      expect(await objects()).toBe(1)
      await bench.pass(2 * day)
      await noObjects()
    })
  })
})
