import type { DiskStore } from '@threadbox/disk-store'
import type { HostApi, HostDoctor } from '@threadbox/protocol/host'
import type { SandboxDriver } from '@threadbox/sandbox-driver'
import { type Check, type Finding, findingOf } from './findings.ts'
import { machineChecks } from './machine-checks.ts'
import { type ProbePorts, probeSandbox } from './sandbox-probe.ts'

export type DoctorPorts = ProbePorts & {
  installation: string
  disks: Pick<DiskStore, 'poolUsage'>
  driver: Pick<SandboxDriver, 'describe'>
}

/** Checks everything that sandboxes need on this machine, at the end from inside a real one. */
export function makeDoctor(ports: DoctorPorts): Pick<HostApi, 'doctor'> {
  const checks: Check[] = [
    ...machineChecks({ installation: ports.installation }),
    { id: 'runsc', title: 'gVisor', run: () => checkDriver(ports.driver) },
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

async function checkDriver(driver: DoctorPorts['driver']): Promise<Finding> {
  const { name, version } = await driver.describe()
  return { state: 'ok', detail: `${name} ${version}`, cure: '' }
}

async function checkPool(disks: DoctorPorts['disks']): Promise<Finding> {
  const { totalBytes, usedBytes, reservedBytes } = await disks.poolUsage()
  const freeBytes = totalBytes - usedBytes
  const detail = `${gibibytes(freeBytes)} of ${gibibytes(totalBytes)} free, ${gibibytes(reservedBytes)} of that reserved`
  if (freeBytes > reservedBytes) return { state: 'ok', detail, cure: '' }
  return { state: 'failed', detail, cure: 'Delete threads you no longer need, or raise THREADBOX_POOL_SIZE.' }
}

function gibibytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`
}
