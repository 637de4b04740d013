import { access, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { callBtrfs } from './btrfs-calls.ts'
import { commandFailed } from './disk-store.errors.ts'
import type { TableRoom } from './pool-reserves.logic.ts'
import { readCommand, runCommand } from './run-command.ts'
import { makeSendStreamReader, type NamesOfStream, type SendStreamLimits } from './send-stream.ts'

/** Rescans and the deletion of large volumes take as long as the pool is large. */
const longTimeoutMs = 3_600_000
const longTime = { timeoutMs: longTimeoutMs }
/** A call waits for a commit at most, on a slow disk behind much that is to be written. */
const shortTime = { timeoutMs: 120_000 }
/** A large volume takes minutes to be cleaned up. */
const longestPollMs = 2_000
/**
 * Reading two volumes completely takes less than this: after this time, callers that compare volumes do that instead.
 */
const sendTimeoutMs = 20_000

/**
 * How a mounted btrfs counts. `simple` (kernel 6.7 and later) counts an extent for the volume that wrote it, at no
 * cost; `full` determines at every commit which volumes share an extent; `off` counts nothing.
 */
export type QuotaMode = 'simple' | 'full' | 'off'

export type QuotaGroup = {
  /** `level/number`. Level 0 has one group per volume, under the volume’s own ID. */
  groupId: string
  referencedBytes: number
  exclusiveBytes: number
  limitBytes: number | undefined
  parentIds: string[]
  /** A level 0 group whose volume no longer exists. */
  isStale: boolean
}

/**
 * What btrfs can do, one function each: by a call where it happens often, otherwise by the `btrfs` program. The only place
 * that knows its arguments and its output.
 */
export const btrfs = {
  async createVolume(path: string): Promise<void> {
    await runCommand(['btrfs', 'subvolume', 'create', path])
  },
  async snapshot(options: { from: string; to: string; groupId?: string; isReadOnly?: boolean }): Promise<void> {
    const { from, to, groupId = '', isReadOnly = false } = options
    await callBtrfs(['snapshot', from, to, groupId, isReadOnly ? '1' : ''], shortTime)
  },
  /**
   * Whether a call failed because a limit was reached or no space is free, which only the system’s text says.
   */
  isOutOfSpace(error: unknown): boolean {
    return error instanceof Error && /Disk quota exceeded|No space left on device/.test(error.message)
  },
  /** Bytes of file extents that were written by the transaction `since` or later, including those truncated since. */
  async writtenBytes({ path, since }: { path: string; since: number }): Promise<number> {
    const [bytes] = await callBtrfs(['written', path, String(since)], shortTime)
    return Number(bytes)
  },
  /**
   * The names that differ between two read-only volumes; undefined if there are more than `limits` allows. Neither
   * volume can be removed during the comparison: the program is killed when this process ends.
   */
  async namesOfDifferences(options: {
    before: string
    after: string
    limits: SendStreamLimits
  }): Promise<NamesOfStream | undefined> {
    const { before, after, limits } = options
    const reader = makeSendStreamReader(limits)
    // The program sends version 1 of the stream unless another one is requested.
    const send = ['btrfs', 'send', '--no-data', '-p', before, after] as const
    const isWhole = await readCommand(['setpriv', '--pdeathsig', 'KILL', ...send], {
      timeoutMs: sendTimeoutMs,
      read: reader.push,
    })
    return isWhole ? reader.end() : undefined
  },
  /** All names of these files, byte for byte (as latin1), relative to the volume. */
  async namesOfFiles({ path, inodes }: { path: string; inodes: bigint[] }): Promise<string[]> {
    if (inodes.length === 0) return []
    const command = ['perl', '-e', namesOfFilesProgram, path, ...inodes.map(String)] as const
    return (await runCommand(command, { encoding: 'latin1' })).split('\0').slice(0, -1)
  },
  /** The volume’s ID and the number of the last transaction that wrote to it. */
  async generation(path: string): Promise<string> {
    const [id, generation] = await callBtrfs(['volume', path], shortTime)
    return `${id}:${generation}`
  },
  async disableCompression(path: string): Promise<void> {
    await runCommand(['btrfs', 'property', 'set', path, 'compression', 'none'])
  },
  async setReadOnly(path: string): Promise<void> {
    await runCommand(['btrfs', 'property', 'set', '-t', 'subvol', path, 'ro', 'true'])
  },
  /** Returns when the deletion would survive a power loss. The space is freed later, see `waitForCleaning`. */
  async deleteVolume(path: string): Promise<void> {
    await callBtrfs(['delete', path], longTime)
  },
  /** Returns when the space of a deleted volume is free. */
  async waitForCleaning({ path, volumeId }: { path: string; volumeId: string }): Promise<void> {
    for (let waitMs = 50; ; waitMs = Math.min(2 * waitMs, longestPollMs)) {
      const [exists] = await callBtrfs(['exists', path, volumeId], shortTime)
      if (exists === '0') return
      await delay(waitMs)
    }
  },
  async volumeId(path: string): Promise<string> {
    const [id = ''] = await callBtrfs(['volume', path], shortTime)
    return id
  },
  async sync(path: string): Promise<void> {
    await callBtrfs(['sync', path], longTime)
  },
  /** Ends the present transaction, without first writing what programs have written to files of any volume, as `sync` does. */
  async commit(path: string): Promise<void> {
    await callBtrfs(['commit', path], shortTime)
  },
  async growToDevice(path: string): Promise<void> {
    await runCommand(['btrfs', 'filesystem', 'resize', 'max', path])
  },

  async quotaMode(path: string): Promise<QuotaMode> {
    const directory = `/sys/fs/btrfs/${await fileSystemUuid(path)}/qgroups`
    if (!(await exists(directory))) return 'off'
    // Kernels before 6.7 have only one mode and no such file.
    const mode = await readFile(`${directory}/mode`, 'utf8').catch(() => 'qgroup')
    return mode.trim() === 'squota' ? 'simple' : 'full'
  },
  async enableSimpleQuotas(path: string): Promise<void> {
    try {
      await runCommand(['btrfs', 'quota', 'enable', '--simple', path])
    } catch {
      // btrfs-progs before 6.7 have no option for it, but the kernel may support it: calls its ioctl through the perl
      // of Debian’s base system.
      await runCommand(['perl', '-e', enableSimpleQuotasProgram, path])
    }
  },
  async enableFullQuotas(path: string): Promise<void> {
    await runCommand(['btrfs', 'quota', 'enable', path])
    await runCommand(['btrfs', 'quota', 'rescan', '-w', path], { timeoutMs: longTimeoutMs })
  },
  /** Not read at one moment: a group that is made or removed in between can be missing. */
  async listGroups(path: string): Promise<QuotaGroup[]> {
    return (await callBtrfs(['groups', path], shortTime)).map(parseGroup)
  },
  /**
   * What one group holds now, read without starting a program and including data not yet written to disk; undefined if
   * the kernel does not show it.
   */
  async groupNow(options: {
    uuid: string
    groupId: string
  }): Promise<{ bytes: number; writtenBytes: number; limitBytes: number } | undefined> {
    const directory = `/sys/fs/btrfs/${options.uuid}/qgroups/${options.groupId.replace('/', '_')}`
    const names = ['exclusive', 'rsv_data', 'max_referenced', 'max_exclusive']
    const values = await Promise.all(
      names.map((name) => readFile(`${directory}/${name}`, 'utf8').then(Number, () => undefined)),
    )
    const [exclusive, reserved = 0, maxReferenced = 0, maxExclusive = 0] = values
    if (exclusive === undefined) return undefined
    const writtenBytes = Math.max(0, exclusive)
    return { bytes: writtenBytes + reserved, writtenBytes, limitBytes: maxReferenced || maxExclusive }
  },
  /** What the file system has for its own tables, read without starting a program. */
  async tableRoom({ uuid, totalBytes }: { uuid: string; totalBytes: number }): Promise<TableRoom> {
    const directory = `/sys/fs/btrfs/${uuid}/allocation`
    const read = async (name: string) => Number(await readFile(`${directory}/${name}`, 'utf8'))
    const kinds = ['data', 'metadata', 'system']
    const allocated = await Promise.all(kinds.map((kind) => read(`${kind}/disk_total`)))
    const unallocated = allocated.reduce((rest, bytes) => rest - bytes, totalBytes)
    const copies = (await exists(`${directory}/metadata/dup`)) ? 2 : 1
    const inUse = (await read('metadata/bytes_used')) + (await read('metadata/bytes_may_use'))
    const freeBytes = (await read('metadata/total_bytes')) - inUse + Math.max(0, unallocated) / copies
    // The kernel’s own limit (init_alloc_chunk_ctl_policy_regular); kernels before 6.0 don’t show the first part of it.
    const largest = await read('metadata/chunk_size').catch(() => totalBytes)
    return { freeBytes, copies, stepBytes: copies * Math.min(largest, totalBytes / 10) }
  },
  /** What the file system’s own tables take on its devices, read without starting a program. */
  async tableBytes({ uuid }: { uuid: string }): Promise<number> {
    const read = async (name: string) => Number(await readFile(`/sys/fs/btrfs/${uuid}/allocation/${name}`, 'utf8'))
    const used = await Promise.all(['metadata', 'system'].map((kind) => read(`${kind}/disk_used`)))
    return used.reduce((sum, bytes) => sum + bytes, 0)
  },
  async createGroup(options: { path: string; groupId: string }): Promise<void> {
    await callBtrfs(['create_group', options.path, options.groupId], shortTime)
  },
  async assignGroup(options: { path: string; groupId: string; parentId: string }): Promise<void> {
    const { path, groupId, parentId } = options
    await callBtrfs(['assign_group', path, groupId, parentId], shortTime)
  },
  async destroyGroup(options: { path: string; groupId: string }): Promise<void> {
    await callBtrfs(['destroy_group', options.path, options.groupId], shortTime)
  },
  /** Limits what a group can reference, or with `exclusive` what it does not share with others. */
  async limitGroup(options: { path: string; groupId: string; limitBytes: number; exclusive: boolean }): Promise<void> {
    const { path, groupId, limitBytes, exclusive } = options
    await callBtrfs(['limit_group', path, groupId, String(limitBytes), exclusive ? '1' : ''], shortTime)
  },
}

function parseGroup(row: string): QuotaGroup {
  const [groupId = '', referenced, exclusive, limit, parents = '', isStale] = row.split(' ')
  return {
    groupId,
    referencedBytes: Math.max(0, Number(referenced)),
    exclusiveBytes: Math.max(0, Number(exclusive)),
    limitBytes: limit === '-' ? undefined : Number(limit),
    parentIds: parents === '-' ? [] : parents.split(','),
    isStale: isStale === '1',
  }
}

/** BTRFS_IOC_QUOTA_CTL with the command BTRFS_QUOTA_CTL_ENABLE_SIMPLE_QUOTA (linux/btrfs.h; same on x86_64 and arm64). */
const enableSimpleQuotasProgram =
  'open(my $directory, "<", $ARGV[0]) or die "open: $!\\n"; my $order = pack("QQ", 4, 0); ' +
  'ioctl($directory, 0xC0109428, $order) or die "ioctl: $!\\n";'

/**
 * BTRFS_IOC_INO_PATHS (linux/btrfs.h; same on x86_64 and arm64) for each inode number: the kernel fills at most 4096
 * bytes: a header of four u32, of which the last counts the names that did not fit, then the offsets of the names
 * behind that header. (`vec` gives each its own piece of memory.)
 */
const namesOfFilesProgram =
  'open(my $volume, "<", shift) or die "open: $!\\n"; for my $inode (@ARGV) { my $found = "\\0" x 4096; vec($found, 0, 8) = 0; ' +
  'my $order = pack("Q6P", $inode, length($found), 0, 0, 0, 0, $found); ' +
  'ioctl($volume, 0xC0389423, $order) or die "ioctl: $!\\n"; ' +
  'my (undef, undef, $count, $missed) = unpack("L4", $found); die "too many names\\n" if $missed; ' +
  'print unpack("Z*", substr($found, 16 + $_)), "\\0" for unpack("x16 Q$count", $found); }'

export async function fileSystemUuid(path: string): Promise<string> {
  const output = await runCommand(['btrfs', 'filesystem', 'show', path])
  const uuid = /uuid:\s+([0-9a-f-]{36})/.exec(output)?.[1]
  if (uuid === undefined) throw commandFailed({ command: `btrfs filesystem show ${path}`, reason: 'it named no uuid' })
  return uuid
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
