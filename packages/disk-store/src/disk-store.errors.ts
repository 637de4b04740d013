import { defineError } from '@threadbox/errors'

export const diskNotFound = defineError<{ diskId: string }>({
  code: 'disk.not-found',
  kind: 'not-found',
  message: ({ diskId }) => `There is no disk ${diskId} in the pool.`,
  remedy: () => 'The sandbox can be replaced by a new one; files of the lost disk are gone.',
})

export const imageNotFound = defineError<{ imageId: string }>({
  code: 'disk.image-not-found',
  kind: 'not-found',
  message: ({ imageId }) => `There is no image ${imageId} in the pool.`,
  remedy: () => 'Build it with `threadbox up`, which makes what is missing.',
})

export const imageInUse = defineError<{ imageId: string; diskCount: number }>({
  code: 'disk.image-in-use',
  kind: 'conflict',
  message: ({ imageId, diskCount }) => `The image ${imageId} cannot be deleted: ${diskCount} disks were made from it.`,
  remedy: () => 'Delete those disks first.',
})

export const snapshotNotFound = defineError<{ diskId: string; snapshotId: string }>({
  code: 'disk.snapshot-not-found',
  kind: 'not-found',
  message: ({ diskId, snapshotId }) => `There is no snapshot ${snapshotId} of the disk ${diskId}.`,
  remedy: () => 'Use a snapshot that the disk has.',
})

export const snapshotsUnsupported = defineError({
  code: 'disk.snapshots-unsupported',
  kind: 'unsupported',
  message: () =>
    'This pool counts by full quotas, under which a snapshot would let its disk grow beyond its limit, so none are made.',
  remedy: () => 'Use Linux 6.7 or later and a data directory that is not on a btrfs of its own.',
})

export const noRoomForSnapshot = defineError<{ reason: string }>({
  code: 'disk.no-room-for-snapshot',
  kind: 'out-of-space',
  message: ({ reason }) => `No snapshot was made, because the disk of the sandbox is full: ${reason}`,
  remedy: () => 'Delete files or earlier snapshots of the sandbox, or raise its disk limit.',
})

export const tooManyFiles = defineError<{ mostFiles: number; mostMebibytes: number }>({
  code: 'disk.too-many-files',
  kind: 'too-large',
  message: ({ mostFiles, mostMebibytes }) =>
    `The disk was not compared: reading it whole would take more than ${mostFiles} names, or more than ${mostMebibytes} MiB for them.`,
  remedy: () => 'Delete files or directories of the sandbox that are not needed, then try again.',
})

export const idInvalid = defineError<{ id: string }>({
  code: 'disk.id-invalid',
  kind: 'invalid',
  message: ({ id }) => `${JSON.stringify(id)} cannot be the id of a disk or an image.`,
  remedy: () => 'Use 1 to 64 characters of a-z, 0-9, ".", "_" and "-", beginning with a letter or digit.',
})

export const limitInvalid = defineError<{ limitBytes: number }>({
  code: 'disk.limit-invalid',
  kind: 'invalid',
  message: ({ limitBytes }) => `${limitBytes} bytes cannot be the limit of a disk.`,
  remedy: () => 'Use a whole number of bytes, at least 1 MiB.',
})

export const poolFull = defineError<{ availableBytes: number; reservedBytes: number }>({
  code: 'disk.pool-full',
  kind: 'out-of-space',
  message: ({ availableBytes, reservedBytes }) =>
    `No new disk can be made: ${mebibytes(availableBytes)} MiB are free in the pool and ` +
    `${mebibytes(reservedBytes)} MiB of them are reserved for images and for saving sandboxes.`,
  remedy: () => 'Delete threads that are no longer needed, or give threadbox a larger pool (THREADBOX_POOL_SIZE).',
})

export const machineFull = defineError<{ path: string; availableBytes: number; neededBytes: number }>({
  code: 'disk.machine-full',
  kind: 'out-of-space',
  message: ({ path, availableBytes, neededBytes }) =>
    `The pool at ${path} needs ${mebibytes(neededBytes)} MiB more of the disk below it, counting what must stay free ` +
    `there; ${mebibytes(availableBytes)} MiB are free.`,
  remedy: () => 'Free space on that disk, choose a smaller pool (THREADBOX_POOL_SIZE), or use another data directory.',
})

export const poolSparse = defineError<{ path: string; sizeBytes: number; allocatedBytes: number }>({
  code: 'disk.pool-sparse',
  kind: 'conflict',
  message: ({ path, sizeBytes, allocatedBytes }) =>
    `The pool file ${path} is ${mebibytes(sizeBytes)} MiB long but only ${mebibytes(allocatedBytes)} MiB of it are ` +
    'allocated. If the disk below it filled up, sandboxes would lose data that was already saved.',
  remedy: ({ path, sizeBytes }) =>
    `Make sure the disk has room, run \`fallocate -l ${sizeBytes} ${path}\` (it keeps the content), and start again.`,
})

export const poolBusy = defineError<{ path: string; reason: string }>({
  code: 'disk.pool-busy',
  kind: 'conflict',
  message: ({ path, reason }) => `The pool at ${path} cannot be used or released: ${reason}`,
  remedy: () => 'Stop what still uses it (`threadbox down` stops every sandbox) and try again.',
})

export const poolUnsupported = defineError<{ path: string; reason: string }>({
  code: 'disk.pool-unsupported',
  kind: 'unsupported',
  message: ({ path, reason }) => `No pool can be kept at ${path}: ${reason}`,
  remedy: () => 'Use a data directory on ext4, xfs or btrfs, on a machine with btrfs and loop devices.',
})

export const commandFailed = defineError<{ command: string; reason: string }>({
  code: 'disk.command-failed',
  kind: 'internal',
  message: ({ command, reason }) => `\`${command}\` failed: ${reason}`,
  remedy: () => 'Run `threadbox doctor`: it checks what disks need from this machine.',
})

function mebibytes(bytes: number): number {
  return Math.floor(bytes / (1024 * 1024))
}
