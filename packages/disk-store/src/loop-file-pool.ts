import { chmod, mkdir, rename, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { btrfs } from './btrfs-commands.ts'
import { machineFull, poolBusy, poolSparse, poolUnsupported } from './disk-store.errors.ts'
import { listMounts, loopDevicesOf, mountAt } from './mounts.ts'
import type { Pool } from './pool.ts'
import { runCommand } from './run-command.ts'

/**
 * threadbox’s own btrfs in one fully allocated file on any file system. With a sparse file, a full underlying disk would
 * turn the pool read-only after an fsync had reported success. For the same reason nothing may release blocks: the file
 * system is mounted `nodiscard` and the loop device rejects discards (fstrim).
 *
 * The file only grows. The kernel releases a loop device with its last mount, so a crash leaves at most a mounted pool,
 * which the next start finds and uses.
 */
export function makeLoopFilePool(options: {
  file: string
  mountPoint: string
  sizeBytes: number
  /** What must stay free on the underlying disk after the file was created or grown. */
  keepFreeBytes: number
  label: string
}): Pool {
  const { file, mountPoint } = options
  return {
    root: mountPoint,
    isOwn: true,
    keepFreeBytes: 0,
    async prepare() {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await mkdir(mountPoint, { recursive: true, mode: 0o700 })
      await ensureFile(options)
      const device = await attachAndMount({ file, mountPoint })
      await runCommand(['losetup', '--set-capacity', device])
      await btrfs.growToDevice(mountPoint)
      await chmod(mountPoint, 0o700)
    },
    async close() {
      if ((await mountAt(mountPoint)) === undefined) return
      await runCommand(['umount', mountPoint]).catch((error) => {
        throw poolBusy({ path: mountPoint, reason: 'files of it are still open' }, { cause: error })
      })
    },
  }
}

/** Creates or grows the file. A file whose creation was interrupted has another name and is created again. */
async function ensureFile(options: {
  file: string
  sizeBytes: number
  keepFreeBytes: number
  label: string
}): Promise<void> {
  const { file, sizeBytes, label } = options
  const present = await stat(file).catch(() => undefined)
  if (present !== undefined) {
    const allocatedBytes = present.blocks * statBlockBytes
    if (allocatedBytes < present.size) throw poolSparse({ path: file, sizeBytes: present.size, allocatedBytes })
    if (present.size < sizeBytes) {
      await refuseWithoutSpace({ ...options, neededBytes: sizeBytes - present.size })
      await allocate({ file, sizeBytes })
    }
    return
  }
  const unfinished = `${file}.unfinished`
  await rm(unfinished, { force: true })
  await refuseWithoutSpace({ ...options, neededBytes: sizeBytes })
  await writeFile(unfinished, '', { mode: 0o600 })
  await allocate({ file: unfinished, sizeBytes })
  // One copy of each table, so that a byte that quotas count takes one byte. Two copies on one disk protect from little.
  const format = ['--metadata', 'single', '--nodiscard', '--label', label]
  await runCommand(['mkfs.btrfs', '--quiet', ...format, unfinished])
  await runCommand(['sync', unfinished])
  await rename(unfinished, file)
}

/** The unit of stat(2), regardless of the block size of the file system. */
const statBlockBytes = 512

async function allocate(options: { file: string; sizeBytes: number }): Promise<void> {
  const { file, sizeBytes } = options
  await runCommand(['fallocate', '--length', String(sizeBytes), file]).catch((error) => {
    const reason = `the file system of ${dirname(file)} can’t preallocate space`
    throw poolUnsupported({ path: file, reason }, { cause: error })
  })
  const { size, blocks } = await stat(file)
  if (blocks * statBlockBytes >= size) return
  throw poolSparse({ path: file, sizeBytes: size, allocatedBytes: blocks * statBlockBytes })
}

async function refuseWithoutSpace(options: { file: string; neededBytes: number; keepFreeBytes: number }) {
  const { bavail, bsize } = await statfs(dirname(options.file))
  const neededBytes = options.neededBytes + options.keepFreeBytes
  if (bavail * bsize < neededBytes) {
    throw machineFull({ path: options.file, availableBytes: bavail * bsize, neededBytes })
  }
}

/**
 * The device that was used before, and is mounted no more, is detached when its last user closes it. That can be after it
 * was found here.
 */
async function attachAndMount(options: { file: string; mountPoint: string }): Promise<string> {
  const { file, mountPoint } = options
  for (let attempt = 1; ; attempt += 1) {
    const device = await ensureDevice({ file, mountPoint })
    try {
      await ensureMount({ device, mountPoint })
      return device
    } catch (error) {
      if (attempt === attachAttempts || (await loopDevicesOf(file)).includes(device)) throw error
    }
  }
}

const attachAttempts = 5

/** The only loop device over the file: two would cache and write independently. */
async function ensureDevice(options: { file: string; mountPoint: string }): Promise<string> {
  const { file, mountPoint } = options
  const mounts = await listMounts()
  const present = await loopDevicesOf(file)
  const mounted = present.filter((device) => mounts.some((mount) => mount.source === device))
  const elsewhere = mounts.find((mount) => mounted.includes(mount.source) && mount.mountPoint !== mountPoint)
  if (mounted.length > 1 || elsewhere !== undefined) {
    throw poolBusy({ path: file, reason: `it is mounted at ${elsewhere?.mountPoint ?? 'several places'}` })
  }
  const [keep = mounted[0] ?? present[0]] = mounted
  for (const device of present) if (device !== keep) await runCommand(['losetup', '--detach', device])
  return keep ?? attachDevice(file)
}

async function attachDevice(file: string): Promise<string> {
  const attach = (...more: string[]) =>
    runCommand(['losetup', '--find', '--show', '--nooverlap', ...more, file]).then((output) => output.trim())
  // Direct I/O keeps one copy in the page cache instead of two; not every underlying file system supports it.
  const device = await attach('--direct-io=on').catch(() => attach())
  return device
}

async function ensureMount(options: { device: string; mountPoint: string }): Promise<void> {
  const { device, mountPoint } = options
  await writeFile(`/sys/block/${basename(device)}/queue/discard_max_bytes`, '0')
  const present = await mountAt(mountPoint)
  if (present !== undefined && present.source !== device) {
    throw poolBusy({ path: mountPoint, reason: `${present.source} is mounted there` })
  }
  if (present === undefined) {
    await runCommand(['mount', '-t', 'btrfs', '-o', mountOptions.join(','), device, mountPoint])
    // For a mounted device this makes the kernel release it together with the mount.
    await runCommand(['losetup', '--detach', device])
    return
  }
  const missing = requiredMountFlags.filter((flag) => !present.options.has(flag))
  if (missing.length > 0) await runCommand(['mount', '-o', `remount,${mountOptions.join(',')}`, mountPoint])
}

/**
 * Files created by root inside a sandbox belong to root on the host too: they can be neither setuid nor devices here.
 */
const requiredMountFlags = ['nosuid', 'nodev']
const mountOptions = [...requiredMountFlags, 'noatime', 'compress=zstd:1', 'nodiscard']
