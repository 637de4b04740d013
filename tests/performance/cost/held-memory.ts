import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { sandboxPids, type TestHost } from '@threadbox/testkit'
import { cgroupOf } from '../scenarios/memory.ts'

/**
 * Memory of each sandbox of an installation that the kernel can’t reclaim, in bytes, by the name of its boot: what its
 * processes allocated, and what they share. The kernel counts each page once, also where several processes of a sandbox
 * have the same address space, as those do in which gVisor runs its programs.
 */
export async function heldMemory(
  installation: string,
  { mount = '/sys/fs/cgroup' }: { mount?: string } = {},
): Promise<Map<string, number>> {
  const name = `threadbox-${installation}`
  const held = new Map<string, number>()
  for (const parent of [path.join(mount, 'memory', name), path.join(mount, name)]) {
    const boots = await readdir(parent, { withFileTypes: true }).catch(() => [])
    for (const boot of boots.filter((entry) => entry.isDirectory())) {
      const stat = await readFile(path.join(parent, boot.name, 'memory.stat'), 'utf8').catch(() => '')
      if (stat !== '') held.set(boot.name, heldBytes(stat))
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
  const fields = new Map(
    stat
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ') as [string, string]),
  )
  const amountOf = (...names: string[]) =>
    Number(names.map((name) => fields.get(name)).find((value) => value !== undefined) ?? 0)
  return amountOf('total_rss', 'anon') + amountOf('total_shmem', 'shmem')
}
