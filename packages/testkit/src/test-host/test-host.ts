import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { makeId } from '@threadbox/domain'
import { hostPaths } from '@threadbox/protocol/host'
import { forgetLog, spawnProgram } from '../test-process/test-process.ts'
import {
  allSlotsHave,
  claimDiskSlot,
  copyFilledSlot,
  isAnySlotFilled,
  type SlotContents,
  slotCount,
} from './disk-slot.ts'
import { sandboxPids } from './driver-records.ts'
import { type HostAnswer, type HostRequests, makeHostRequests } from './host-requests.ts'
import { findLeftovers, removeLeftovers } from './leftovers.ts'
import { makeOwnedDirectory } from './owned-directory.ts'
import { testGuest } from './test-guest.ts'
import { findTestMachine } from './test-machine.ts'

/**
 * A real host daemon in its own process: own installation ID, own data directory, real gVisor, btrfs, network and base
 * image. Needs root. `close` removes everything of it from the machine.
 */
export type TestHost = HostRequests & {
  installation: string
  dataDirectory: string
  /** The directory of the disks: outside of the data directory, because the pool outlives the test. */
  diskDirectory: string
  socketPath: string
  gatewaySocketPath: string
  /** Settings that a server needs to work with this host. */
  environment: Record<string, string>
  newSandboxId(): string
  newBootId(): string
  pid(): number
  /** The process of the gateway, which the daemon starts; waits until it runs. */
  gatewayPid(): Promise<number>
  /** The DNS process, which the daemon starts; waits until it runs. */
  namesPid(): Promise<number>
  /** The egress process, which the daemon starts; waits until it runs. */
  egressPid(): Promise<number>
  /** The daemon’s log so far, one JSON object per line. */
  log(): Promise<string>
  /** Ends the daemon; sandboxes keep running. */
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
  /** Kills the process of a running or frozen sandbox, as the kernel or an administrator might. */
  killSandbox(sandboxId: string): Promise<void>
  /** Restarts the daemon with the same data, and other settings if given; returns when it serves. */
  restart(changed?: Record<string, string>): Promise<void>
  /** Records for later runs what the pool contains. */
  noteContents(contents: SlotContents): Promise<void>
  /** Everything of this installation on the machine: processes, namespaces, firewall, cgroups, mounts, disks. */
  leftovers(): Promise<string[]>
  close(): Promise<void>
}

const startTimeoutMs = 60_000
/** Spares and prepared allocations would count as leftovers of a test; a frozen sandbox could hide what a test looks for. */
const forTests = {
  THREADBOX_SPARE_SANDBOXES: '0',
  THREADBOX_PREPARED_ALLOCATIONS: '0',
  THREADBOX_SPARE_KERNELS: 'off',
  THREADBOX_FREEZE_IDLE_SECONDS: '0',
  THREADBOX_COMPRESS_FROZEN: 'off',
  THREADBOX_LOG_LEVEL: 'debug',
}
/** Time for unpacking the base image into a new slot on a busy machine. */
const imageTimeoutMs = 300_000

export async function startTestHost(
  options: {
    environment?: Record<string, string>
    /** See {@link spawnProgram}. */
    enter?: readonly string[]
    /** With the product’s own settings: spares, their kernels, and what is logged. */
    asInstalled?: boolean
  } = {},
): Promise<TestHost> {
  const machine = await findTestMachine()
  const dataDirectory = await makeOwnedDirectory()
  const slot = await claimDiskSlot()
  const guestDirectory = await testGuest()
  const installation = path.basename(dataDirectory)
  const socketPath = path.join(dataDirectory, 'run/host.sock')
  const gatewaySocketPath = path.join(dataDirectory, 'run/gateway.sock')
  const egressSocketPath = path.join(dataDirectory, 'run/egress.sock')
  const logFile = path.join(dataDirectory, 'host.log')
  await mkdir(path.dirname(socketPath), { recursive: true })
  const environment: Record<string, string> = {
    ...slot.environment,
    THREADBOX_INSTALLATION: installation,
    THREADBOX_DATA: dataDirectory,
    THREADBOX_HOST_SOCKET: socketPath,
    THREADBOX_GATEWAY_SOCKET: gatewaySocketPath,
    THREADBOX_EGRESS_SOCKET: egressSocketPath,
    THREADBOX_RUNSC: machine.runscPath,
    THREADBOX_IMAGE: machine.imageArchive,
    THREADBOX_GUEST: guestDirectory,
    ...(options.asInstalled === true ? {} : forTests),
    ...options.environment,
  }
  const requests = makeHostRequests({ socketPath, gatewaySocketPath })
  const own = { installation, dataDirectory, diskDirectory: slot.directory }
  let daemon: ChildProcess | undefined

  let isClosing = false
  const start = async (changed: Record<string, string> = {}) => {
    Object.assign(environment, changed)
    // A test that timed out may still be running when the host is closed.
    if (isClosing) throw new Error('this test host is closed')
    daemon = spawnProgram('host', {
      environment: { PATH: process.env.PATH ?? '', ...environment },
      logFile,
      ...(options.enter === undefined ? {} : { enter: options.enter }),
    })
    await untilReady({ daemon, requests, logFile })
  }
  const kill = async (signal: 'SIGKILL' | 'SIGTERM') => {
    if (daemon === undefined || daemon.exitCode !== null || daemon.signalCode !== null) return
    const ended = once(daemon, 'exit')
    daemon.kill(signal)
    await ended
  }
  const close = async () => {
    isClosing = true
    await requests.request('POST', hostPaths.shutdown(), { keepsMemory: false }).catch(() => undefined)
    await kill('SIGTERM')
    requests.close()
    await removeLeftovers(own)
    await slot.release()
    forgetLog(logFile)
    await rm(dataDirectory, { recursive: true, force: true })
  }
  try {
    await start()
  } catch (error) {
    await close()
    throw error
  }
  return {
    ...requests,
    installation,
    dataDirectory,
    diskDirectory: slot.directory,
    socketPath,
    gatewaySocketPath,
    environment: {
      THREADBOX_INSTALLATION: installation,
      THREADBOX_DATA: dataDirectory,
      THREADBOX_HOST_SOCKET: socketPath,
      THREADBOX_GATEWAY_SOCKET: gatewaySocketPath,
      THREADBOX_EGRESS_SOCKET: egressSocketPath,
    },
    newSandboxId: () => makeId('sandbox', randomBytes),
    newBootId: () => makeId('boot', randomBytes),
    pid: () => daemon?.pid ?? 0,
    gatewayPid: () => childOf(daemon?.pid ?? 0, 'gateway'),
    namesPid: () => childOf(daemon?.pid ?? 0, 'names'),
    egressPid: () => childOf(daemon?.pid ?? 0, 'egress'),
    log: () => readFile(logFile, 'utf8'),
    kill,
    killSandbox: async (sandboxId) => {
      for (const pid of await sandboxPids({ dataDirectory, sandboxId })) process.kill(pid, 'SIGKILL')
    },
    restart: start,
    leftovers: () => findLeftovers(own),
    noteContents: slot.noteContents,
    close,
  }
}

/**
 * Unpacks the base image into all disk slots and creates the boot template, so that no test file has to wait for one and
 * sandboxes start as they do for users.
 */
export async function fillDiskSlots(): Promise<void> {
  const { imageArchive, runscPath } = await findTestMachine()
  const contents = { imageArchive, runscPath, guestDirectory: await testGuest() }
  if (await allSlotsHave(contents)) return
  const fill = async () => {
    const host = await startTestHost({ environment: { THREADBOX_SPARE_SANDBOXES: '1' } })
    try {
      await untilSpare(host)
      await host.noteContents(contents)
    } finally {
      await host.close()
    }
  }
  if (!(await isAnySlotFilled(contents))) await fill()
  if (await copyFilledSlot(contents)) return
  // No slot is held while waiting for another one: a second run, or a file that claims two, would deadlock with this one.
  const filled = await Promise.allSettled(Array.from({ length: slotCount }, fill))
  for (const slot of filled) if (slot.status === 'rejected') throw slot.reason
}

/** The child of a process that runs a program of the product; waits until it runs. */
async function childOf(pid: number, program: string): Promise<number> {
  const until = Date.now() + startTimeoutMs
  while (Date.now() < until) {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
    for (const child of children.split(' ').filter((text) => text !== '')) {
      const command = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')
      if (command.startsWith(process.execPath) && command.includes(`/${program}/`)) return Number(child)
    }
    await delay(20)
  }
  throw new Error(`the host daemon has no ${program}`)
}

/** Waits for a spare; the template is created before it. */
async function untilSpare(host: HostRequests): Promise<void> {
  const startedAt = Date.now()
  for (;;) {
    const { body } = await host.request('GET', hostPaths.info())
    if ((body as { spareSandboxes: number }).spareSandboxes > 0) return
    if (Date.now() - startedAt > startTimeoutMs) throw new Error('no spare sandbox was made')
    await delay(100)
  }
}

async function untilReady(options: { daemon: ChildProcess; requests: HostRequests; logFile: string }): Promise<void> {
  const startedAt = Date.now()
  for (;;) {
    const answer: HostAnswer | undefined = await options.requests
      .request('GET', hostPaths.info())
      .catch(() => undefined)
    if (answer?.status === 200 && (answer.body as { preparing: string[] }).preparing.length === 0) return
    const limitMs = answer === undefined ? startTimeoutMs : imageTimeoutMs
    if (options.daemon.exitCode !== null || Date.now() - startedAt > limitMs) {
      const log = await readFile(options.logFile, 'utf8').catch(() => '')
      throw new Error(`the host daemon did not become ready:\n${log.slice(-4000)}`)
    }
    // Unpacking takes most of a minute, in which both processors are wanted.
    await delay(answer === undefined ? 25 : 200)
  }
}
