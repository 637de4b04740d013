import type { DiskStore } from '@threadbox/disk-store'
import { checkShiftedIds } from '@threadbox/gvisor-driver'
import type { HostApi, HostDoctor } from '@threadbox/protocol/host'
import type { MemoryCompression, MemorySavingDriver, SandboxDriver } from '@threadbox/sandbox-driver'
import type { ServingProcess } from '../../machine/programs/router-process.ts'
import { type Check, type Finding, findingOf, findingWith } from './findings.ts'
import { machineChecks } from './machine-checks.ts'
import { processChecks } from './process-checks.ts'
import { type ProbePorts, probeSandbox } from './sandbox-probe.ts'

export type DoctorPorts = ProbePorts & {
  installation: string
  /** In MiB per second; 0: no limit. */
  sandboxDiskRate: number
  disks: Pick<DiskStore, 'poolUsage' | 'listImages'>
  /** Directories of the host that sandboxes see. */
  sharedDirectories: readonly [string, ...string[]]
  driver: Pick<SandboxDriver, 'describe'> & Partial<Pick<MemorySavingDriver, 'compression'>>
  processes: readonly ServingProcess[]
}

/** Checks everything that sandboxes need on this machine, at the end from inside a real one. */
export function makeDoctor(ports: DoctorPorts): Pick<HostApi, 'doctor'> {
  const checks: Check[] = [
    ...machineChecks(ports),
    ...processChecks(ports.processes),
    { id: 'runsc', title: 'gVisor', run: () => checkDriver(ports.driver) },
    { id: 'compression', title: 'compressed memory of idle sandboxes', run: () => checkCompression(ports.driver) },
    { id: 'ids', title: 'user IDs of sandboxes', run: () => checkIds(ports) },
    { id: 'pool', title: 'disk pool', run: () => checkPool(ports.disks) },
  ]
  return {
    doctor: async () => {
      const found = await Promise.all(checks.map(examineOne))
      return { checks: [...found, ...(await probeSandbox(ports))] }
    },
  }
}

async function examineOne({ id, title, run }: Check): Promise<HostDoctor['checks'][number]> {
  return { id, title, ...(await run().catch(findingOf)) }
}

export async function checkDriver(driver: DoctorPorts['driver']): Promise<Finding> {
  const { name, version, isComplete } = await driver.describe()
  if (isComplete) return findingWith('ok', 'driver-fine', { name, version })
  return findingWith('warning', 'driver-without-helpers', { name, version })
}

async function checkCompression(driver: DoctorPorts['driver']): Promise<Finding> {
  return findCompression((await driver.compression?.()) ?? { state: 'off' })
}

export function findCompression(found: MemoryCompression): Finding {
  if (found.state === 'off') return findingWith('ok', 'compression-off')
  if (found.state === 'impossible') {
    return findingWith('warning', `compression-${found.problem}`, { detail: found.detail })
  }
  const { heldBytes, storedBytes } = found
  const code = found.maySwapRunning ? 'compression-fine-v1' : 'compression-fine'
  return findingWith('ok', code, { heldBytes, storedBytes })
}

async function checkIds({ disks, sharedDirectories }: DoctorPorts): Promise<Finding> {
  const [image] = await disks.listImages()
  const found = await checkShiftedIds({ rootPath: image?.path ?? sharedDirectories[0], files: sharedDirectories })
  if (found.state === 'shifted') return findingWith('ok', 'ids-fine')
  const { reason } = found
  if (found.state === 'notShifted') return findingWith('warning', 'ids-not-shifted', { reason })
  return findingWith('failed', 'namespaces-missing', { reason })
}

async function checkPool(disks: DoctorPorts['disks']): Promise<Finding> {
  const { totalBytes, usedBytes, reservedBytes } = await disks.poolUsage()
  const freeBytes = totalBytes - usedBytes
  const values = { freeBytes, totalBytes, reservedBytes }
  return freeBytes > reservedBytes ? findingWith('ok', 'pool-fine', values) : findingWith('failed', 'pool-full', values)
}
