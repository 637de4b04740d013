import { createHash } from 'node:crypto'
import { access, chmod, mkdir, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Logger, makeLogger } from '@threadbox/telemetry'
import { z } from 'zod'
import type { DiskStore } from './disk-store.ts'
import type { PoolReserves } from './pool-reserves.logic.ts'
import { runCommand } from './run-command.ts'
import { compareTrees, describeTree } from './tree-comparison.ts'
import { makeVolumeDiskStore } from './volume-disk-store.ts'
import type { Volumes } from './volumes.ts'

/**
 * A disk store of plain directories, for tests: it needs no privilege and no btrfs. It differs from the contract:
 * - Limits are recorded and reported, not enforced.
 * - Freezing only makes the top directory read-only: files below it stay writable to their owner.
 * - Copies, including snapshots of a disk in use, are made file by file: not immediate and not of one moment.
 * - `writtenBytes` counts growth only, not what was overwritten.
 */
export function makeDirectoryDiskStore(options: {
  directory: string
  reserves?: PoolReserves
  logger?: Logger
  readSpace?: ReadSpace
}): DiskStore {
  const reserves = options.reserves ?? { imageBytes: 0, memoryImageBytes: 0 }
  const logger = options.logger ?? makeLogger({ process: 'host', level: 'warn' })
  return makeVolumeDiskStore({ volumes: makeDirectoryVolumes(options.directory, options.readSpace), reserves, logger })
}

/** Returns the size of the file system that contains a directory, and how much of it new data can take. */
export type ReadSpace = (directory: string) => Promise<{ totalBytes: number; availableBytes: number }>

export function makeDirectoryVolumes(root: string, readSpace: ReadSpace = readFileSystemSpace): Volumes {
  return {
    root,
    async prepare() {
      await mkdir(root, { recursive: true, mode: 0o700 })
    },
    async reclaim() {},
    async close() {},
    createEmpty: (path) => mkdir(path, { mode: 0o755 }),
    async freeze(path) {
      await runCommand(['sync', '--file-system', path])
      await chmod(path, 0o555)
    },
    async copy({ from, to, limitBytes }) {
      await runCommand(['cp', '--archive', '--reflink=auto', from, to])
      await chmod(to, 0o755)
      await writeRecord({ path: to, record: { limitBytes, imageBytes: await bytesIn(to) } })
    },
    async remove(path) {
      await chmod(path, 0o755).catch(() => undefined)
      await rm(path, { recursive: true, force: true })
      await rm(recordPath(path), { force: true })
    },
    async setLimit({ path, limitBytes }) {
      await writeRecord({ path, record: { ...(await readRecord(path)), limitBytes } })
    },
    async usage(path) {
      const { limitBytes, imageBytes: baseBytes } = await readRecord(path)
      return { usedBytes: Math.max(0, (await bytesIn(path)) - baseBytes), limitBytes }
    },
    async sync(path) {
      await runCommand(['sync', '--file-system', path])
    },
    async commit(path) {
      await runCommand(['sync', '--file-system', path])
    },
    generation: async (path) =>
      createHash('sha256')
        .update(await describeTree(path))
        .digest('hex'),
    async mayHaveChangedSince({ path, since }) {
      return !(await compareTrees({ before: since, after: path, comparesInodes: false })).isSame
    },
    async writtenBytes({ path, since }) {
      return Math.max(0, (await bytesIn(path)) - (await bytesIn(since)))
    },
    async snapshot({ from, to }) {
      await runCommand(['cp', '--archive', '--reflink=auto', from, to])
      await chmod(to, 0o555)
    },
    // Only a file system that records its writes can compare faster than by reading both trees.
    compareFrozen: undefined,
    async copyBack({ from, to }) {
      await runCommand(['cp', '--archive', '--reflink=auto', from, to])
      await chmod(to, 0o755)
    },
    // The record stays: the volume that replaces this one has the same.
    removeKeepingLimit: (path) => rm(path, { recursive: true, force: true }),
    async makeMemoryDirectory(path) {
      await mkdir(path, { recursive: true, mode: 0o700 })
    },
    keepsInodes: false,
    keepFree: async () => undefined,
    async space() {
      const images = join(root, 'images')
      const imageBytes = await access(images).then(
        () => bytesIn(images),
        () => 0,
      )
      return { ...(await readSpace(root)), imageBytes, disksRoomBytes: Number.POSITIVE_INFINITY }
    },
  }
}

async function readFileSystemSpace(directory: string) {
  const { blocks, bavail, bsize } = await statfs(directory)
  return { totalBytes: blocks * bsize, availableBytes: bavail * bsize }
}

/** `imageBytes`: the size of what the volume was copied from, which does not count toward its limit. */
const recordSchema = z.object({ limitBytes: z.number(), imageBytes: z.number() })

/** One per parent directory: a volume and the copy that replaces it in a restore share the record. */
function recordPath(path: string): string {
  return join(dirname(path), 'limit.json')
}

async function readRecord(path: string) {
  return recordSchema.parse(JSON.parse(await readFile(recordPath(path), 'utf8')))
}

function writeRecord(options: { path: string; record: z.infer<typeof recordSchema> }): Promise<void> {
  return writeFile(recordPath(options.path), JSON.stringify(options.record))
}

/** Disk space of a directory and everything in it. */
async function bytesIn(path: string): Promise<number> {
  return Number.parseInt(await runCommand(['du', '--summarize', '--block-size=1', path]), 10)
}
