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
 * A disk store of plain directories, for tests and for machines that cannot do better. It needs no privilege and keeps
 * the whole contract but three things: limits are recorded and reported, not enforced; images and snapshots are frozen by
 * their mode only, so root can still write to them; copies take as long as copying takes.
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

/** How large the file system below a directory is, and how much of it new data can take. */
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
      await writeRecord({ path: to, record: { limitBytes, imageBytes: await bytesBelow(to) } })
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
      const { limitBytes, imageBytes } = await readRecord(path)
      return { usedBytes: Math.max(0, (await bytesBelow(path)) - imageBytes), limitBytes }
    },
    async sync(path) {
      await runCommand(['sync', '--file-system', path])
    },
    generation: async (path) =>
      createHash('sha256')
        .update(await describeTree(path))
        .digest('hex'),
    async mayHaveChangedSince({ path, from }) {
      return !(await compareTrees({ before: from, after: path, comparesInodes: false })).isSame
    },
    async writtenBytes({ path, since }) {
      return Math.max(0, (await bytesBelow(path)) - (await bytesBelow(since)))
    },
    async snapshot({ from, to }) {
      await runCommand(['cp', '--archive', '--reflink=auto', from, to])
      await chmod(to, 0o555)
    },
    compareFrozen: undefined,
    async copyBack({ from, to }) {
      await runCommand(['cp', '--archive', '--reflink=auto', from, to])
      await chmod(to, 0o755)
    },
    removeCopy: (path) => rm(path, { recursive: true, force: true }),
    async makeImageDirectory(path) {
      await mkdir(path, { recursive: true, mode: 0o700 })
    },
    keepsInodes: false,
    async space() {
      const images = join(root, 'images')
      const imageBytes = await access(images).then(
        () => bytesBelow(images),
        () => 0,
      )
      return { ...(await readSpace(root)), imageBytes }
    },
  }
}

async function readFileSystemSpace(directory: string) {
  const { blocks, bavail, bsize } = await statfs(directory)
  return { totalBytes: blocks * bsize, availableBytes: bavail * bsize }
}

const recordSchema = z.object({ limitBytes: z.number(), imageBytes: z.number() })

function recordPath(path: string): string {
  return join(dirname(path), 'limit.json')
}

async function readRecord(path: string) {
  return recordSchema.parse(JSON.parse(await readFile(recordPath(path), 'utf8')))
}

function writeRecord(options: { path: string; record: z.infer<typeof recordSchema> }): Promise<void> {
  return writeFile(recordPath(options.path), JSON.stringify(options.record))
}

async function bytesBelow(path: string): Promise<number> {
  return Number.parseInt(await runCommand(['du', '--summarize', '--block-size=1', path]), 10)
}
