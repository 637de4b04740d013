import { readFile } from 'node:fs/promises'

/** Memory of this machine, and how much of it programs can currently get. */
export async function readMemory(): Promise<{ totalBytes: number; availableBytes: number }> {
  const text = await readFile('/proc/meminfo', 'utf8')
  const bytesOf = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) * 1024
  return { totalBytes: bytesOf('MemTotal'), availableBytes: bytesOf('MemAvailable') }
}
