import type { FileHandle } from 'node:fs/promises'

/** Few large reads: each read costs a sandbox more than a copy of its bytes. */
const readBytes = 1024 * 1024

/** The first bytes of an open file: at most `size`, fewer if it ends earlier. */
export async function* contentOfFile(handle: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let left = size; left > 0; ) {
    const buffer = Buffer.allocUnsafe(Math.min(left, readBytes))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null)
    if (bytesRead === 0) return
    left -= bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
