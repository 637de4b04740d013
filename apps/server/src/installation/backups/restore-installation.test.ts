import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeKeys, parseRecoveryKey, readManifest, verificationKeyOf, verifyBackups } from '@threadbox/backups'
import { type ObjectStore, openStore } from '@threadbox/object-store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, ownerRequest, type TestApplication } from '../../application.test-utils.ts'
import { migrate, migrationNames } from '../../migrations.registry.ts'
import { makeDirectoryBlobStore } from '../../platform/blobs/directory-blob-store.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { openDatabase } from '../../platform/database/database.ts'
import { loadMasterKey } from '../../platform/secrets/secret-box.ts'
import type { SandboxRow } from '../../sandboxes/state/sandboxes.table.ts'
import { tablesIn } from '../../tables.test-utils.ts'
import { backUpInstallation } from './back-up-installation.ts'
import { keepMachineFiles, machineFilesOf } from './machine-files.ts'
import { restoreInstallation, stagingFolder } from './restore-installation.ts'

const canary = 'zq7-canary-of-the-installation'

onBothDatabases((target) => {
  let root: string
  let store: ObjectStore
  let keys: Awaited<ReturnType<typeof makeKeys>>
  let running: TestApplication[]
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'threadbox-restore-'))
    await mkdir(join(root, 'store'))
    store = await openStore(join(root, 'store'), { outside: [], access: { accessKeyId: '', secretAccessKey: '' } })
    keys = await makeKeys()
    running = []
  })
  afterEach(async () => {
    for (const server of running) await server[Symbol.asyncDispose]()
    await rm(root, { recursive: true, force: true })
  })

  /** A server’s folder and its database, which is empty. */
  const newPlace = async (name: string) => {
    const directory = join(root, name)
    await mkdir(directory)
    const { databaseUrl } = await target()
    return {
      directory,
      database: databaseUrl === undefined ? { file: join(directory, 'server.db') } : { url: databaseUrl },
    }
  }
  type Place = Awaited<ReturnType<typeof newPlace>>

  const serve = async ({ directory, database }: Place) => {
    const server = await makeTestApplication({
      ...('file' in database ? { databaseFile: database.file } : { databaseUrl: database.url }),
      blobs: makeDirectoryBlobStore(join(directory, 'blobs')),
      masterKey: await loadMasterKey(join(directory, 'master.key')),
      auditHeadFile: join(directory, 'audit.head'),
    })
    running.push(server)
    return server
  }
  const backUp = (place: Place) =>
    backUpInstallation({
      ...place,
      store,
      settings: { keys: keys.machine },
      host: null,
      version: '1.0.0',
      installation: 'test00',
      newId: () => randomBytes(4).toString('hex'),
      now: Date.now,
    })
  const restore = (place: Place, name: string, options: { asCopy?: boolean; recoveryKey?: string } = {}) =>
    restoreInstallation({
      ...place,
      store,
      name,
      recoveryKey: keys.recoveryKey,
      migrations: migrationNames,
      migrate,
      asCopy: false,
      now: Date.now,
      ...options,
    })

  const fill = async (place: Place) => {
    const server = await serve(place)
    const owner = await server.signUpOwner()
    const made = await server.call('POST', '/api/v1/threads', { person: owner, body: { title: canary } })
    const { id } = (await made.json()) as { id: string }
    await server.call('POST', `/api/v1/threads/${id}/messages`, { person: owner, body: { text: '/help', key: 'b-1' } })
    await server.areas.turns.turns.settled(id)
    await server.areas.platform.blobs.put('attachments/t1/file', Buffer.from(canary.repeat(1000)))
    await server.areas.platform.blobs.put('attachments/t1/empty', new Uint8Array())
    const sealed = server.areas.platform.secretBox.seal(canary)
    await server.areas.people.audit.settled()
    return { server, owner, threadId: id, sealed }
  }
  const signIn = (server: TestApplication) => {
    const { email, password } = ownerRequest()
    return server.call('POST', '/api/v1/auth/sign-in', { body: { email, password } })
  }

  test('people, threads, files and usable secrets of a running installation come back in another folder', async () => {
    const place = await newPlace('one')
    const { threadId, sealed } = await fill(place)
    const { name } = await backUp(place)
    const other = await newPlace('two')
    const { manifest, lost } = await restore(other, name)
    expect(lost).toEqual([])
    expect(manifest.counts).toMatchObject({ people: 1, threads: 1 })
    expect(manifest.leftOut.map(({ what }) => what)).toEqual([
      'the disks of all sandboxes',
      'the machine’s settings and certificate authority',
      'the memory of sandboxes',
    ])
    const server = await serve(other)
    const response = await signIn(server)
    expect(response.status).toBe(200)
    const cookie = response.headers.getSetCookie().map((one) => one.split(';')[0])
    const person = { userId: '', headers: { cookie: cookie.join('; ') } }
    const thread = await server.call('GET', `/api/v1/threads/${threadId}`, { person })
    expect([thread.status, await thread.text()]).toEqual([200, expect.stringContaining(canary)])
    expect(server.areas.platform.secretBox.open(sealed)).toBe(canary)
    expect(await readFile(join(other.directory, 'blobs/attachments/t1/file'), 'utf8')).toBe(canary.repeat(1000))
    expect(await readFile(join(other.directory, 'blobs/attachments/t1/empty'), 'utf8')).toBe('')
    expect(await readdir(join(place.directory, 'backups'))).not.toContain('held')
  })

  test('no stored byte has what people wrote, and nothing is restored with another key', async () => {
    const place = await newPlace('one')
    await fill(place)
    const { name } = await backUp(place)
    for (const entry of await readdir(join(root, 'store'), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const bytes = await readFile(join(entry.parentPath, entry.name))
      for (const secret of [canary, 'owner@example.com', 'attachments']) expect(bytes.includes(secret)).toBe(false)
    }
    const other = await newPlace('two')
    const { recoveryKey } = await makeKeys()
    await expect(restore(other, name, { recoveryKey })).rejects.toMatchObject({ code: 'backup.damaged' })
    await expect(restore(other, name, { recoveryKey: 'no' })).rejects.toMatchObject({
      code: 'backup.recovery-key-invalid',
    })
    expect(await readdir(other.directory)).toEqual([])
  })

  test('a restore over people, of a newer release or without its database is refused, and changes nothing', async () => {
    const place = await newPlace('one')
    await fill(place)
    const { name } = await backUp(place)
    await expect(restore(place, name)).rejects.toMatchObject({ code: 'backup.restore-over-data' })
    const other = await newPlace('two')
    const options = { ...other, store, name, recoveryKey: keys.recoveryKey, migrate, asCopy: false, now: Date.now }
    await expect(restoreInstallation({ ...options, migrations: migrationNames.slice(0, -1) })).rejects.toMatchObject({
      code: 'backup.of-newer-release',
    })
    const { manifest } = await readManifest(store, name, parseRecoveryKey(keys.recoveryKey))
    const [pack] = manifest.packs
    await writeFile(join(root, `store/objects/${pack?.object.slice(0, 2)}/${pack?.object}`), 'damaged')
    await expect(restore(other, name)).rejects.toMatchObject({ code: 'backup.database-lost' })
    expect((await readdir(other.directory)).filter((one) => one !== 'backups')).toEqual([])
    const [verified] = await verifyBackups(store, verificationKeyOf(keys.machine.signingKey))
    expect(verified?.problems).toEqual([expect.stringContaining('truncated')])
  })

  test('what only root can read is in a backup that root did not start, sealed until it is restored', async () => {
    const place = await newPlace('one')
    await fill(place)
    const content = (async function* () {
      yield Buffer.from(canary)
    })()
    await keepMachineFiles(place.directory, { content, recipient: keys.machine.recipient })
    expect((await readFile(machineFilesOf(place.directory))).includes(canary)).toBe(false)
    const { name, leftOut } = await backUp(place)
    expect(leftOut.map(({ what }) => what)).not.toContain('the machine’s settings and certificate authority')
    const other = await newPlace('two')
    expect((await restore(other, name)).lost).toEqual([])
    expect(await readFile(join(stagingFolder(other.directory), 'machine.tar'), 'utf8')).toBe(canary)
  })

  test('blobs that are added, replaced or deleted during a backup are in it as the database knows them', async () => {
    const place = await newPlace('one')
    const { server } = await fill(place)
    const { blobs } = server.areas.platform
    const deleting = {
      ...store,
      put: async (...content: Parameters<ObjectStore['put']>) => {
        await blobs.deleteAll('attachments/t1')
        return await store.put(...content)
      },
    }
    const { name } = await backUpInstallation({
      ...place,
      store: deleting,
      settings: { keys: keys.machine },
      host: null,
      version: '1.0.0',
      installation: 'test00',
      newId: () => randomBytes(4).toString('hex'),
      now: Date.now,
      packBytes: 16 * 1024,
    })
    expect(await readdir(join(place.directory, 'blobs/attachments'))).toEqual([])
    const other = await newPlace('two')
    expect((await restore(other, name)).lost).toEqual([])
    expect(await readFile(join(other.directory, 'blobs/attachments/t1/file'), 'utf8')).toBe(canary.repeat(1000))
  })

  test('in a restored database nothing runs and no session counts; as a copy, no link leads to it and nothing starts', async () => {
    const place = await newPlace('one')
    const { server, owner, threadId } = await fill(place)
    const tables = tablesIn(server.open)
    const link = await server.call('POST', `/api/v1/threads/${threadId}/links`, {
      person: owner,
      body: { withFiles: false, expiresInSeconds: null },
    })
    expect(link.status).toBe(201)
    const limits = { memory_bytes: 1, cpus: 1, processes: 1, disk_bytes: 1 }
    const sandbox = { id: 's-of-the-test', thread_id: threadId, state: 'active', boot_id: 'b1', has_run: 1 }
    const times = { since: 1, created_at: 1, used_at: 1 }
    await tables
      .insertInto('sandboxes')
      .values({ ...sandbox, ...limits, ...times } as SandboxRow)
      .execute()
    const { name } = await backUp(place)
    for (const asCopy of [false, true]) {
      const other = await newPlace(`copy-${asCopy}`)
      await restore(other, name, { asCopy })
      const open = openDatabase(other.database)
      const restored = tablesIn(open)
      expect(await restored.selectFrom('sandboxes').select(['id', 'state', 'boot_id']).execute()).toEqual([
        { id: sandbox.id, state: 'cold', boot_id: null },
      ])
      expect(await restored.selectFrom('sessions').selectAll().execute()).toEqual([])
      expect(await restored.selectFrom('thread_links').selectAll().execute()).toHaveLength(asCopy ? 0 : 1)
      await open.close()
    }
  })
}, 'empty')
