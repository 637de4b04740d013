import { Readable } from 'node:stream'
import type { HostSandbox, ReceiveDisk } from '@threadbox/protocol/host'
import { packDisk, unpackDisk } from '../../copies/environments/disk-streams.ts'
import { diskInUse, diskTooLarge, otherImage, sandboxIdTaken } from '../../copies/environments/environments.errors.ts'
import { makeFewAtOnce } from '../../machine/programs/few-at-once.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import { isAsleep } from '../../memory/memory/paused-boots.ts'
import { presentSandbox } from '../sandboxes/present-sandbox.ts'
import type { OrdersParts } from './sandbox-orders.ts'

/** Each takes a processor for as long as somebody takes, or sends, its bytes. */
const disksAtOnce = 2
/** A disk of which so much is used is one that did not suffice. */
const fullShare = 0.95

/** Disks on their way from one installation to another. */
export type DiskOrders = {
  /** Throws `environment.in-use`. */
  sendDisk(sandboxId: string): Promise<Readable>
  /** Throws `environment.id-taken`, `environment.other-image`, `environment.disk-too-large`, `environment.not-unpacked`. */
  receiveDisk(sandboxId: string, order: ReceiveDisk & { bytes: Readable }): Promise<HostSandbox>
}

export function makeDiskOrders(
  parts: OrdersParts & {
    known: (sandboxId: string) => Promise<StoredSandbox>
    undo: (sandbox: StoredSandbox) => Promise<void>
  },
): DiskOrders {
  const { lock, disks, known } = parts
  const [sent, received] = [makeFewAtOnce(disksAtOnce), makeFewAtOnce(disksAtOnce)]
  return {
    sendDisk: async (sandboxId) => {
      const sandbox = await known(sandboxId)
      const path = await diskAtRest(parts, sandbox)
      const image = (await disks.listImages()).find(({ imageId }) => imageId === sandbox.imageId)
      return Readable.from(inPlace(sent, () => packDisk(path, { imagePath: image?.path ?? null })))
    },
    receiveDisk: (sandboxId, order) =>
      lock(sandboxId, async () => {
        if ((await parts.sandboxes.find(sandboxId)) !== undefined) throw sandboxIdTaken({ sandboxId })
        const { imageId } = order
        const isThere = (await disks.listImages()).some((image) => image.imageId === imageId)
        if (!isThere) throw otherImage({ wanted: imageId, present: await parts.images.current() })
        return await received(() => receive(parts, { ...order, sandboxId }))
      }),
  }
}

/** While memory is kept its disk is not even looked at: what it was at the pause is read. */
async function diskAtRest({ boots, disks, paused }: OrdersParts, sandbox: StoredSandbox): Promise<string> {
  const { sandboxId, placeId } = sandbox
  const boot = await boots.current(sandboxId)
  if (boot === undefined) return (await disks.getDisk(placeId)).path
  const path = isAsleep(boot) ? await paused.pausedDiskPath(sandbox) : undefined
  if (path === undefined) throw diskInUse({ sandboxId })
  return path
}

/** The sandbox's row first, then its disk: what is left of it, also after a crash, can be removed by its id. */
async function receive(
  parts: OrdersParts & { undo: (sandbox: StoredSandbox) => Promise<void> },
  order: ReceiveDisk & { sandboxId: string; bytes: Readable },
): Promise<HostSandbox> {
  const { sandboxId, imageId, limits, bytes } = order
  const { disks } = parts
  const sandbox = await parts.addresses.assign(async (address) => {
    const own = { sandboxId, placeId: sandboxId, imageId, hostname: null, limits, address }
    const row = { ...own, egress: { kind: 'none' as const }, manifestKey: null, createdAt: parts.clock() }
    await parts.sandboxes.insert({ ...row, isDeleting: false })
    return { ...row, isDeleting: false }
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
    return await presentSandbox(parts, sandbox)
  } catch (error) {
    await parts.undo(sandbox)
    throw error
  }
}

/** Holds one of few places for as long as anything is taken. */
async function* inPlace<Part>(
  place: ReturnType<typeof makeFewAtOnce>,
  begin: () => AsyncGenerator<Part>,
): AsyncGenerator<Part> {
  const over = Promise.withResolvers<void>()
  const got = Promise.withResolvers<void>()
  const held = place(() => {
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
