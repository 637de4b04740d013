import { randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'

/**
 * Gives a copy of a btrfs that isn’t mounted an ID of its own, as `btrfstune -m` does, which cannot open file systems
 * with simple quotas before btrfs-progs 6.7. The kernel and its tools confuse two of one ID while both are mounted.
 */
export async function changeFileSystemId(file: string): Promise<void> {
  const image = await open(file, 'r+')
  try {
    const id = randomBytes(16)
    const { size } = await image.stat()
    for (const at of superblockOffsets.filter((offset) => offset + superblockBytes <= size)) {
      const block = Buffer.alloc(superblockBytes)
      await image.read(block, 0, superblockBytes, at)
      if (block.toString('latin1', 0x40, 0x48) !== '_BHRfS_M') throw new Error(`${file} has no superblock at ${at}`)
      const flags = block.readBigUInt64LE(incompatFlags)
      // Everything else on the disk keeps naming the first ID.
      if ((flags & hasMetadataId) === 0n) block.copy(block, metadataId, fileSystemId, fileSystemId + id.length)
      block.writeBigUInt64LE(flags | hasMetadataId, incompatFlags)
      id.copy(block, fileSystemId)
      block.writeUInt32LE(crc32c(block.subarray(checksumBytes)), 0)
      await image.write(block, 0, superblockBytes, at)
    }
    await image.sync()
  } finally {
    await image.close()
  }
}

/** Of `struct btrfs_super_block` in linux/btrfs_tree.h. */
const superblockBytes = 4096
const superblockOffsets = [64 * 1024, 64 * 1024 ** 2, 256 * 1024 ** 3]
const checksumBytes = 0x20
const fileSystemId = 0x20
const incompatFlags = 0xbc
const metadataId = 0x23b
const hasMetadataId = 1n << 10n

/** The checksum of btrfs by default: CRC-32C, which node:zlib lacks. */
function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0)
  }
  return ~crc >>> 0
}
