import { access, readdir, readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { listMounts } from './mounts.ts'

/**
 * The block devices to which the file system mounted at exactly this path writes, as `major:minor`: all devices of a
 * btrfs, and a whole disk instead of its partition, because the kernel limits rates only there. Empty if nothing is
 * mounted there, or nothing on a block device.
 */
export async function devicesBelow(
  mountPoint: string,
  machine: { mounts?: () => ReturnType<typeof listMounts>; sys?: string } = {},
): Promise<string[]> {
  const { mounts = listMounts, sys = '/sys' } = machine
  const mount = (await mounts()).findLast((candidate) => candidate.mountPoint === mountPoint)
  if (mount === undefined || !mount.source.startsWith('/')) return []
  const source = basename(await realpath(mount.source).catch(() => mount.source))
  const numbers = await Promise.all((await membersOf(source, sys)).map((name) => numberOf(name, sys)))
  return [...new Set(numbers.filter((number) => number !== undefined))]
}

/** All devices of the btrfs to which this one belongs; only this one for another file system. */
async function membersOf(device: string, sys: string): Promise<string[]> {
  const directory = join(sys, 'fs/btrfs')
  for (const fileSystem of await readdir(directory).catch(() => [])) {
    const members = await readdir(join(directory, fileSystem, 'devices')).catch((): string[] => [])
    if (members.includes(device)) return members
  }
  return [device]
}

async function numberOf(name: string, sys: string): Promise<string | undefined> {
  const directory = await realpath(join(sys, 'class/block', name)).catch(() => undefined)
  if (directory === undefined) return undefined
  const isPartition = await access(join(directory, 'partition')).then(
    () => true,
    () => false,
  )
  return (await readFile(join(isPartition ? dirname(directory) : directory, 'dev'), 'utf8')).trim()
}
