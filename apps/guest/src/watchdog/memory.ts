import { readFileSync } from 'node:fs'

export type MemoryReading = { totalBytes: number; usedBytes: number; cacheBytes: number }

/** Memory of the whole sandbox, from `/proc/meminfo`, which is exact under gVisor. */
export function readMemory(): MemoryReading {
  const text = readFileSync('/proc/meminfo', 'utf8')
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024
  const totalBytes = bytes('MemTotal')
  return { totalBytes, usedBytes: totalBytes - bytes('MemAvailable'), cacheBytes: bytes('Cached') }
}
