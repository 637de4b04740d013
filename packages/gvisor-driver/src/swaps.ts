import { readFile } from 'node:fs/promises'
import path from 'node:path'

/** Where the kernel shows what it has. Only tests set others. */
export type KernelPlaces = { sys: string; proc: string; dev: string; run: string }
export const kernelPlaces: KernelPlaces = { sys: '/sys', proc: '/proc', dev: '/dev', run: '/run' }

/** A swap that the machine uses. `zram`: the number of its device, if it is compressed RAM. */
export type Swap = { file: string; sizeBytes: number; usedBytes: number; zram: number | undefined; isInRam: boolean }

type SwapLine = { file: string; type: string; sizeBytes: number; usedBytes: number }

/** The first page of a swap describes it. The largest page of a kernel has 64 KiB. */
const mostHeaderBytes = 64 * 1024

/** All that the machine uses, also those of other installations and of its owner. */
export async function listSwaps(places: KernelPlaces): Promise<Swap[]> {
  const swaps = parseSwaps(await readFile(path.join(places.proc, 'swaps'), 'utf8'))
  return await Promise.all(
    swaps.map(async ({ type, ...swap }) => {
      const zram = await zramOf({ type, ...swap }, places)
      return { ...swap, zram, isInRam: zram !== undefined && (await staysInRam(zram, places)) }
    }),
  )
}

/** The lines of `/proc/swaps` after its heading: file, type, size and use in KiB, priority. */
export function parseSwaps(text: string): SwapLine[] {
  return text
    .split('\n')
    .slice(1)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [file = '', type = '', size, used] = line.split(/\s+/)
      return { file, type, sizeBytes: Number(size) * 1024, usedBytes: Number(used) * 1024 }
    })
}

/**
 * The kernel shows the path of a device as the mount namespace has it in which it was put to use: `/zram0` instead of
 * `/dev/zram0` after that namespace has ended. So only the name counts, and that the device of that name is as large.
 */
async function zramOf({ file, type, sizeBytes }: SwapLine, places: KernelPlaces): Promise<number | undefined> {
  const number = /(?:^|\/)zram(\d+)$/.exec(file)?.[1]
  if (type !== 'partition' || number === undefined) return undefined
  const diskBytes = Number(await readDeviceFile(Number(number), 'disksize', places))
  const headerBytes = diskBytes - sizeBytes
  return headerBytes > 0 && headerBytes <= mostHeaderBytes ? Number(number) : undefined
}

/** With a backing device, the kernel writes what is seldom used from compressed RAM to a disk. */
async function staysInRam(zram: number, places: KernelPlaces): Promise<boolean> {
  // A kernel that can’t have one has no such file.
  const backing = (await readDeviceFile(zram, 'backing_dev', places)) ?? 'none'
  return backing.trim() === 'none'
}

async function readDeviceFile(zram: number, name: string, { sys }: KernelPlaces): Promise<string | undefined> {
  return await readFile(path.join(sys, 'block', `zram${zram}`, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
