import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { release } from 'node:os'
import { promisify } from 'node:util'
import { findForwardBlocks, findMissing, findUndenied } from '@threadbox/sandbox-network'
import { type Check, type Finding, findingWith, type Values } from './findings.ts'

const run = promisify(execFile)
const commandTimeoutMs = 10_000

/** What the machine itself must offer, checked without changing anything. */
export function machineChecks(options: { installation: string; sandboxDiskRate: number }): Check[] {
  return [
    { id: 'kernel', title: 'Linux kernel', run: checkKernel },
    { id: 'cgroups', title: 'cgroups for limits', run: checkCgroups },
    { id: 'disk-rate', title: 'disk rate of a sandbox', run: () => checkDiskRate(options.sandboxDiskRate) },
    { id: 'btrfs', title: 'btrfs for disks', run: checkBtrfs },
    { id: 'nftables', title: 'nftables for the firewall', run: () => checkNftables(options.installation) },
    { id: 'forwarding', title: 'other firewalls', run: () => checkForwarding(options.installation) },
  ]
}

async function checkKernel(): Promise<Finding> {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  const values = { release: release() }
  // gVisor's systrap needs 5.6; 5.10 is the oldest kernel of a supported distribution.
  if (major > 5 || (major === 5 && minor >= 10)) return findingWith('ok', 'kernel-fine', values)
  return findingWith('failed', 'kernel-too-old', values)
}

/** The controllers of cgroup v2; undefined on v1. */
async function unifiedControllers(): Promise<string[] | undefined> {
  const controllers = await readFile('/sys/fs/cgroup/cgroup.controllers', 'utf8').catch(() => undefined)
  return controllers?.trim().split(' ')
}

async function checkCgroups(): Promise<Finding> {
  const wanted = ['memory', 'cpu', 'pids']
  const unified = await unifiedControllers()
  const present = unified ?? (await readdir('/sys/fs/cgroup').catch(() => []))
  const missing = wanted.filter((controller) => !present.includes(controller))
  return findCgroups({ version: unified === undefined ? 1 : 2, missing })
}

/** On version 1, runsc joins and leaves each hierarchy at a start: 5 to 30 ms (docs/performance.md). */
export function findCgroups({ version, missing }: { version: 1 | 2; missing: readonly string[] }): Finding {
  const [first] = missing
  if (first !== undefined)
    return findingWith('failed', 'cgroups-missing', { version, missing: missing.join(', '), first })
  return version === 1 ? findingWith('ok', 'cgroups-fine-v1') : findingWith('ok', 'cgroups-fine', { version })
}

async function checkDiskRate(mebibytesPerSecond: number): Promise<Finding> {
  return findDiskRate({ mebibytesPerSecond, unified: await unifiedControllers() })
}

/** `unified`: the controllers of cgroup v2. Version 1 can’t attribute writes that the kernel does later. */
export function findDiskRate(facts: { mebibytesPerSecond: number; unified: readonly string[] | undefined }): Finding {
  const { mebibytesPerSecond: rate, unified } = facts
  if (rate === 0) return findingWith('ok', 'disk-rate-none')
  if (unified?.includes('io')) return findingWith('ok', 'disk-rate-fine', { rate })
  return findingWith('warning', 'disk-rate-not-enforced', { version: unified === undefined ? 1 : 2 })
}

async function checkBtrfs(): Promise<Finding> {
  const { stdout } = await run('btrfs', ['--version'], { timeout: commandTimeoutMs })
  const known = (await readFile('/proc/filesystems', 'utf8')).includes('btrfs')
  if (known) return findingWith('ok', 'btrfs-fine', { version: stdout.trim().split('\n')[0] ?? '' })
  return findingWith('failed', 'btrfs-missing')
}

async function checkNftables(installation: string): Promise<Finding> {
  const table = `threadbox_${installation}`
  const missing = await findMissing(installation)
  if (missing === 'router') return findingWith('failed', 'router-missing')
  if (missing !== undefined) return findingWith('failed', 'nftables-missing', { table })
  const undenied = await findUndenied(installation)
  if (undenied.length === 0) return findingWith('ok', 'nftables-fine', { table })
  return findingWith('failed', 'nftables-outdated', { table, addresses: undenied.join(', ') })
}

async function checkForwarding(installation: string): Promise<Finding> {
  const [first] = await findForwardBlocks({ installation })
  if (first === undefined) return findingWith('ok', 'forwarding-fine')
  const { owner, chain, interfaceName } = first
  const values: Values = owner === 'other' ? { chain, interfaces: interfaceName } : { chain, commands: first.cure }
  return findingWith('warning', `forwarding-blocked-${owner}`, values)
}
