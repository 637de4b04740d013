import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type GvisorDriverOptions, makeGvisorDriver, removeDriverOf } from '@threadbox/gvisor-driver'
import type { BootRequest, MemorySavingDriver } from '@threadbox/sandbox-driver'
import type { MemorySavingSubject } from '@threadbox/sandbox-driver/testing'
import { makeLogger } from '@threadbox/telemetry'
import { findTestMachine } from '@threadbox/testkit'

const run = promisify(execFile)
const installation = `t${randomBytes(3).toString('hex').slice(0, 5)}`
const namespace = `threadbox-${installation}`
const MiB = 1024 * 1024

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

export type DriverSubject = MemorySavingSubject & {
  directory: string
  /** Another instance over the same records, on another runsc. */
  open(runscPath?: string): Promise<MemorySavingDriver>
  /** The name of the network namespace of its gofers. */
  goferNamespace: string
  /** Removes what it has added to the kernel, as the removal of an installation does. */
  removeTraces(): Promise<void>
  /** Where runsc keeps its records and control sockets. */
  runscState: string
  commandGuest(bootId: string, what: 'end' | 'eat'): Promise<void>
}

/**
 * A root filesystem of a shell and `sleep` with their libraries. Files in a mount that the host can change control the
 * first process (a sandbox can cache what is on its own disk).
 */
export async function setUpDriver(settings: Pick<GvisorDriverOptions, 'kernelReplyMs'> = {}): Promise<DriverSubject> {
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
      ...settings,
      signal: current.signal,
      runscPath,
      installation,
      stateDirectory,
      logger: makeLogger({ process: 'test', level: 'silent' }),
    })
  }
  return {
    directory,
    goferNamespace: `tbg-${installation}`,
    removeTraces: () => removeDriverOf(installation),
    runscState: path.join(stateDirectory, 'runsc'),
    driver: await open(),
    request,
    brokenRequest: async (bootId) => ({ ...(await request(bootId)), rootPath: path.join(directory, 'missing') }),
    commandGuest,
    endFromInside: (bootId) => commandGuest(bootId, 'end'),
    memoryOf: ({ madeBy, isFrozen = false }) =>
      nextBeat(path.join(rootPath, `beat-${madeBy}`), isFrozen ? stillMs : busyMs),
    reopen: () => open(),
    open,
    leftovers: () => leftovers(stateDirectory),
    close: async () => {
      await removeDriverOf(installation)
      await run('ip', ['netns', 'delete', namespace])
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Ten times the counter’s interval. */
const stillMs = 1_500
/** The longest that a busy machine may need to run the counter’s sandbox. */
const busyMs = 60_000

/** The number, once the counter next to it advances; undefined if it stands still for so long. */
async function nextBeat(file: string, longestMs: number): Promise<string | undefined> {
  const read = async () => (await readFile(file, 'utf8').catch(() => '')).split(' ')
  const first = (await read())[1]
  for (let waited = 0; waited < longestMs; waited += 20) {
    const [number, count] = await read()
    if (count !== undefined && count !== first) return number
    await delay(20)
  }
  return undefined
}

async function makeRootFilesystem(root: string): Promise<string> {
  // `tmp` too: boots that start at the same time share this disk, and each would make it.
  for (const name of ['bin', 'proc', 'sys', 'dev', 'tmp', 'etc/ssl/certs', 'skills', '.guest']) {
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
  const found = await run('find', [
    '/sys/fs/cgroup',
    '-ignore_readdir_race',
    '-path',
    `*threadbox-${installation}/*`,
    '-type',
    'd',
  ])
  return found.stdout.split('\n').filter((line) => line !== '')
}
