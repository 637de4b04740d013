import { once } from 'node:events'
import { stderr, stdin, stdout } from 'node:process'
import { Readable, type Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { DiskHead } from '@threadbox/protocol/host'
import { intoProgram } from '../../../machine/programs/feed-program.ts'
import { startPacking } from '../confined-tar.ts'
import { differenceOf } from './compare-folders.ts'

/** Describes how the tree that it was started in differs from its image: one line of JSON, then a tar. */
export type PackerOrder = {
  imagePath: string | null
  /** Also pipes, and folders in which only files changed. */
  isWhole: boolean
}

const order = JSON.parse(await text(stdin)) as PackerOrder
const { removed, packed } = differenceOf({ disk: '.', image: order.imagePath }, { isWhole: order.isWhole })
const head: DiskHead = { version: 1, removed }
// The tar writes to the same pipe: the line must be written before.
await new Promise((resolve) => stdout.write(`${JSON.stringify(head)}\n`, resolve))
const tar = startPacking()
let said = ''
tar.stderr?.on('data', (part: Buffer) => {
  said = (said + part.toString()).slice(-2000)
})
const over = once(tar, 'close') as Promise<[number | null]>
const fed = pipeline(Readable.from(names()), intoProgram(tar.stdin as Writable))
const [[code], feeding] = await Promise.all([over, fed.then(() => 'all' as const, String)])
if (code !== 0 || feeding !== 'all') {
  stderr.write(said.trim() === '' ? `tar ended with ${code}` : said)
  process.exitCode = 1
}

function* names(): Generator<Buffer> {
  for (const path of packed) yield Buffer.concat([Buffer.from(path, 'latin1'), Buffer.of(0)])
}
