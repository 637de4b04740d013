import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { type LimitFunction, pLimit } from '@threadbox/concurrency'
import { type DiskStore, snapshotNotFound } from '@threadbox/disk-store'
import type { HostApi, HostSandbox, ReceiveDisk } from '@threadbox/protocol/host'
import { packDisk, passedOnLevel, unpackDisk } from '../../copies/environments/disk-streams.ts'
import { diskInUse, diskTooLarge, otherImage, sandboxIdTaken } from '../../copies/environments/environments.errors.ts'
import type { BaseImages } from '../../machine/images/base-images.ts'
import type { AddressBook } from '../../machine/network/address-book.ts'
import type { BootsStore } from '../../machine/state/boots.store.ts'
import type { SandboxesStore, StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import { isBootAsleep, type PausedBoots } from '../../memory/memory/paused-boots.ts'
import type { OrderContext } from '../sandboxes/order-context.ts'

/** Each uses a processor while its bytes are being read or sent. */
const maxTransfers = 2
/** A disk with this share in use counts as full. */
const fullShare = 0.95

export type DiskOrderPorts = {
  context: OrderContext
  sandboxes: SandboxesStore
  boots: BootsStore
  disks: DiskStore
  paused: PausedBoots
  images: Pick<BaseImages, 'current'>
  addresses: AddressBook
  clock: () => number
  /** Removes what exists of a sandbox whose disk was not received. */
  remove: (sandbox: StoredSandbox) => Promise<void>
}

/**
 * Transfers of disks between installations. Sending throws `environment.in-use`; receiving `environment.id-taken`,
 * `environment.other-image`, `environment.disk-too-large`, `environment.not-unpacked`.
 */
export function diskOrders(ports: DiskOrderPorts): Pick<HostApi, 'sendDisk' | 'sendSnapshot' | 'receiveDisk'> {
  const { context, disks } = ports
  const { lock, requireSandbox } = context
  const [sent, received] = [pLimit(maxTransfers), pLimit(maxTransfers)]
  const send = async (path: string, { imageId, isWhole }: { imageId: string; isWhole: boolean }, level?: number) => {
    const image = (await disks.listImages()).find((one) => one.imageId === imageId)
    const order = { imagePath: image?.path ?? null, isWhole }
    const packed = Readable.from(withinLimit(sent, () => packDisk(path, order, level)))
    return Readable.toWeb(packed) as ReadableStream<Uint8Array>
  }
  return {
    sendDisk: async (sandboxId, { whole: isWhole = false } = {}) => {
      const sandbox = await requireSandbox(sandboxId)
      return await send(await diskAtRest(ports, sandbox), { imageId: sandbox.imageId, isWhole })
    },
    sendSnapshot: async (sandboxId, snapshotId) => {
      const { placeId, imageId } = await requireSandbox(sandboxId)
      const found = (await disks.listSnapshots(placeId)).find((one) => one.snapshotId === snapshotId)
      if (found === undefined) throw snapshotNotFound({ diskId: placeId, snapshotId })
      // A backup, which alone asks for snapshots, looks for what it already has, and compresses only the rest.
      return await send(found.path, { imageId, isWhole: false }, passedOnLevel)
    },
    receiveDisk: (sandboxId, order, stream) =>
      lock(sandboxId, async () => {
        if ((await ports.sandboxes.find(sandboxId)) !== undefined) throw sandboxIdTaken({ sandboxId })
        const { imageId } = order
        const hasImage = (await disks.listImages()).some((image) => image.imageId === imageId)
        if (!hasImage) throw otherImage({ wanted: imageId, present: await ports.images.current() })
        return await received(() =>
          receive(ports, { ...order, sandboxId, bytes: Readable.fromWeb(stream as NodeReadableStream) }),
        )
      }),
  }
}

/** While memory is saved, its disk is not even read: its content at the pause is. */
async function diskAtRest({ boots, disks, paused }: DiskOrderPorts, sandbox: StoredSandbox): Promise<string> {
  const { sandboxId, placeId } = sandbox
  const boot = await boots.current(sandboxId)
  if (boot === undefined) return (await disks.getDisk(placeId)).path
  const path = isBootAsleep(boot) ? await paused.pausedDiskPath(sandbox) : undefined
  if (path === undefined) throw diskInUse({ sandboxId })
  return path
}

/** The sandbox's row first, then its disk: its remains, also after a crash, can be removed by its id. */
async function receive(
  ports: DiskOrderPorts,
  order: ReceiveDisk & { sandboxId: string; bytes: Readable },
): Promise<HostSandbox> {
  const { sandboxId, imageId, limits, bytes } = order
  const { disks } = ports
  const sandbox = await ports.addresses.assign(async (address) => {
    const own = { sandboxId, placeId: sandboxId, imageId, hostname: null, limits, address }
    const row = { ...own, egress: { kind: 'none' as const }, manifestKey: null, createdAt: ports.clock() }
    const stored = { ...row, isDeleting: false, isArchived: false }
    await ports.sandboxes.insert(stored)
    return stored
  })
  try {
    const limitBytes = limits.diskBytes
    const { path } = await disks.createDisk({ diskId: sandboxId, imageId, limitBytes })
    await unpackDisk(path, { bytes, limitBytes }).catch(async (error: unknown) => {
      await disks.syncDisk(sandboxId)
      const { usedBytes } = await disks.diskUsage(sandboxId)
      throw usedBytes > limitBytes * fullShare ? diskTooLarge({ limitBytes }, { cause: error }) : error
    })
    await disks.syncDisk(sandboxId)
    return await ports.context.toHostSandbox(sandbox)
  } catch (error) {
    await ports.remove(sandbox)
    throw error
  }
}

/** Holds one of a few turns while the output is being consumed. */
async function* withinLimit<Part>(limiter: LimitFunction, begin: () => AsyncGenerator<Part>): AsyncGenerator<Part> {
  const over = Promise.withResolvers<void>()
  const got = Promise.withResolvers<void>()
  const held = limiter(() => {
    got.resolve()
    return over.promise
  })
  try {
    await got.promise
    yield* begin()
  } finally {
    over.resolve()
    await held
  }
}
