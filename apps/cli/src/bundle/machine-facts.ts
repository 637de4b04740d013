import { execFile } from 'node:child_process'
import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { availableParallelism, freemem, loadavg, release, totalmem, uptime } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type HostMachine, hostInfoSchema, hostMachineSchema, hostPaths } from '@threadbox/protocol/host'
import type { Installation } from '../installation/data-directory.ts'
import { askHost } from '../installation/host-client.ts'

const askTimeoutMs = 10_000
/** Versions and names of distributions: no spaces, no paths. */
const versionPattern = /^[A-Za-z0-9.+~_-]{1,80}$/

export type HostFacts = { machine: HostMachine; awakeSandboxes: number; protocolVersion: number; version: string }

/** Undefined if the host daemon doesn’t respond. */
export async function readHostFacts({ settings }: Installation): Promise<HostFacts | undefined> {
  const ask = async (path: string) => {
    const { body } = await askHost({ socketPath: settings.hostSocket, path, timeoutMs: askTimeoutMs })
    return body
  }
  try {
    const info = hostInfoSchema.parse(await ask(hostPaths.info()))
    const { sandboxes: _, ...machine } = hostMachineSchema.parse(await ask(hostPaths.machine()))
    return {
      machine,
      awakeSandboxes: info.awakeSandboxes,
      protocolVersion: info.protocolVersion,
      version: info.version,
    }
  } catch {
    return undefined
  }
}

export async function machineFacts({ dataDirectory }: Installation, host: HostFacts | undefined) {
  const disk = await statfs(dataDirectory)
  return {
    processors: availableParallelism(),
    load: loadavg(),
    uptimeSeconds: Math.round(uptime()),
    memory: { totalBytes: totalmem(), availableBytes: freemem() },
    dataDirectory: { totalBytes: disk.blocks * disk.bsize, freeBytes: disk.bavail * disk.bsize },
    cgroups: existsSync('/sys/fs/cgroup/cgroup.controllers') ? 2 : 1,
    isUnderSystemd: existsSync('/run/systemd/system'),
    host: host === undefined ? null : figuresOf(host),
  }
}

function figuresOf({ machine, awakeSandboxes }: HostFacts) {
  const { memory, disk, processor, network } = machine
  return { awakeSandboxes, memory, pool: disk, processor, network }
}

export async function versionFacts(installation: Installation, host: HostFacts | undefined) {
  const { ID: distribution = '', VERSION_ID: distributionVersion = '' } = osRelease()
  return {
    ...readRelease(installation.release),
    node: process.version,
    architecture: process.arch,
    kernel: version(release()),
    distribution: version(distribution),
    distributionVersion: version(distributionVersion),
    btrfs: version(/v([0-9][^\s]*)/.exec(await outputOf('btrfs', ['--version']))?.[1]),
    sandboxDriver: version(host?.machine.versions.driver.split(' ').at(-1)),
    guests: host?.machine.versions.guests.map(({ name, boots }) => ({ name: version(name), boots })) ?? null,
    hostDaemon: version(host?.version),
    hostProtocol: host?.protocolVersion ?? null,
    hostSchema: userVersionOf(join(installation.dataDirectory, 'host/state.sqlite')),
  }
}

/** Null for a text that is not a version. */
function version(text: unknown): string | null {
  return typeof text === 'string' && versionPattern.test(text) ? text : null
}

function osRelease(): Record<string, string> {
  const lines = read('/etc/os-release')?.toString('utf8').split('\n') ?? []
  return Object.fromEntries(
    lines.flatMap((line) =>
      [...line.matchAll(/^([A-Z_]+)="?([^"]*)"?$/g)].map(([, name = '', value = '']) => [name, value]),
    ),
  )
}

function readRelease(directory: string): { release: string | null; version: string | null; guest: string | null } {
  const found = parseObject(read(join(directory, 'release.json')))
  return {
    release: version(found.release),
    version: version(found.version),
    guest: version(typeof found.guest === 'string' ? found.guest.split('/').at(-1) : undefined),
  }
}

/** The version of a schema is a number in the header of an SQLite file. */
function userVersionOf(file: string): number | null {
  const header = read(file, headerBytes)
  return header?.length === headerBytes ? header.readUInt32BE(60) : null
}
const headerBytes = 100

function parseObject(text: Buffer | undefined): Record<string, unknown> {
  try {
    return JSON.parse(text?.toString('utf8') ?? '{}') as Record<string, unknown>
  } catch {
    return {}
  }
}

function read(file: string, maxBytes = 100_000): Buffer | undefined {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch {
    return undefined
  }
  try {
    const bytes = Buffer.alloc(maxBytes)
    return bytes.subarray(0, readSync(descriptor, bytes, 0, maxBytes, 0))
  } finally {
    closeSync(descriptor)
  }
}

async function outputOf(program: string, args: string[]): Promise<string> {
  return await promisify(execFile)(program, args).then(
    ({ stdout }) => stdout,
    () => '',
  )
}
