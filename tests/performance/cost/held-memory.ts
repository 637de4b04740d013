import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { sandboxPids, type TestHost } from '@threadbox/testkit'
import { cgroupOf } from '../scenarios/memory.ts'

/**
 * Memory of each sandbox of an installation that the kernel can’t reclaim, in bytes, by the name of its boot: what its
 * processes allocated, and what they share. The kernel counts each page once, also where several processes of a sandbox
 * have the same address space, as those do in which gVisor runs its programs. Of what is in compressed swap, the share that
 * it takes there counts.
 */
export async function heldMemory(
  installation: string,
  { mount = '/sys/fs/cgroup', devices = '/sys/block' }: { mount?: string; devices?: string } = {},
): Promise<Map<string, number>> {
  const share = await compressedShare(devices)
  const name = `threadbox-${installation}`
  const held = new Map<string, number>()
  for (const parent of [path.join(mount, 'memory', name), path.join(mount, name)]) {
    const boots = await readdir(parent, { withFileTypes: true }).catch(() => [])
    for (const boot of boots.filter((entry) => entry.isDirectory())) {
      const stat = await readFile(path.join(parent, boot.name, 'memory.stat'), 'utf8').catch(() => '')
      const swapped = await readFile(path.join(parent, boot.name, 'memory.swap.current'), 'utf8').catch(() => undefined)
      const swappedBytes = Number(swapped ?? amountOf(stat, 'total_swap'))
      if (stat !== '') held.set(boot.name, heldBytes(stat) + swappedBytes * share)
    }
    if (held.size > 0) break
  }
  return held
}

/** That of one running or frozen sandbox; NaN if there is none. */
export async function heldBySandbox(
  host: Pick<TestHost, 'dataDirectory' | 'installation'>,
  sandboxId: string,
): Promise<number> {
  return (await heldMemory(host.installation)).get(await bootOf(host, sandboxId)) ?? Number.NaN
}

/** The name of a sandbox’s boot, which it has had since it was a spare; empty if it has none. */
export async function bootOf({ dataDirectory }: Pick<TestHost, 'dataDirectory'>, sandboxId: string): Promise<string> {
  const [pid = 0] = await sandboxPids({ dataDirectory, sandboxId })
  return path.basename(await cgroupOf(pid))
}

/** From `memory.stat` of a cgroup: version 1 has totals with those below it, version 2 has nothing else. */
export function heldBytes(stat: string): number {
  return amountOf(stat, 'total_rss', 'anon') + amountOf(stat, 'total_shmem', 'shmem')
}

function amountOf(stat: string, ...names: string[]): number {
  const fields = new Map(
    stat
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ') as [string, string]),
  )
  return Number(names.map((name) => fields.get(name)).find((value) => value !== undefined) ?? 0)
}

/** What the machine’s compressed memory takes of RAM, divided by what is in it; with what it takes for itself. */
async function compressedShare(devices: string): Promise<number> {
  const names = (await readdir(devices).catch(() => [])).filter((name) => name.startsWith('zram'))
  const stats = await Promise.all(
    names.map((name) => readFile(path.join(devices, name, 'mm_stat'), 'utf8').catch(() => '0 0 0')),
  )
  const figures = stats.map((stat) => stat.trim().split(/\s+/).map(Number))
  const sumOf = (index: number) => figures.reduce((sum, figure) => sum + (figure[index] ?? 0), 0)
  return sumOf(0) === 0 ? 0 : sumOf(2) / sumOf(0)
}
