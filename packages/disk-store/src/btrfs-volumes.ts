import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { makeBackground } from '@threadbox/concurrency'
import type { Logger } from '@threadbox/telemetry'
import { btrfs, fileSystemUuid, type QuotaGroup, type QuotaMode } from './btrfs-commands.ts'
import { commandFailed, noRoomForSnapshot, snapshotsUnsupported } from './disk-store.errors.ts'
import { makeDisksLimit } from './disks-limit.ts'
import { compareFrozen } from './frozen-comparison.ts'
import type { Pool } from './pool.ts'
import type { PoolReserves } from './pool-reserves.logic.ts'
import type { VolumeSpace, Volumes } from './volumes.ts'

/**
 * Volumes as btrfs subvolumes. How limits are kept depends on what the file system can do:
 *
 * With simple quotas, each disk has a group of level 1 that holds its volume and whatever is copied from it later, so
 * a limit cannot be evaded by snapshots; and all of them are in one group of level 2, whose limit keeps the reserves
 * free whatever the disks do. An image's bytes belong to the image alone.
 *
 * With full quotas (kernels before 6.7), the limit is on what the disk's own volume does not share with the image.
 * Groups of level 1 are not used there: adding a copy to one makes the counting of the whole pool invalid until a scan
 * of everything.
 */
export function makeBtrfsVolumes(options: {
  pool: Pool
  installation: string
  reserves: PoolReserves
  logger: Logger
}): Volumes {
  const { pool, installation, reserves, logger } = options
  const root = pool.root
  const allDisks = groupIdOf(2, installation)
  let mode: QuotaMode = 'off'
  const images = makeImageCount(root)
  const groups = makeKnownGroups({ root, mode: () => mode })
  const tableBytes = makeTableReader(root)

  const space = async (): Promise<VolumeSpace> => {
    const disks = mode === 'simple' ? await disksLimit.held() : undefined
    return { ...(await readSpace(pool, disks)), imageBytes: await images.bytes(), tableBytes: await tableBytes() }
  }
  const disksLimit = makeDisksLimit({ root, groupId: allDisks, reserves, space, logger })
  const limitAllDisks = async () => {
    if (mode === 'simple') await disksLimit.set()
  }

  /**
   * The groups are removed when the kernel has freed the last byte, which takes minutes for a large disk: no caller
   * waits for it.
   */
  const cleanings = makeBackground<{ groupIds: string[] }>((error, { groupIds }) =>
    logger.warn({ err: error, groupIds }, 'quota groups of a deleted volume stay until the next start'),
  )
  const clean = ({ volumeId, groupIds }: { volumeId: string; groupIds: string[] }) =>
    void cleanings.keep(removeGroups({ root, mode, volumeId, groupIds }), { groupIds })

  return {
    root,
    async prepare() {
      await pool.prepare()
      mode = await ensureQuotas({ root, isOwn: pool.isOwn, logger })
      if (mode === 'simple') await ensureGroup({ root, groupId: allDisks })
      await limitAllDisks()
    },
    async reclaim() {
      for (const groupId of leftOverGroups({ groups: await btrfs.listGroups(root), allDisks, isOwn: pool.isOwn })) {
        // A volume that is still being cleaned keeps its group busy; the next start removes it.
        await btrfs.destroyGroup({ path: root, groupId }).catch((error) => {
          logger.debug({ err: error, groupId }, 'a quota group is still in use')
        })
      }
    },
    async close() {
      await cleanings.settled()
      await pool.close()
    },
    createEmpty: (path) => btrfs.createVolume(path),
    async freeze(path) {
      await btrfs.sync(path)
      await btrfs.setReadOnly(path)
      images.forget()
      await limitAllDisks()
    },
    async copy({ from, to, limitBytes }) {
      if (mode === 'simple') {
        // A new number each time: the group of a deleted disk of the same name may not be empty yet.
        const groupId = groupIdOf(1, randomUUID())
        await btrfs.createGroup({ path: root, groupId })
        await btrfs.assignGroup({ path: root, groupId, parentId: allDisks })
        await btrfs.limitGroup({ path: root, groupId, limitBytes, exclusive: false })
        await btrfs.snapshot({ from, to, groupId })
        await groups.learn(to, groupId)
        return
      }
      await btrfs.snapshot({ from, to })
      const groupId = `0/${await btrfs.volumeId(to)}`
      await btrfs.limitGroup({ path: root, groupId, limitBytes, exclusive: true })
    },
    async remove(path) {
      if (!(await isVolume(path))) return
      const volumeId = await btrfs.volumeId(path)
      const { groupId } = await limitingGroup({ root, path, mode })
      await groups.forget(path)
      await btrfs.deleteVolume(path)
      images.forget()
      clean({ volumeId, groupIds: [groupId, `0/${volumeId}`] })
    },
    async setLimit({ path, limitBytes }) {
      const { groupId } = await limitingGroup({ root, path, mode })
      await btrfs.limitGroup({ path: root, groupId, limitBytes, exclusive: mode === 'full' })
    },
    usage: makeUsageReader({ root, groups, mode: () => mode }),
    sync: (path) => btrfs.sync(path),
    commit: (path) => btrfs.commit(path),
    generation: (path) => btrfs.generation(path),
    // A frozen copy has the number of the transaction that created it; later writes have a higher one.
    async mayHaveChangedSince({ path, since }) {
      const [now, before] = await Promise.all([btrfs.generation(path), btrfs.generation(since)])
      return transactionOf(now) !== transactionOf(before)
    },
    async writtenBytes({ path, since }) {
      // Writes before the copy, in the transaction that created it, have its number too.
      return await btrfs.writtenBytes({ path, since: transactionOf(await btrfs.generation(since)) + 1 })
    },
    compareFrozen: (volumes) => compareFrozen(volumes, logger),
    ...copyMethods({ root, mode: () => mode, groups, clean }),
    async makeMemoryDirectory(path) {
      await mkdir(path, { recursive: true, mode: 0o700 })
      // Memory is written once and read once, and a wake waits for the read: saves the time for decompression.
      await btrfs.disableCompression(path)
    },
    keepsInodes: true,
    space,
    async keepFree(bytes) {
      if (mode === 'simple') await disksLimit.set({ keepFreeBytes: bytes })
    },
  }
}

/**
 * Usage and limit of a volume: from the kernel’s own numbers, or from the program’s table if the kernel does not show
 * them.
 */
function makeUsageReader(options: { root: string; groups: KnownGroups; mode: () => QuotaMode }): Volumes['usage'] {
  const { root, groups } = options
  let uuid: Promise<string> | undefined
  return async (path) => {
    uuid ??= fileSystemUuid(root)
    const now = await btrfs.groupNow({ uuid: await uuid, groupId: await groups.find(path) })
    if (now !== undefined) return { usedBytes: now.bytes, limitBytes: now.limitBytes }
    const group = await limitingGroup({ root, path, mode: options.mode() })
    return { usedBytes: group.exclusiveBytes, limitBytes: group.limitBytes ?? 0 }
  }
}

/** Copies that share the limit of the volume they were made from. */
function copyMethods(options: {
  root: string
  mode: () => QuotaMode
  groups: KnownGroups
  clean: (volume: { volumeId: string; groupIds: string[] }) => void
}) {
  const { root, mode, groups, clean } = options
  return {
    async snapshot({ from, to }: { from: string; to: string }) {
      if (mode() !== 'simple') throw snapshotsUnsupported({})
      const groupId = await groups.find(from)
      await btrfs.snapshot({ from, to, groupId, isReadOnly: true }).catch((error: unknown) => {
        throw btrfs.isOutOfSpace(error) ? noRoomForSnapshot({ reason: reasonOf(error) }, { cause: error }) : error
      })
    },
    async copyBack({ from, to, of }: { from: string; to: string; of: string }) {
      const { groupId } = await limitingGroup({ root, path: (await isVolume(of)) ? of : from, mode: mode() })
      await btrfs.snapshot({ from, to, groupId })
    },
    async removeKeepingLimit(path: string) {
      if (!(await isVolume(path))) return
      const volumeId = await btrfs.volumeId(path)
      await groups.forget(path)
      await btrfs.deleteVolume(path)
      clean({ volumeId, groupIds: [`0/${volumeId}`] })
    },
  } satisfies Partial<Volumes>
}

/**
 * On threadbox’s own pool: simple quotas if the kernel has them. On the user’s file system: what is already enabled,
 * otherwise full quotas, because enabling simple ones cannot be undone (older kernels then refuse to mount it).
 */
async function ensureQuotas(options: { root: string; isOwn: boolean; logger: Logger }): Promise<QuotaMode> {
  const { root, isOwn, logger } = options
  const present = await btrfs.quotaMode(root)
  if (present !== 'off') return present
  if (isOwn) {
    await btrfs.enableSimpleQuotas(root).catch((error) => {
      logger.info({ err: error }, 'this kernel has no simple quotas: disk limits cost more here')
    })
    if ((await btrfs.quotaMode(root)) === 'simple') return 'simple'
  }
  await btrfs.enableFullQuotas(root)
  return 'full'
}

async function readSpace(
  { root, keepFreeBytes }: Pool,
  disks: { bytes: number; roomBytes: number } | undefined,
): Promise<Omit<VolumeSpace, 'imageBytes'>> {
  const { blocks, bavail, bsize } = await statfs(root)
  return {
    totalBytes: blocks * bsize,
    availableBytes: Math.max(0, bavail * bsize - keepFreeBytes),
    disksRoomBytes: disks?.roomBytes ?? Number.POSITIVE_INFINITY,
    disksBytes: disks?.bytes,
  }
}

/** Undefined where the kernel doesn’t show it. */
function makeTableReader(root: string): () => Promise<number | undefined> {
  let uuid: Promise<string> | undefined
  return async () => {
    uuid ??= fileSystemUuid(root)
    return await btrfs.tableBytes({ uuid: await uuid }).catch(() => undefined)
  }
}

async function ensureGroup(options: { root: string; groupId: string }): Promise<void> {
  const { root, groupId } = options
  const groups = await btrfs.listGroups(root)
  if (!groups.some((group) => group.groupId === groupId)) await btrfs.createGroup({ path: root, groupId })
}

/** The group whose limit applies to a volume: with simple quotas its parent of level 1, otherwise its own. */
async function limitingGroup(options: { root: string; path: string; mode: QuotaMode }): Promise<QuotaGroup> {
  const { root, path, mode } = options
  const groups = new Map((await btrfs.listGroups(root)).map((group) => [group.groupId, group]))
  const own = groups.get(`0/${await btrfs.volumeId(path)}`)
  const parent = mode === 'simple' ? groups.get(own?.parentIds[0] ?? '') : undefined
  const group = parent ?? own
  if (group === undefined) throw commandFailed({ command: `btrfs qgroup show ${root}`, reason: `no group for ${path}` })
  return group
}

type KnownGroups = ReturnType<typeof makeKnownGroups>

/**
 * Caches the limiting group of each volume. It never changes, and finding it takes two programs, during which a sandbox
 * would be frozen in every pause. The key is the device number, which identifies a volume as long as it exists, under
 * any name.
 */
function makeKnownGroups(options: { root: string; mode: () => QuotaMode }) {
  const known = new Map<number, string>()
  const deviceOf = async (path: string) => (await stat(path)).dev
  return {
    learn: async (path: string, groupId: string) => void known.set(await deviceOf(path), groupId),
    find: async (path: string): Promise<string> => {
      const device = await deviceOf(path)
      const groupId = known.get(device) ?? (await limitingGroup({ ...options, path, mode: options.mode() })).groupId
      known.set(device, groupId)
      return groupId
    },
    forget: async (path: string) => void known.delete(await deviceOf(path)),
  }
}

async function removeGroups(options: {
  root: string
  mode: QuotaMode
  volumeId: string
  groupIds: string[]
}): Promise<void> {
  const { root, mode, volumeId, groupIds } = options
  await btrfs.waitForCleaning({ path: root, volumeId })
  // Full quotas count at the end of a transaction: without the group, those of the whole pool would become invalid.
  if (mode === 'full') await btrfs.sync(root)
  // Kernels differ in whether the group of a deleted volume is removed automatically.
  const present = new Set((await btrfs.listGroups(root)).map((group) => group.groupId))
  for (const groupId of new Set(groupIds)) {
    if (!present.has(groupId)) continue
    await btrfs.destroyGroup({ path: root, groupId }).catch(async (error: unknown) => {
      const isPresent = (await btrfs.listGroups(root)).some((group) => group.groupId === groupId)
      if (isPresent) throw error
    })
  }
}

/** Our groups that no longer limit a volume. On the user’s file system only those below our own group are ours. */
function leftOverGroups(options: { groups: QuotaGroup[]; allDisks: string; isOwn: boolean }): string[] {
  const { groups, allDisks, isOwn } = options
  const living = groups.filter((group) => group.groupId.startsWith('0/') && !group.isStale)
  const inUse = new Set(living.flatMap((group) => group.parentIds))
  const unused = groups.filter((group) => group.parentIds.includes(allDisks) && !inUse.has(group.groupId))
  const stale = groups.filter((group) => isOwn && group.isStale)
  return [...stale, ...unused].map((group) => group.groupId)
}

/**
 * The bytes of all images, including incomplete ones. Counted once and cached until `forget`, which is called when
 * images were added or removed.
 */
function makeImageCount(root: string) {
  let count: Promise<number> | undefined
  const bytes = () => {
    count ??= imageBytesIn(root)
    const mine = count
    return mine.catch((error: unknown) => {
      if (count === mine) count = undefined
      throw error
    })
  }
  const forget = () => {
    count = undefined
  }
  return { bytes, forget }
}

/**
 * Images share no data with each other. Counts again if a name changed during the count: images are renamed when they
 * are finished and before they are removed.
 */
async function imageBytesIn(root: string): Promise<number> {
  const directory = join(root, 'images')
  const listed = async () => (await readdir(directory).catch(() => [])).sort().join('/')
  for (;;) {
    const before = await listed()
    const paths = before.split('/').map((name) => join(directory, name, 'root'))
    const counted = await bytesOf({ root, paths }).catch((error: unknown) => ({ error }))
    if (before !== (await listed())) continue
    if (typeof counted === 'number') return counted
    throw counted.error
  }
}

async function bytesOf({ root, paths }: { root: string; paths: string[] }): Promise<number> {
  const groups = new Map((await btrfs.listGroups(root)).map((group) => [group.groupId, group.referencedBytes]))
  let sum = 0
  for (const path of paths) {
    const id = await volumeIdOf(path)
    if (id !== undefined) sum += groups.get(`0/${id}`) ?? 0
  }
  return sum
}

/** Undefined for a path without a volume, also if it was removed just now: the directory around it goes a moment later. */
async function volumeIdOf(path: string): Promise<string | undefined> {
  if (!(await isVolume(path))) return undefined
  try {
    return await btrfs.volumeId(path)
  } catch (error) {
    if (await isVolume(path)) throw error
    return undefined
  }
}

/** A group number is 48 bits wide: with that much of a hash, a collision of two names is practically impossible. */
function groupIdOf(level: 1 | 2, name: string): string {
  return `${level}/${createHash('sha256').update(name).digest().readUIntBE(0, 6)}`
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function transactionOf(generation: string): number {
  return Number(generation.split(':')[1])
}

/** The root directory of a btrfs volume has this inode number; no other directory has it (btrfs_tree.h). */
const volumeRootInode = 256

function isVolume(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory() && found.ino === volumeRootInode,
    () => false,
  )
}
