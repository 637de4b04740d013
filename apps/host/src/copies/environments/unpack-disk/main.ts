import { once } from 'node:events'
import { stderr, stdin } from 'node:process'
import { PassThrough, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { diskHeadSchema, maxDiskHeadBytes } from '@threadbox/protocol/host'
import { intoProgram } from '../../../machine/programs/feed-program.ts'
import { removeBelow } from '../clean-disk/open-tree.ts'
import { startUnpacking } from '../confined-tar.ts'

/**
 * Applies a packer's output to the tree that it was started in, which is a fresh copy of the image. None of the input
 * is trusted; it fails at the first thing that a packer would not write.
 */
const rest = new PassThrough()
try {
  const head = diskHeadSchema.parse(JSON.parse(await firstLine()))
  for (const path of head.removed) removeBelow(path.split('/'))
  const problem = await unpack()
  if (problem !== '') throw new Error(problem)
} catch (error) {
  stderr.write((error instanceof Error ? error.message : String(error)).slice(0, 2000))
  process.exit(1)
}

async function unpack(): Promise<string> {
  const tar = startUnpacking()
  let said = ''
  tar.stderr?.on('data', (part: Buffer) => {
    said = (said + part.toString()).slice(0, 2000)
  })
  const over = once(tar, 'close') as Promise<[number | null]>
  const fed = pipeline(stdin, rest, intoProgram(tar.stdin as Writable))
  const [[code], feeding] = await Promise.all([over, fed.then(() => 'all' as const, String)])
  if (code === 0 && said === '') return feeding === 'all' ? '' : feeding
  return said.trim() || `tar ended with ${code}`
}

/** Reads one line; what follows it is the beginning of the rest. */
async function firstLine(): Promise<string> {
  const parts: Buffer[] = []
  let sizeBytes = 0
  for (;;) {
    const part = stdin.read() as Buffer | null
    if (part === null) {
      if (stdin.readableEnded) throw new Error('it ends too early')
      await Promise.race([once(stdin, 'readable'), once(stdin, 'end')])
      continue
    }
    const end = part.indexOf(10)
    if (end >= 0) {
      if (end + 1 < part.length) rest.write(part.subarray(end + 1))
      return Buffer.concat([...parts, part.subarray(0, end)]).toString()
    }
    sizeBytes += part.length
    if (sizeBytes > maxDiskHeadBytes) throw new Error('its first line is too long')
    parts.push(part)
  }
}
