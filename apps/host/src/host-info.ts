import { readFile } from 'node:fs/promises'
import type { DiskStore } from '@threadbox/disk-store'
import { type HostInfo, hostPaths, hostProtocolVersion } from '@threadbox/protocol/host'
import type { Hono } from 'hono'
import type { ActiveBoots } from './boots/active-boots.ts'

/** `GET /v1/host`: what this host is and how much room it has. */
export function addInfoRoutes(
  app: Hono,
  options: { hostId: string; version: string; disks: DiskStore; active: ActiveBoots; preparing: () => string[] },
): void {
  app.get(hostPaths.info, async (context) => {
    const preparing = options.preparing()
    const [memory, pool] = await Promise.all([readMemory(), options.disks.poolUsage()])
    const info: HostInfo = {
      protocolVersion: hostProtocolVersion,
      version: options.version,
      hostId: options.hostId,
      memoryTotalBytes: memory.totalBytes,
      memoryAvailableBytes: memory.availableBytes,
      poolTotalBytes: pool.totalBytes,
      poolUsedBytes: pool.usedBytes,
      awakeSandboxes: options.active.count(),
      preparing,
    }
    return context.json(info)
  })
}

async function readMemory(): Promise<{ totalBytes: number; availableBytes: number }> {
  const text = await readFile('/proc/meminfo', 'utf8')
  const bytesOf = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) * 1024
  return { totalBytes: bytesOf('MemTotal'), availableBytes: bytesOf('MemAvailable') }
}
