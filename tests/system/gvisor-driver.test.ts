import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { makeGvisorDriver, removeCgroupTree } from '@threadbox/gvisor-driver'
import type { BootRequest, MemorySavingDriver } from '@threadbox/sandbox-driver'
import {
  describeMemorySavingDriver,
  describeSandboxDriver,
  type MemorySavingSubject,
} from '@threadbox/sandbox-driver/testing'
import { makeLogger } from '@threadbox/telemetry'
import { findTestMachine } from '@threadbox/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const run = promisify(execFile)
const installation = `t${randomBytes(3).toString('hex').slice(0, 5)}`
const namespace = `threadbox-${installation}`
const MiB = 1024 * 1024

describeSandboxDriver({ name: 'gVisor', setup: setUp })
describeMemorySavingDriver({ name: 'gVisor', setup: setUp })

test('a sandbox that the memory backstop kills is reported with that cause', async () => {
  const { driver, request, commandGuest, leftovers: left, close } = await setUp()
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
  const subject = await setUp()
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
  let subject: Subject
  beforeEach(async () => {
    subject = await setUp()
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

/**
 * Exits on command, or allocates memory without end: each letter doubles what the shell holds. Ten times a second it
 * writes a number that exists only in its memory.
 */
const guestScript = `
number=$RANDOM$RANDOM$RANDOM
until [ -e /skills/end-$HOSTNAME ]; do
  echo $number $((++count)) > /beat-$HOSTNAME
  sleep 0.1
  if [ -e /skills/eat-$HOSTNAME ]; then text=xxxxxxxxxxxxxxxx; while :; do text=$text$text; done; fi
done`

type Subject = MemorySavingSubject & {
  directory: string
  /** Another instance over the same records, on another runsc. */
  open(runscPath?: string): Promise<MemorySavingDriver>
  commandGuest(bootId: string, what: 'end' | 'eat'): Promise<void>
}

/**
 * A root filesystem of a shell and `sleep` with their libraries. Files in a mount that the host can change control the
 * first process (a sandbox can cache what is on its own disk).
 */
async function setUp(): Promise<Subject> {
  const machine = await findTestMachine()
  const directory = await mkdtemp('/run/threadbox-driver-test-')
  const stateDirectory = path.join(directory, 'state')
  const rootPath = await makeRootFilesystem(path.join(directory, 'root'))
  for (const name of ['guest', 'skills']) await mkdir(path.join(directory, name))
  for (const name of ['certificates', 'resolv', 'hosts']) await writeFile(path.join(directory, name), '')
  const args = ['/bin/bash', '-c', guestScript]
  await writeFile(path.join(directory, 'guest', 'guest.json'), JSON.stringify({ args }))
  await run('ip', ['netns', 'add', namespace])
  const request = async (bootId: string): Promise<BootRequest> => ({
    bootId,
    sandboxId: 's00000000000000000000',
    hostname: bootId,
    rootPath,
    networkNamespacePath: `/run/netns/${namespace}`,
    mounts: {
      guestDirectory: path.join(directory, 'guest'),
      certificateBundle: path.join(directory, 'certificates'),
      resolvConf: path.join(directory, 'resolv'),
      hostsFile: path.join(directory, 'hosts'),
      skillsDirectory: path.join(directory, 'skills'),
    },
    limits: { memoryBytes: 256 * MiB, cpus: 1, processes: 64, diskBytes: MiB },
  })
  const commandGuest = (bootId: string, what: string) =>
    writeFile(path.join(directory, 'skills', `${what}-${bootId}`), '')
  let current = new AbortController()
  const open = (runscPath = machine.runscPath) => {
    current.abort()
    current = new AbortController()
    return makeGvisorDriver({
      signal: current.signal,
      runscPath,
      installation,
      stateDirectory,
      logger: makeLogger({ process: 'test', level: 'silent' }),
    })
  }
  return {
    directory,
    driver: await open(),
    request,
    brokenRequest: async (bootId) => ({ ...(await request(bootId)), rootPath: path.join(directory, 'missing') }),
    commandGuest,
    endFromInside: (bootId) => commandGuest(bootId, 'end'),
    memoryOf: ({ madeBy }) => nextBeat(path.join(rootPath, `beat-${madeBy}`)),
    reopen: () => open(),
    open,
    leftovers: () => leftovers(stateDirectory),
    close: async () => {
      await removeCgroupTree(installation)
      await run('ip', ['netns', 'delete', namespace])
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** The number, once the counter next to it advances; undefined if it stands still for ten times its interval. */
async function nextBeat(file: string): Promise<string | undefined> {
  const read = async () => (await readFile(file, 'utf8').catch(() => '')).split(' ')
  const first = (await read())[1]
  for (let waited = 0; waited < 1500; waited += 20) {
    const [number, count] = await read()
    if (count !== undefined && count !== first) return number
    await delay(20)
  }
  return undefined
}

async function makeRootFilesystem(root: string): Promise<string> {
  for (const name of ['bin', 'proc', 'sys', 'dev', 'etc/ssl/certs', 'skills', '.guest']) {
    await mkdir(path.join(root, name), { recursive: true })
  }
  for (const name of ['etc/ssl/certs/ca-certificates.crt', 'etc/resolv.conf', 'etc/hosts']) {
    await writeFile(path.join(root, name), '')
  }
  for (const program of ['/bin/bash', '/bin/sleep']) {
    const { stdout } = await run('ldd', [program])
    const libraries = stdout.match(/\/\S+(?= \(0x)/g) ?? []
    for (const file of [program, ...libraries]) await cp(file, path.join(root, file), { dereference: true })
  }
  return root
}

async function leftovers(stateDirectory: string): Promise<string[]> {
  const { stdout } = await run('ps', ['-e', '-o', 'args='])
  const processes = stdout.split('\n').filter((line) => line.includes(stateDirectory))
  const files = (await readdir(path.join(stateDirectory, 'boots'))).concat(
    await readdir(path.join(stateDirectory, 'runsc')),
  )
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').filter((line) => line.includes('/bundle'))
  return [...processes, ...files, ...(await cgroups()), ...mounts]
}

async function cgroups(): Promise<string[]> {
  const found = await run('find', ['/sys/fs/cgroup', '-path', `*threadbox-${installation}/*`, '-type', 'd'])
  return found.stdout.split('\n').filter((line) => line !== '')
}
