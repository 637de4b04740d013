import { defineError } from '@threadbox/errors'

export const diskNotFound = defineError<{ diskId: string }>({
  code: 'disk.not-found',
  kind: 'not-found',
  message: ({ diskId }) => `Disk ${diskId} not found in the disk pool.`,
  remedy: () => 'You can replace the sandbox with a new one. Files on the lost disk can’t be recovered.',
})

export const imageNotFound = defineError<{ imageId: string }>({
  code: 'disk.image-not-found',
  kind: 'not-found',
  message: ({ imageId }) => `Image ${imageId} not found in the disk pool.`,
  remedy: () => 'Run `threadbox up` to build it.',
})

export const imageInUse = defineError<{ imageId: string; diskCount: number }>({
  code: 'disk.image-in-use',
  kind: 'conflict',
  message: ({ imageId, diskCount }) => `Can’t delete the image ${imageId}: ${diskCount} disks use it.`,
  remedy: () => 'Delete those disks first.',
})

export const snapshotNotFound = defineError<{ diskId: string; snapshotId: string }>({
  code: 'disk.snapshot-not-found',
  kind: 'not-found',
  message: ({ diskId, snapshotId }) => `Disk ${diskId} has no snapshot ${snapshotId}.`,
  remedy: () => 'Use an existing snapshot of the disk.',
})

export const snapshotsUnsupported = defineError({
  code: 'disk.snapshots-unsupported',
  kind: 'unsupported',
  message: () =>
    'This disk pool uses full quotas, where a snapshot would let a disk exceed its limit. Snapshots are off.',
  remedy: () => 'Use Linux 6.7 or later and a data directory that isn’t on your own btrfs file system.',
})

export const noRoomForSnapshot = defineError<{ reason: string }>({
  code: 'disk.no-room-for-snapshot',
  kind: 'out-of-space',
  message: ({ reason }) => `Couldn’t create a snapshot because the sandbox’s disk is full: ${reason}`,
  remedy: () => 'Delete files or older snapshots of the sandbox, or raise its disk limit.',
})

export const tooManyFiles = defineError<{ mostFiles: number; mostMebibytes: number }>({
  code: 'disk.too-many-files',
  kind: 'too-large',
  message: ({ mostFiles, mostMebibytes }) =>
    `The disk is too large to compare: it has more than ${mostFiles} names or more than ${mostMebibytes} MiB of ` +
    'names.',
  remedy: () => 'Delete files or directories the sandbox doesn’t need, then try again.',
})

export const idInvalid = defineError<{ id: string }>({
  code: 'disk.id-invalid',
  kind: 'invalid',
  message: ({ id }) => `${JSON.stringify(id)} is not a valid disk or image ID.`,
  remedy: () => 'Use 1 to 64 characters: a–z, 0–9, “.”, “_” and “-”, starting with a letter or digit.',
})

export const limitInvalid = defineError<{ limitBytes: number }>({
  code: 'disk.limit-invalid',
  kind: 'invalid',
  message: ({ limitBytes }) => `${limitBytes} bytes is not a valid disk limit.`,
  remedy: () => 'Use a whole number of bytes, at least 1 MiB.',
})

export const poolFull = defineError<{ availableBytes: number; reservedBytes: number }>({
  code: 'disk.pool-full',
  kind: 'out-of-space',
  message: ({ availableBytes, reservedBytes }) =>
    `Can’t create a disk: ${mebibytes(availableBytes)} MiB are free in the disk pool, of which ` +
    `${mebibytes(reservedBytes)} MiB are reserved for images and saved memory.`,
  remedy: () => 'Delete threads you don’t need, or enlarge the pool (THREADBOX_POOL_SIZE).',
})

export const machineFull = defineError<{ path: string; availableBytes: number; neededBytes: number }>({
  code: 'disk.machine-full',
  kind: 'out-of-space',
  message: ({ path, availableBytes, neededBytes }) =>
    `The disk pool at ${path} needs ${mebibytes(neededBytes)} MiB more on its disk, including the space that ` +
    `must stay free; only ${mebibytes(availableBytes)} MiB are free.`,
  remedy: () =>
    'Free up space on that disk, choose a smaller pool (THREADBOX_POOL_SIZE), or use another data directory.',
})

export const poolSparse = defineError<{ path: string; sizeBytes: number; allocatedBytes: number }>({
  code: 'disk.pool-sparse',
  kind: 'conflict',
  message: ({ path, sizeBytes, allocatedBytes }) =>
    `The pool file ${path} is ${mebibytes(sizeBytes)} MiB, but only ${mebibytes(allocatedBytes)} MiB are ` +
    'allocated. If the disk under it fills up, sandboxes lose data that was already saved.',
  remedy: ({ path, sizeBytes }) =>
    `Make sure the disk has enough space, run \`fallocate -l ${sizeBytes} ${path}\` (this keeps the contents), ` +
    'then restart.',
})

export const poolBusy = defineError<{ path: string; reason: string }>({
  code: 'disk.pool-busy',
  kind: 'conflict',
  message: ({ path, reason }) => `The disk pool at ${path} can’t be used or released: ${reason}`,
  remedy: () => 'Stop whatever is using it (`threadbox down` stops every sandbox), then try again.',
})

export const poolUnsupported = defineError<{ path: string; reason: string }>({
  code: 'disk.pool-unsupported',
  kind: 'unsupported',
  message: ({ path, reason }) => `Can’t allocate the disk pool at ${path}: ${reason}`,
  remedy: () => 'Use a data directory on ext4, xfs or btrfs, on a host with btrfs and loop devices.',
})

export const commandFailed = defineError<{ command: string; reason: string }>({
  code: 'disk.command-failed',
  kind: 'internal',
  message: ({ command, reason }) => `\`${command}\` failed: ${reason}`,
  remedy: () => 'Run `threadbox doctor` to check whether this host has everything that sandbox disks need.',
})

function mebibytes(bytes: number): number {
  return Math.floor(bytes / (1024 * 1024))
}
