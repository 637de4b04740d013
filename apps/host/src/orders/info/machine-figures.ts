import { readFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import type { DiskStore } from '@threadbox/disk-store'
import { readSandboxSeconds } from '@threadbox/gvisor-driver'
import type { HostApi, HostMachine } from '@threadbox/protocol/host'
import type { BootStatus, SandboxDriver } from '@threadbox/sandbox-driver'
import { readMemory } from '../../machine/programs/machine-memory.ts'
import type { ServingProcess } from '../../machine/programs/router-process.ts'
import type { BootsStore, StoredBoot } from '../../machine/state/boots.store.ts'
import type { SandboxesStore } from '../../machine/state/sandboxes.store.ts'
import type { SnapshotsStore } from '../../machine/state/snapshots.store.ts'
import type { MemoryRoom } from '../../memory/memory/memory-room.ts'

export type MachineFiguresPorts = {
  installation: string
  disks: Pick<DiskStore, 'poolUsage' | 'diskUsage'>
  driver: Pick<SandboxDriver, 'list' | 'describe'>
  boots: Pick<BootsStore, 'listCurrent'>
  sandboxes: Pick<SandboxesStore, 'list'>
  snapshots: Pick<SnapshotsStore, 'writtenBytes'>
  room: Pick<MemoryRoom, 'roomForBoots'>
  /** Those in the router, in whose namespace the counters are. */
  processes: readonly Pick<ServingProcess, 'pid'>[]
}

/** States in which a boot sleeps: what it holds in RAM is its frozen copy. */
const asleep: readonly StoredBoot['state'][] = ['paused', 'demoting']

/** Measures what takes how much of this machine. */
export function machineFigures(ports: MachineFiguresPorts): Pick<HostApi, 'machine'> {
  return {
    machine: async ({ sandboxes: withSandboxes = false } = {}) => {
      const [running, current] = await Promise.all([ports.driver.list(), ports.boots.listCurrent()])
      const held = heldBytes(running, current)
      const sparesAndFrozen = held.sparesBytes + held.frozenBytes
      const [machine, roomForBoots, disk, processor, network, driver] = await Promise.all([
        readMemory(),
        ports.room.roomForBoots(sparesAndFrozen),
        readDisk(ports),
        readProcessor(ports.installation),
        readNetwork(ports.processes),
        ports.driver.describe(),
      ])
      return {
        memory: { ...machine, ...held, roomForBoots },
        disk,
        processor,
        network,
        versions: { driver: `${driver.name} ${driver.version}`, guests: guestsOf(current) },
        ...(withSandboxes ? { sandboxes: await readSandboxes(ports, { running, current }) } : {}),
      }
    },
  }
}

type Held = Pick<HostMachine['memory'], 'sandboxesBytes' | 'frozenBytes' | 'sparesBytes'>

/** What boots hold in RAM, by whether their sandbox runs, sleeps, or waits for a thread. */
export function heldBytes(
  running: readonly BootStatus[],
  current: readonly Pick<StoredBoot, 'driverBootId' | 'state'>[],
): Held {
  const states = new Map(current.map(({ driverBootId, state }) => [driverBootId, state]))
  const held: Held = { sandboxesBytes: 0, frozenBytes: 0, sparesBytes: 0 }
  for (const boot of running) {
    const state = states.get(boot.bootId)
    const part = state === undefined ? 'sparesBytes' : asleep.includes(state) ? 'frozenBytes' : 'sandboxesBytes'
    held[part] += memoryOf(boot) ?? 0
  }
  return held
}

function memoryOf(boot: BootStatus | undefined): number | null {
  return boot?.state === 'running' ? boot.memoryBytes : null
}

async function readDisk({ disks, snapshots }: MachineFiguresPorts): Promise<HostMachine['disk']> {
  const [pool, snapshotsBytes] = await Promise.all([disks.poolUsage(), snapshots.writtenBytes()])
  return {
    totalBytes: pool.totalBytes,
    usedBytes: pool.usedBytes,
    disksBytes: pool.disksBytes ?? null,
    snapshotsBytes,
    memoryImagesBytes: pool.memoryBytes,
    imagesBytes: pool.imageBytes,
    tablesBytes: pool.tableBytes ?? null,
  }
}

/** The kernel’s unit of `/proc/stat` for programs, on every architecture. */
const ticksPerSecond = 100

async function readProcessor(installation: string): Promise<HostMachine['processor']> {
  const [text, sandboxSeconds] = await Promise.all([readFile('/proc/stat', 'utf8'), readSandboxSeconds(installation)])
  return { count: cpus().length, busySeconds: busySecondsIn(text), sandboxSeconds: sandboxSeconds ?? null }
}

/** Of all processors together: everything but idle time and waiting for a disk. */
export function busySecondsIn(stat: string): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (/^cpu +(.*)$/m.exec(stat)?.[1] ?? '')
    .split(' ')
    .map(Number)
  return (user + nice + system + irq + softirq + steal) / ticksPerSecond
}

async function readNetwork(processes: MachineFiguresPorts['processes']): Promise<HostMachine['network']> {
  for (const { pid } of processes) {
    const id = pid()
    const text = id === undefined ? undefined : await readFile(`/proc/${id}/net/dev`, 'utf8').catch(() => undefined)
    const found = text === undefined ? null : uplinkIn(text)
    if (found !== null) return found
  }
  return null
}

/** The router’s end of the link to the machine; null in another namespace. */
export function uplinkIn(text: string): HostMachine['network'] {
  const fields = (/^ *uplink: *(.*)$/m.exec(text)?.[1] ?? '').split(/ +/).map(Number)
  const [received, , , , , , , , sent] = fields
  return received === undefined || sent === undefined ? null : { receivedBytes: received, sentBytes: sent }
}

function guestsOf(current: readonly Pick<StoredBoot, 'guestDirectory'>[]): HostMachine['versions']['guests'] {
  const nameOf = ({ guestDirectory }: Pick<StoredBoot, 'guestDirectory'>) => guestDirectory.split('/').at(-1) ?? ''
  return [...Map.groupBy(current, nameOf)].map(([name, boots]) => ({ name, boots: boots.length }))
}

async function readSandboxes(
  { sandboxes, disks }: MachineFiguresPorts,
  { running, current }: { running: readonly BootStatus[]; current: readonly StoredBoot[] },
): Promise<NonNullable<HostMachine['sandboxes']>> {
  const bootOf = new Map(current.map((boot) => [boot.sandboxId, boot.driverBootId]))
  const statusOf = new Map(running.map((boot) => [boot.bootId, boot]))
  const sizes: NonNullable<HostMachine['sandboxes']> = []
  // One after another: each can start a program.
  for (const { sandboxId, placeId } of await sandboxes.list()) {
    const usage = await disks.diskUsage(placeId).catch(() => undefined)
    const memoryBytes = memoryOf(statusOf.get(bootOf.get(sandboxId) ?? ''))
    sizes.push({ sandboxId, memoryBytes, diskBytes: usage?.usedBytes ?? null })
  }
  return sizes
}
