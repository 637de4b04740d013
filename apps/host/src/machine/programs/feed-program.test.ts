import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { intoProgram } from './feed-program.ts'

const parts = () => Readable.from([Buffer.from('first '), Buffer.from('last')])

test('a program that exits as soon as it has read everything has got everything', async () => {
  const read: Buffer[] = []
  const input = new Writable({
    write: (chunk: Buffer, _, done) => {
      read.push(chunk)
      done()
    },
    // What Node does when it gets the exit before the last write.
    final: () => void input.destroy(),
  })
  await pipeline(parts(), intoProgram(input))
  expect(Buffer.concat(read).toString()).toBe('first last')
})

test('a program that exits before it has read everything is an error', async () => {
  const input = new Writable({ highWaterMark: 1, write: () => void input.destroy() })
  await expect(pipeline(parts(), intoProgram(input))).rejects.toThrow('exited before')
})

test('a break before the end is an error, and the program gets the end of its input', async () => {
  const input = new Writable({ write: (_, _encoding, done) => done() })
  const breaking = async function* () {
    yield Buffer.from('first')
    throw new Error('unreadable')
  }
  await expect(pipeline(breaking, intoProgram(input))).rejects.toThrow('unreadable')
  expect(input.destroyed).toBe(true)
})
