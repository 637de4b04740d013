import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdir, open, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { hostPaths } from '@threadbox/protocol/host'
import {
  findLeftovers,
  findTestMachine,
  type HostRequests,
  makeHostRequests,
  noteStart,
  programFile,
  removeLeftovers,
  testGuest,
} from '@threadbox/testkit'

const run = promisify(execFile)
const MiB = 1024 * 1024

/**
 * The machine as one host daemon sees it: the identity of its start, and how much memory is free. It has its own mount
 * namespace, in which these two kernel files are covered and which no other program copies: a namespace that another
 * program creates at that time would keep everything mounted that is mounted then.
 */
export type OwnMachine = AsyncDisposable & {
  /** Path of that namespace’s files from outside. */
  root: string
  /** Beginning of a command line that runs in it. */
  enter: readonly [string, ...string[]]
  mount(flags: string[]): Promise<void>
  /** Unmounts what programs that are just exiting might still use; does nothing if it is not mounted. */
  unmount(directory: string): Promise<void>
  /** Like a power cycle of the machine. */
  restart(): Promise<void>
  setAvailableMemory(bytes: number): Promise<void>
}

export type SmallHost = HostRequests & {
  log(): Promise<string>
  leftovers(): Promise<string[]>
  /** Ends daemon and sandboxes as a power cut does, and removes from the machine what would not survive one. */
  cutPower(): Promise<void>
}

export type SmallHostOptions = {
  installation: string
  /** The data directory, which contains the pool: its own mount. */
  dataDirectory: string
  /** Outside of the data directory. */
  logFile: string
  machine: OwnMachine
  imageArchive: string
  environment: Record<string, string>
}

const meminfoLength = 4096

/** `directory` holds its kernel files. */
export async function makeOwnMachine(directory: string): Promise<OwnMachine> {
  const [bootId, meminfo] = [path.join(directory, 'boot_id'), path.join(directory, 'meminfo')]
  let starts = 0
  const setAvailableMemory = async (bytes: number) => {
    const lines = { MemTotal: 5 * 1024 * MiB, MemFree: bytes, MemAvailable: bytes }
    const text = Object.entries(lines).map(([name, value]) => `${name}: ${Math.floor(value / 1024)} kB\n`)
    // Written in place and in one piece, because it is mounted elsewhere and can be read at any time.
    await using file = await open(meminfo, 'r+')
    await file.write(text.join('').padEnd(meminfoLength, '\n'), 0)
  }
  const restart = () => writeFile(bootId, `00000000-0000-4000-8000-${String(++starts).padStart(12, '0')}\n`)
  await writeFile(meminfo, '')
  await setAvailableMemory(4 * 1024 * MiB)
  await restart()
  const covers = `mount --bind ${bootId} /proc/sys/kernel/random/boot_id && mount --bind ${meminfo} /proc/meminfo`
  const script = `${covers} && echo ready && exec cat`
  const keeper = spawn('unshare', ['--mount', 'sh', '-c', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(keeper.stdout, 'data')
  const enter = ['nsenter', `--mount=/proc/${keeper.pid}/ns/mnt`, '--'] as const
  const root = `/proc/${keeper.pid}/root`
  const within = (command: string[]) => run(enter[0], [...enter.slice(1), ...command])
  return {
    root,
    enter,
    restart,
    setAvailableMemory,
    mount: async (flags) => void (await within(['mount', ...flags])),
    unmount: async (mounted) => {
      for (let attempt = 0; ; attempt++) {
        if (!(await readFile(`/proc/${keeper.pid}/mounts`, 'utf8')).includes(` ${mounted} `)) return
        try {
          await within(['umount', mounted])
        } catch (error) {
          if (attempt === 100) throw error
          await delay(100)
        }
      }
    },
    [Symbol.asyncDispose]: async () => {
      const ended = once(keeper, 'exit')
      keeper.stdin.end()
      await ended
    },
  }
}

/** A real host daemon over a directory that is small enough to be copied whole. Needs root. */
export async function startSmallHost(options: SmallHostOptions): Promise<SmallHost> {
  const { installation, dataDirectory, logFile, machine } = options
  const { runscPath } = await findTestMachine()
  const guestDirectory = await testGuest()
  const socketPath = path.join(dataDirectory, 'run/host.sock')
  await mkdir(path.dirname(path.join(machine.root, socketPath)), { recursive: true })
  const gatewaySocketPath = path.join(dataDirectory, 'run/gateway.sock')
  const requests = makeHostRequests({
    socketPath: path.join(machine.root, socketPath),
    gatewaySocketPath: path.join(machine.root, gatewaySocketPath),
  })
  const daemon = spawnDaemon({
    machine,
    logFile,
    environment: {
      THREADBOX_INSTALLATION: installation,
      THREADBOX_DATA: dataDirectory,
      THREADBOX_HOST_SOCKET: socketPath,
      THREADBOX_GATEWAY_SOCKET: gatewaySocketPath,
      THREADBOX_RUNSC: runscPath,
      THREADBOX_IMAGE: options.imageArchive,
      THREADBOX_GUEST: guestDirectory,
      THREADBOX_KEEP_FREE_BYTES: '0',
      THREADBOX_IMAGE_RESERVE_BYTES: String(64 * MiB),
      THREADBOX_SPARE_SANDBOXES: '0',
      THREADBOX_PREPARED_ALLOCATIONS: '0',
      THREADBOX_LOG_LEVEL: 'debug',
      ...options.environment,
    },
  })
  const cutPower = async () => {
    if (daemon.exitCode === null && daemon.signalCode === null) {
      const ended = once(daemon, 'exit')
      daemon.kill('SIGKILL')
      await ended
    }
    requests.close()
    await removeLeftovers({ installation, dataDirectory, diskDirectory: '' })
    await machine.unmount(path.join(dataDirectory, 'disks/pool'))
  }
  const leftovers = async () => {
    const seen = path.join(machine.root, dataDirectory)
    const files = { installation, dataDirectory: seen, diskDirectory: path.join(seen, 'disks') }
    const processes = await findLeftovers({ installation, dataDirectory, diskDirectory: files.diskDirectory })
    return [...new Set([...processes, ...(await findLeftovers(files))])]
  }
  try {
    await untilReady({ daemon, requests, logFile })
  } catch (error) {
    await cutPower()
    throw error
  }
  return { ...requests, log: () => readFile(logFile, 'utf8'), leftovers, cutPower }
}

function spawnDaemon(options: {
  machine: OwnMachine
  environment: Record<string, string>
  logFile: string
}): ChildProcess {
  noteStart('host')
  const [enter, ...flags] = options.machine.enter
  const log = openSync(options.logFile, 'a')
  const daemon = spawn(enter, [...flags, process.execPath, programFile('host')], {
    env: { PATH: process.env.PATH ?? '', ...options.environment },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  return daemon
}

async function untilReady(options: { daemon: ChildProcess; requests: HostRequests; logFile: string }): Promise<void> {
  const startedAt = Date.now()
  for (;;) {
    const answer = await options.requests.request('GET', hostPaths.info()).catch(() => undefined)
    const isPrepared = answer?.status === 200 && (answer.body as { preparing: string[] }).preparing.length === 0
    const log = await readFile(options.logFile, 'utf8').catch(() => '')
    const hasFailed = log.includes('the base image could not be prepared')
    if (isPrepared && !hasFailed) return
    if (hasFailed || options.daemon.exitCode !== null || Date.now() - startedAt > 60_000) {
      throw new Error(`the host daemon did not become ready:\n${log.slice(-4000)}`)
    }
    await delay(25)
  }
}
