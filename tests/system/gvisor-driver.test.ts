import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { BootRequest } from '@threadbox/sandbox-driver'
import { describeMemorySavingDriver, describeSandboxDriver } from '@threadbox/sandbox-driver/testing'
import { findTestMachine } from '@threadbox/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type DriverSubject, setUpDriver } from './gvisor-driver/driver-subject.ts'

const run = promisify(execFile)

describeSandboxDriver({ name: 'gVisor', setup: setUpDriver })
describeMemorySavingDriver({ name: 'gVisor', setup: setUpDriver })
describeMemorySavingDriver({ name: 'gVisor by commands only', setup: () => setUpDriver({ kernelReplyMs: 0 }) })

test('a sandbox that the memory backstop kills is reported with that cause', async () => {
  const { driver, request, commandGuest, leftovers: left, close } = await setUpDriver()
  try {
    const boot = await request('b99999999999999999999')
    await driver.start(boot)
    await commandGuest(boot.bootId, 'eat')
    const end = await driver.waitForEnd(boot.bootId, new AbortController().signal)
    expect(end).toMatchObject({ cause: 'memory-backstop', detail: expect.stringMatching(/exceeded its memory limit/) })
    await driver.forget(boot.bootId)
    expect(await left()).toEqual([])
  } finally {
    await close()
  }
})

test('C6: saved memory is used by the version of runsc that saved it, as long as that is on the machine', async () => {
  const { runscPath } = await findTestMachine()
  const programs = await mkdtemp('/run/threadbox-runsc-test-')
  const subject = await setUpDriver()
  try {
    const { version } = await subject.driver.describe()
    const other = version.replace(/\d/g, '7')
    await install({ programs, from: runscPath, version, as: version })
    await install({ programs, from: runscPath, version, as: other })
    const older = await subject.open(path.join(programs, version, 'runsc'))
    const boot = await subject.request('b77777777777777777771')
    await older.start(boot)
    const before = await subject.memoryOf({ bootId: boot.bootId, madeBy: boot.bootId })
    // Control of running sandboxes stays with the older version, also after the upgrade.
    const newer = await subject.open(path.join(programs, other, 'runsc'))
    expect(await newer.describe()).toMatchObject({ version: other })
    const directory = path.join(programs, 'image')
    await newer.freeze(boot.bootId)
    await newer.saveMemory({ bootId: boot.bootId, directory })
    await newer.stop(boot.bootId)
    await newer.forget(boot.bootId)
    const next = { ...(await subject.request('b77777777777777777772')), directory }
    await newer.startFromMemory(next)
    expect(await subject.memoryOf({ bootId: next.bootId, madeBy: boot.bootId })).toBe(before)
    await newer.stop(next.bootId)
    await newer.forget(next.bootId)
    await rm(path.join(programs, version), { recursive: true })
    expect(await newer.judgeMemory(directory)).toMatchObject({
      problem: 'other-version',
      detail: expect.stringContaining(version),
    })
    expect(await subject.leftovers()).toEqual([])
  } finally {
    await subject.close()
    await rm(programs, { recursive: true, force: true })
  }
})

describe('IDs of a sandbox', () => {
  let subject: DriverSubject
  beforeEach(async () => {
    subject = await setUpDriver()
  })
  afterEach(async () => {
    for (const { bootId } of await subject.driver.list()) await end(bootId)
    expect(await subject.leftovers()).toEqual([])
    await subject.close()
  })
  const end = async (bootId: string) => {
    await subject.driver.stop(bootId)
    await subject.driver.forget(bootId)
  }
  /** A request whose IDs can’t be shifted: `/proc` can’t be mounted with other ones. */
  const unshiftable = async (bootId: string) => {
    const request = await subject.request(bootId)
    return { ...request, mounts: { ...request.mounts, certificateBundle: '/proc/version' } }
  }
  const rootOf = async (bootId: string) => {
    const status = await subject.driver.inspect(bootId)
    return status?.state === 'running' ? (await stat(`/proc/${status.pid}`)).uid : undefined
  }
  const saved = async (bootId: string) => {
    const directory = path.join(subject.directory, `image-of-${bootId}`)
    await subject.driver.freeze(bootId)
    await subject.driver.saveMemory({ bootId, directory })
    await end(bootId)
    return directory
  }

  test('its kernel is no user of the machine, and what it writes is the disk’s root’s', async () => {
    const request = await subject.request('b66666666666666666661')
    await subject.driver.start(request)
    expect(await rootOf(request.bootId)).toBe(2 ** 31)
    expect(await subject.memoryOf({ bootId: request.bootId, madeBy: request.bootId })).toBeTypeOf('string')
    expect((await stat(path.join(request.rootPath, `beat-${request.bootId}`))).uid).toBe(0)
  })

  test('where a file system can’t shift them, they are the machine’s', async () => {
    const request = await unshiftable('b66666666666666666662')
    await subject.driver.start(request)
    expect(await rootOf(request.bootId)).toBe(0)
    expect(await subject.memoryOf({ bootId: request.bootId, madeBy: request.bootId })).toBeTypeOf('string')
  })

  test('C6: memory that an earlier release saved wakes with shifted ones, and so does what is saved then', async () => {
    const request = await unshiftable('b66666666666666666663')
    await subject.driver.start(request)
    const before = await subject.memoryOf({ bootId: request.bootId, madeBy: request.bootId })
    let directory = await saved(request.bootId)
    const { ids, ...asBefore } = JSON.parse(await readFile(path.join(directory, 'image.json'), 'utf8'))
    expect(ids).toBe('machine')
    await writeFile(path.join(directory, 'image.json'), JSON.stringify(asBefore))
    for (const bootId of ['b66666666666666666664', 'b66666666666666666665']) {
      await subject.driver.startFromMemory({ ...(await subject.request(bootId)), directory })
      expect(await rootOf(bootId)).toBe(2 ** 31)
      expect(await subject.memoryOf({ bootId, madeBy: request.bootId })).toBe(before)
      directory = await saved(bootId)
    }
  })

  test('C6: memory that was saved with shifted ones wakes where they can no longer be shifted', async () => {
    const request = await subject.request('b66666666666666666666')
    await subject.driver.start(request)
    const before = await subject.memoryOf({ bootId: request.bootId, madeBy: request.bootId })
    const directory = await saved(request.bootId)
    const next = await unshiftable('b66666666666666666667')
    await subject.driver.startFromMemory({ ...next, directory })
    expect(await rootOf(next.bootId)).toBe(0)
    expect(await subject.memoryOf({ bootId: next.bootId, madeBy: request.bootId })).toBe(before)
  })
})

describe('gofers, which serve files to sandboxes', () => {
  let subject: DriverSubject
  let requests: BootRequest[]
  beforeEach(async () => {
    subject = await setUpDriver()
    requests = await Promise.all(['b44444444444444444441', 'b44444444444444444442'].map(subject.request))
  })
  afterEach(() => subject.close())
  const startAll = () => Promise.all(requests.map((request) => subject.driver.start(request)))
  const endAll = async () => {
    for (const { bootId } of requests) {
      await subject.driver.stop(bootId)
      await subject.driver.forget(bootId)
    }
  }
  const namespaces = async () => {
    const { stdout } = await run('pgrep', ['-f', `runsc-gofer.*${subject.runscState}`])
    const pids = stdout.trim().split('\n')
    return await Promise.all(pids.map(async (pid) => ({ pid, net: await readlink(`/proc/${pid}/ns/net`) })))
  }
  const isNamed = async () => (await readdir('/run/netns')).includes(subject.goferNamespace)

  test('they share one network namespace with nothing but its own loopback, which is down', async () => {
    await startAll()
    const [first, second] = await namespaces()
    expect(second?.net).toBe(first?.net)
    const { stdout } = await run('nsenter', ['-t', first?.pid ?? '', '-n', 'ip', '-brief', 'link'])
    expect(stdout.trim().split('\n')).toEqual([expect.stringMatching(/^lo\s+DOWN/)])
    await endAll()
  })

  test.each([
    ['removed', async () => undefined],
    ['half made by a killed start', (file: string) => writeFile(file, '')],
  ])(
    'a namespace that was %s is made again at the next start, and removed with the installation',
    async (_how, leave) => {
      await startAll()
      await endAll()
      expect(await isNamed()).toBe(true)
      await run('ip', ['netns', 'delete', subject.goferNamespace])
      await leave(path.join('/run/netns', subject.goferNamespace))
      await startAll()
      const [first, second] = await namespaces()
      expect(second?.net).toBe(first?.net)
      expect(first?.net).not.toBe(await readlink('/proc/self/ns/net'))
      await endAll()
      await subject.removeTraces()
      expect(await isNamed()).toBe(false)
      await subject.removeTraces()
    },
  )
})

/** A copy of runsc that reports, and believes to have, another version of the same length. */
async function install(options: { programs: string; from: string; version: string; as: string }): Promise<void> {
  const program = await readFile(options.from)
  for (let at = program.indexOf(options.version); at >= 0; at = program.indexOf(options.version, at)) {
    program.write(options.as, at)
    at += options.as.length
  }
  await mkdir(path.join(options.programs, options.as))
  await writeFile(path.join(options.programs, options.as, 'runsc'), program, { mode: 0o755 })
}
