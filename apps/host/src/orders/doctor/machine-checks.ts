import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { release } from 'node:os'
import { promisify } from 'node:util'
import { findForwardBlocks } from '@threadbox/sandbox-network'
import type { Check } from './findings.ts'

const run = promisify(execFile)
const commandTimeoutMs = 10_000

/** What the machine itself must offer, checked without changing anything. */
export function machineChecks(options: { installation: string }): Check[] {
  return [
    { id: 'kernel', title: 'Linux kernel', run: checkKernel },
    { id: 'cgroups', title: 'cgroups for limits', run: checkCgroups },
    { id: 'btrfs', title: 'btrfs for disks', run: checkBtrfs },
    { id: 'nftables', title: 'nftables for the firewall', run: () => checkNftables(options.installation) },
    { id: 'forwarding', title: 'other firewalls', run: () => checkForwarding(options.installation) },
  ]
}

async function checkKernel() {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  // gVisor's systrap needs 5.6; 5.10 is the oldest kernel of a supported distribution.
  if (major > 5 || (major === 5 && minor >= 10)) return { state: 'ok', detail: `Linux ${release()}`, cure: '' } as const
  return {
    state: 'failed',
    detail: `Linux ${release()} is older than 5.10`,
    cure: 'Upgrade to Debian 12, Ubuntu 24.04 or later.',
  } as const
}

async function checkCgroups() {
  const wanted = ['memory', 'cpu', 'pids']
  const unified = await readFile('/sys/fs/cgroup/cgroup.controllers', 'utf8').catch(() => undefined)
  const present = unified === undefined ? await readdir('/sys/fs/cgroup').catch(() => []) : unified.trim().split(' ')
  const missing = wanted.filter((controller) => !present.includes(controller))
  const version = unified === undefined ? 'version 1' : 'version 2'
  if (missing.length === 0)
    return { state: 'ok', detail: `${version}: memory, cpu and pids can be limited`, cure: '' } as const
  return {
    state: 'failed',
    detail: `${version}: ${missing.join(', ')} cannot be limited`,
    cure: `Add \`cgroup_enable=${missing[0]}\` to the kernel's command line, or give the container its own cgroups.`,
  } as const
}

async function checkBtrfs() {
  const { stdout } = await run('btrfs', ['--version'], { timeout: commandTimeoutMs })
  const known = (await readFile('/proc/filesystems', 'utf8')).includes('btrfs')
  if (known) return { state: 'ok', detail: stdout.trim().split('\n')[0] ?? '', cure: '' } as const
  return { state: 'failed', detail: 'btrfs isn’t available in the kernel', cure: 'Load it: `modprobe btrfs`' } as const
}

async function checkNftables(installation: string) {
  const { stdout } = await run('nft', ['list', 'tables'], { timeout: commandTimeoutMs })
  const table = `threadbox_${installation}`
  if (stdout.split('\n').includes(`table inet ${table}`)) {
    return { state: 'ok', detail: `the nftables table ${table} exists`, cure: '' } as const
  }
  return {
    state: 'failed',
    detail: `the nftables table ${table} is missing: something removed it after the host daemon created it`,
    cure: 'Restart the host daemon, and make sure no other tool runs `nft flush ruleset`.',
  } as const
}

async function checkForwarding(installation: string) {
  const blocks = await findForwardBlocks({ interfacePrefix: `tb${installation}` })
  const first = blocks[0]
  if (first === undefined)
    return { state: 'ok', detail: 'no other firewall drops sandbox traffic by default', cure: '' } as const
  return { state: 'warning', detail: `${first.chain} drops sandbox traffic by default`, cure: first.cure } as const
}
