import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdir, open, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A block device whose power can be cut afterwards at any recorded point. */
export type CrashDisk = {
  /** `/dev/loop…` */
  device: string
  /** A position in the recording: everything acknowledged before this call precedes it. */
  position(): Promise<number>
  /** Ends the recording. File systems on it must be unmounted. */
  close(): Promise<void>
  logPath: string
  sizeBytes: number
}

export async function makeCrashDisk(options: { directory: string; sizeBytes: number }): Promise<CrashDisk> {
  const { directory, sizeBytes } = options
  await mkdir(directory, { recursive: true })
  const mountPoint = path.join(directory, 'disk')
  const logPath = path.join(directory, 'log')
  await writeFile(mountPoint, '')
  await writeFile(logPath, '')
  const fuse = openSync('/dev/fuse', 'r+')
  const program = path.join(import.meta.dirname, 'recording-file.main.ts')
  await mountFile({ fuse, mountPoint })
  const recorder = spawn(process.execPath, [program, path.join(directory, 'content'), logPath, String(sizeBytes)], {
    stdio: ['ignore', 'inherit', 'inherit', fuse],
  })
  closeSync(fuse)
  const { stdout } = await run('losetup', ['--find', '--show', mountPoint])
  const device = stdout.trim()
  return {
    device,
    logPath,
    sizeBytes,
    position: async () => (await stat(logPath)).size,
    close: async () => {
      await run('losetup', ['--detach', device])
      await untilDetached(mountPoint)
      const ended = once(recorder, 'exit')
      // A process that created a mount namespace since then still has this file mounted: it is unmounted when its
      // recorder ends.
      await run('umount', ['--lazy', mountPoint])
      recorder.kill('SIGKILL')
      await ended
    },
  }
}

async function mountFile({ fuse, mountPoint }: { fuse: number; mountPoint: string }): Promise<void> {
  const options = 'fd=3,rootmode=100600,user_id=0,group_id=0'
  const mount = spawn('mount', ['-i', '-t', 'fuse', '-o', options, 'threadbox-crash-disk', mountPoint], {
    stdio: ['ignore', 'ignore', 'inherit', fuse],
  })
  const [code] = (await once(mount, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`mount failed with exit code ${code}`)
}

const detachWithinMs = 60_000

/**
 * The kernel finishes detaching when the last user of the device is gone; a process that starts in a copy of the mounts is
 * one for a moment, and on a busy machine for seconds.
 */
async function untilDetached(file: string): Promise<void> {
  const until = performance.now() + detachWithinMs
  while (performance.now() < until) {
    // By its file: another process can have the device’s name by now.
    const { stdout } = await run('losetup', ['--list', '--noheadings', '--output', 'BACK-FILE'])
    if (!stdout.split('\n').some((line) => line.trim() === file)) return
    await delay(20)
  }
  throw new Error(`${file} is still attached to a device`)
}

type Entry = { kind: 'write' | 'flush'; at: number; end: number; offset: number; length: number }

/** The recorded writes and flushes of a disk; `at` and `end` are positions. */
export async function readPast(disk: Pick<CrashDisk, 'logPath'>): Promise<Entry[]> {
  const log = await open(disk.logPath)
  try {
    const { size } = await log.stat()
    const entries: Entry[] = []
    const header = Buffer.alloc(16)
    for (let at = 0; at < size; ) {
      await log.read(header, 0, 16, at)
      const length = header.readUInt32LE(4)
      const kind = header.toString('latin1', 0, 1) === 'F' ? 'flush' : 'write'
      entries.push({ kind, at, end: at + 16 + length, offset: Number(header.readBigUInt64LE(8)), length })
      at += 16 + length
    }
    return entries
  } finally {
    await log.close()
  }
}

/**
 * Builds the content of a disk after a power cut, for rising positions: everything up to the last flush before the
 * position, and an arbitrary part of what was written after that flush, which is all that a disk promises.
 */
export function makeCrashImages(options: {
  disk: Pick<CrashDisk, 'logPath' | 'sizeBytes'>
  past: readonly Entry[]
  /** On a file system that copies by reference. */
  directory: string
  /** 0 ≤ value < 1; the same sequence gives the same images. */
  random: () => number
}) {
  const { disk, past, directory, random } = options
  const certain = path.join(directory, 'certain')
  let next = 0
  return {
    /** Writes the image for a position into `target`. Positions must not fall. */
    at: async (position: number, target: string): Promise<{ keptWrites: number; lostWrites: number }> => {
      const lastFlush = past.findLastIndex((entry) => entry.kind === 'flush' && entry.end <= position)
      const log = await open(disk.logPath)
      try {
        await apply({ log, file: certain, entries: past.slice(next, lastFlush + 1), sizeBytes: disk.sizeBytes })
        next = Math.max(next, lastFlush + 1)
        await rm(target, { force: true })
        await run('cp', ['--reflink=always', certain, target])
        const pending = past.slice(next).filter((entry) => entry.kind === 'write' && entry.end <= position)
        const kept = pending.filter(() => random() < 0.5)
        await apply({ log, file: target, entries: kept, sizeBytes: disk.sizeBytes })
        return { keptWrites: kept.length, lostWrites: pending.length - kept.length }
      } finally {
        await log.close()
      }
    },
  }
}

async function apply(options: {
  log: Awaited<ReturnType<typeof open>>
  file: string
  entries: readonly Entry[]
  sizeBytes: number
}): Promise<void> {
  const target = await open(options.file, 'a').then(async (made) => {
    await made.close()
    return await open(options.file, 'r+')
  })
  try {
    await target.truncate(options.sizeBytes)
    for (const { kind, at, offset, length } of options.entries) {
      if (kind === 'flush') continue
      const data = Buffer.alloc(length)
      await options.log.read(data, 0, length, at + 16)
      await target.write(data, 0, length, offset)
    }
  } finally {
    await target.close()
  }
}

/** A file system that copies by reference, for many images that differ little. */
export async function makeImageSpace(options: {
  directory: string
  sizeBytes: number
}): Promise<AsyncDisposable & { directory: string }> {
  const file = path.join(options.directory, 'images.btrfs')
  const mounted = path.join(options.directory, 'images')
  await mkdir(mounted, { recursive: true })
  await run('truncate', ['--size', String(options.sizeBytes), file])
  await run('mkfs.btrfs', ['--quiet', file])
  await run('mount', ['-o', 'loop', file, mounted])
  return {
    directory: mounted,
    [Symbol.asyncDispose]: async () => {
      // A process that created a mount namespace since then still has it mounted.
      await run('umount', ['--lazy', mounted])
      await rm(file)
    },
  }
}

/** Mounts an image of a crash, as a machine does after a power cycle. */
export async function mountCrashed(options: {
  image: string
  mountPoint: string
}): Promise<AsyncDisposable & { directory: string }> {
  await mkdir(options.mountPoint, { recursive: true })
  await run('mount', ['-o', 'loop', options.image, options.mountPoint])
  return {
    directory: options.mountPoint,
    [Symbol.asyncDispose]: async () => {
      await unmount(options.mountPoint)
    },
  }
}

/**
 * A sandbox that another test starts at the same time copies the mounts of this machine, and keeps them busy for a
 * moment.
 */
export async function unmount(mountPoint: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await run('umount', [mountPoint])
      return
    } catch (error) {
      if (attempt === 3000 || !String(error).includes('busy')) throw error
      await delay(20)
    }
  }
}
