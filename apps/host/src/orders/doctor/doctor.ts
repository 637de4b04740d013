import type { DiskStore } from '@threadbox/disk-store'
import type { HostApi, HostDoctor } from '@threadbox/protocol/host'
import type { SandboxDriver } from '@threadbox/sandbox-driver'
import type { ActiveBoots } from '../../boots/launch/active-boots.ts'
import { type Check, type Finding, findingOf } from './findings.ts'
import { machineChecks } from './machine-checks.ts'
import { probeSandbox } from './sandbox-probe.ts'

export type DoctorParts = {
  installation: string
  doctorUrl: string
  orders: Pick<HostApi, 'ensure' | 'start' | 'delete'>
  active: ActiveBoots
  disks: DiskStore
  driver: SandboxDriver
  randomBytes: (count: number) => Buffer
  clock: () => number
}

/** Looks at everything that sandboxes need on this machine, the last time from inside a real one. */
export function makeDoctor(parts: DoctorParts): Pick<HostApi, 'doctor'> {
  const checks: Check[] = [
    ...machineChecks({ installation: parts.installation }),
    { id: 'runsc', title: 'gVisor', look: () => lookAtDriver(parts.driver) },
    { id: 'pool', title: 'space for disks', look: () => lookAtPool(parts.disks) },
  ]
  return {
    doctor: async () => {
      const found = await Promise.all(checks.map(examineOne))
      return { checks: [...found, ...(await probeSandbox(parts))] }
    },
  }
}

async function examineOne({ id, title, look }: Check): Promise<HostDoctor['checks'][number]> {
  return { id, title, ...(await look().catch(findingOf)) }
}

async function lookAtDriver(driver: SandboxDriver): Promise<Finding> {
  const { name, version } = await driver.describe()
  return { state: 'ok', detail: `${name} ${version}`, cure: '' }
}

async function lookAtPool(disks: DiskStore): Promise<Finding> {
  const { totalBytes, usedBytes, reservedBytes } = await disks.poolUsage()
  const freeBytes = totalBytes - usedBytes
  const detail = `${gibibytes(freeBytes)} of ${gibibytes(totalBytes)} free, ${gibibytes(reservedBytes)} of it reserved`
  if (freeBytes > reservedBytes) return { state: 'ok', detail, cure: '' }
  return { state: 'failed', detail, cure: 'Delete threads that are no longer needed, or raise THREADBOX_POOL_SIZE.' }
}

function gibibytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`
}
