import { readFile } from 'node:fs/promises'
import type { MemoryCompression } from '@threadbox/sandbox-driver'

export type MachineMemory = { totalBytes: number; availableBytes: number }

/**
 * The share of compressed memory that is kept free for boots that continue: without it, a machine that is full of idle ones had
 * nothing for those that are used at the same time.
 */
const returningShare = 0.1

/** Memory of this machine, and how much of it programs can currently get. */
export async function readMemory(): Promise<MachineMemory> {
  const text = await readFile('/proc/meminfo', 'utf8')
  const bytesOf = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) * 1024
  return { totalBytes: bytesOf('MemTotal'), availableBytes: bytesOf('MemAvailable') }
}

/** The memory that more sandboxes can get. */
export function withoutReturning(
  { totalBytes, availableBytes }: MachineMemory,
  compression: MemoryCompression,
): MachineMemory {
  if (compression.state !== 'possible') return { totalBytes, availableBytes }
  const growsBy = Math.max(0, compression.heldBytes - compression.storedBytes)
  return { totalBytes, availableBytes: Math.max(0, availableBytes - growsBy * returningShare) }
}
