import { createHash } from 'node:crypto'
import path from 'node:path'
import type { DiskStore } from '@threadbox/disk-store'
import type { SandboxLimits } from '@threadbox/domain'
import { type BootRequest, canSaveMemory, type MemorySavingDriver, type SandboxDriver } from '@threadbox/sandbox-driver'
import type { Logger } from '@threadbox/telemetry'
import type { GuestOrigin } from '../launch/launch.ts'

/**
 * Memory images of a guest that has just started and has had no handshake: no token, no hostname, no user process.
 * Everything it has mapped comes from its own directory, so it can continue over any disk, in half the time of a start.
 * All boots from one template have the same guest, so each reseeds its random numbers.
 */
export type BootTemplates = {
  /** Starts a boot, from a template if one fits; returns which it was. A template that fails is never used again. */
  begin(request: BootRequest): Promise<GuestOrigin>
  /** Discards a template whose clone does not respond; no further boot comes from it. */
  discard(limits: SandboxLimits): Promise<void>
  /** Makes the template for these limits from a boot that `boot` starts and ends; does nothing if it exists. */
  make(options: { limits: SandboxLimits; boot: (save: SaveTemplate) => Promise<void> }): Promise<void>
  /** Adopts templates of an earlier daemon; removes those that no longer fit this one. */
  reclaim(): Promise<void>
}

/** Called with a boot whose guest listens and whose link is down. */
export type SaveTemplate = (driverBootId: string) => Promise<void>

/** Name of the templates' memory image directory. */
export const templatesPlace = 'templates'
const imageName = 'image'
/** Number of combinations of memory and processors; each takes 34 MB of the pool. */
const mostTemplates = 3

export function makeBootTemplates(ports: {
  isEnabled: boolean
  driver: SandboxDriver
  disks: DiskStore
  /** Directory of the current guest. */
  guestDirectory: string
  logger: Logger
}): BootTemplates {
  const { disks, guestDirectory, logger } = ports
  const driver = ports.isEnabled && canSaveMemory(ports.driver) ? ports.driver : undefined
  if (driver === undefined) return withoutTemplates(ports)
  const ready = new Map<string, string>()
  // A failure is not retried by this daemon: each attempt would cost a boot.
  const failed = new Set<string>()
  let prefix: Promise<string> | undefined

  // The sandbox's kernel reads memory and processors at its start, so they are part of the key.
  const keyOf = async ({ memoryBytes, cpus }: SandboxLimits) => {
    prefix ??= prefixOf({ driver, guestDirectory })
    return `${await prefix}-${memoryBytes}-${cpus}`
  }
  const drop = async (imageId: string) => {
    ready.delete(imageId)
    await disks.deleteMemoryPlace({ diskId: templatesPlace, imageId })
  }
  const restore = async (request: BootRequest) => {
    const key = await keyOf(request.limits)
    const directory = ready.get(key)
    if (directory === undefined || request.mounts.guestDirectory !== guestDirectory) return false
    try {
      await driver.startFromMemory({ ...request, directory })
      return true
    } catch (error) {
      logger.warn({ err: error, key }, 'a template cannot be used; the sandbox is booted')
      await drop(key)
      return false
    }
  }
  return {
    begin: async (request) => {
      if (await restore(request)) return 'cloned'
      await driver.start(request)
      return 'booted'
    },
    discard: async (limits) => drop(await keyOf(limits)),
    make: async ({ limits, boot }) => {
      const imageId = await keyOf(limits)
      if (ready.has(imageId) || failed.has(imageId)) return
      await drop(imageId)
      for (const oldest of [...ready.keys()].slice(0, -(mostTemplates - 1))) await drop(oldest)
      const { path: place } = await disks.makeMemoryPlace({ diskId: templatesPlace, imageId })
      const directory = path.join(place, imageName)
      failed.add(imageId)
      await boot(async (driverBootId) => {
        await driver.freeze(driverBootId)
        await driver.saveMemory({ bootId: driverBootId, directory })
      })
      failed.delete(imageId)
      await disks.syncMemoryPlace({ diskId: templatesPlace, imageId })
      ready.set(imageId, directory)
      logger.info({ imageId }, 'a template for boots was made')
    },
    reclaim: async () => {
      prefix ??= prefixOf({ driver, guestDirectory })
      const current = await prefix
      for (const place of await disks.listMemoryPlaces()) {
        if (place.diskId !== templatesPlace) continue
        const directory = path.join(place.path, imageName)
        const fits = place.imageId.startsWith(`${current}-`) && (await driver.judgeMemory(directory)) === undefined
        if (fits) ready.set(place.imageId, directory)
        else await drop(place.imageId)
      }
    },
  }
}

function withoutTemplates({ driver, disks }: { driver: SandboxDriver; disks: DiskStore }): BootTemplates {
  return {
    begin: async (request) => {
      await driver.start(request)
      return 'booted'
    },
    discard: async () => undefined,
    make: async () => undefined,
    reclaim: async () => {
      for (const place of await disks.listMemoryPlaces()) {
        if (place.diskId === templatesPlace) await disks.deleteMemoryPlace(place)
      }
    },
  }
}

async function prefixOf(options: { driver: MemorySavingDriver; guestDirectory: string }): Promise<string> {
  const { version } = await options.driver.describe()
  return createHash('sha256').update(`${version} ${options.guestDirectory}`).digest('hex').slice(0, 16)
}
