import { readFile } from 'node:fs/promises'
import path from 'node:path'

/** Where the kernel shows what it has. Only tests set others. */
export type KernelPlaces = { sys: string; proc: string; dev: string; run: string }
export const kernelPlaces: KernelPlaces = { sys: '/sys', proc: '/proc', dev: '/dev', run: '/run' }

/** A swap that the machine uses. */
export type Swap = { file: string; sizeBytes: number; usedBytes: number; isInRam: boolean }

/** All that the machine uses, also those of other installations and of its owner. */
export async function listSwaps(places: KernelPlaces): Promise<Swap[]> {
  const swaps = parseSwaps(await readFile(path.join(places.proc, 'swaps'), 'utf8'))
  return await Promise.all(swaps.map(async (swap) => ({ ...swap, isInRam: await isInRam(swap.file, places) })))
}

/** The lines of `/proc/swaps` after its heading: file, type, size and use in KiB, priority. */
export function parseSwaps(text: string): Omit<Swap, 'isInRam'>[] {
  return text
    .split('\n')
    .slice(1)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [file = '', , size, used] = line.split(/\s+/)
      return { file, sizeBytes: Number(size) * 1024, usedBytes: Number(used) * 1024 }
    })
}

/** Compressed RAM; with a backing device, the kernel writes what is seldom used from there to a disk. */
async function isInRam(file: string, { sys }: KernelPlaces): Promise<boolean> {
  const device = /^\/dev\/(zram\d+)$/.exec(file)?.[1]
  if (device === undefined) return false
  const backing = await readFile(path.join(sys, 'block', device, 'backing_dev'), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      // A kernel that can’t have one has no such file.
      if (error.code === 'ENOENT') return 'none'
      throw error
    },
  )
  return backing.trim() === 'none'
}
