import type { DiskStore } from '@threadbox/disk-store'
import { type HostApi, type HostInfo, hostProtocolVersion, type SetupStep } from '@threadbox/protocol/host'
import type { ActiveBoots } from '../../boots/launch/active-boots.ts'
import type { Spares } from '../../boots/spares/spares.ts'
import type { BaseImages } from '../../machine/images/base-images.ts'
import { readMemory } from '../../machine/programs/machine-memory.ts'
import type { PausedBoots } from '../../memory/memory/paused-boots.ts'

const stepWords: Record<SetupStep, string> = { 'base-image': 'base image' }

/** Describes this host and its free capacity. */
export function hostInfo(options: {
  hostId: string
  version: string
  sealingKey: string
  disks: DiskStore
  active: ActiveBoots
  images: Pick<BaseImages, 'preparing' | 'problem'>
  spares: Spares
  paused: PausedBoots
}): Pick<HostApi, 'info'> {
  return {
    info: async () => {
      const [preparingSteps, imageProblem] = [options.images.preparing(), options.images.problem()]
      const [memory, pool, saved] = await Promise.all([readMemory(), options.disks.poolUsage(), options.paused.usage()])
      const info: HostInfo = {
        protocolVersion: hostProtocolVersion,
        version: options.version,
        hostId: options.hostId,
        memoryTotalBytes: memory.totalBytes,
        memoryAvailableBytes: memory.availableBytes,
        poolTotalBytes: pool.totalBytes,
        poolUsedBytes: pool.usedBytes,
        awakeSandboxes: options.active.count(),
        ...saved,
        spareSandboxes: options.spares.count(),
        spareKernels: options.spares.countKernels(),
        preparing: preparingSteps.map((step) => stepWords[step]),
        preparingSteps,
        sealingKey: options.sealingKey,
        ...(imageProblem !== undefined && { imageProblem }),
      }
      return info
    },
  }
}
