import { expect, test } from 'vitest'
import { makeSendStreamReader } from './send-stream.ts'

const limits = { commands: 100, names: 100, nameBytes: 10_000 }
const [snapshot, mkdir, symlink, rename, link, setXattr, utimes, end] = [2, 4, 8, 9, 10, 13, 20, 21]
const [ino, size, xattrData, path, pathTo, pathLink] = [3, 4, 14, 15, 16, 17]

test.each([
  ['nothing', Buffer.alloc(0), 'cut off'],
  ['a header alone', header(), 'cut off'],
  ['no end', Buffer.concat([header(), command(utimes, [path, 'a'])]), 'cut off'],
  ['half a command', Buffer.concat([header(), command(end).subarray(0, 7)]), 'cut off'],
  ['more after its end', Buffer.concat([header(), command(end), command(utimes, [path, 'a'])]), 'after its end'],
  ['bytes after its end', Buffer.concat([header(), command(end), Buffer.from([1])]), 'cut off'],
  ['another version', Buffer.concat([header(2), command(end)]), 'version 2'],
  ['other content', Buffer.from('this is something else entirely'), 'isn’t a btrfs stream'],
  ['an unknown command', Buffer.concat([header(), command(23), command(end)]), 'unknown command 23'],
  ['the command 0', Buffer.concat([header(), command(0), command(end)]), 'unknown command 0'],
  ['a command without end', Buffer.concat([header(), Buffer.from([255, 255, 255, 255, 20, 0, 0, 0, 0, 0])]), 'bytes'],
  ['a torn attribute', Buffer.concat([header(), raw(utimes, Buffer.from([15, 0, 9])), command(end)]), 'cut off'],
  ['too long an attribute', Buffer.concat([header(), raw(utimes, Buffer.from([15, 0, 9, 0])), command(end)]), 'longer'],
])('a stream with %s is refused', (_what, stream, reason) => {
  const read = () => {
    const reader = makeSendStreamReader(limits)
    reader.push(stream)
    reader.end()
  }
  expect(read).toThrow(reason)
})

const whole = Buffer.concat([
  header(),
  command(snapshot, [path, 'the-volume'], [ino, 'x']),
  command(mkdir, [path, 'o300-7-0'], [ino, '12345678']),
  command(rename, [path, 'o300-7-0'], [pathTo, 'dir']),
  command(utimes, [path, '']),
  command(symlink, [path, 'dir/link'], [ino, '12345678'], [pathLink, '/not/a/name']),
  command(link, [path, 'dir/second'], [pathLink, 'first']),
  command(setXattr, [path, 'with\nnewline'], [xattrData, 'some-data']),
  command(utimes, [path, Buffer.from([0xff, 0xfe])], [size, '12345678']),
  command(utimes, [path, 'dir']),
  command(end),
])

test('the names of a stream are read byte for byte, with which of them were created, moved or removed', () => {
  const reader = makeSendStreamReader(limits)
  expect(reader.push(whole)).toBe(true)
  expect(Object.fromEntries(reader.end())).toEqual({
    'o300-7-0': true,
    dir: true,
    '': false,
    'dir/link': true,
    'dir/second': true,
    first: true,
    'with\nnewline': false,
    '\xff\xfe': false,
  })
})

test('a stream is read the same in any pieces', () => {
  const expected = makeSendStreamReader(limits)
  expected.push(whole)
  for (const pieceBytes of [1, 2, 7, 64]) {
    const reader = makeSendStreamReader(limits)
    for (let at = 0; at < whole.length; at += pieceBytes) reader.push(whole.subarray(at, at + pieceBytes))
    expect(reader.end()).toEqual(expected.end())
  }
})

test.each([
  ['commands', { ...limits, commands: 5 }],
  ['names', { ...limits, names: 5 }],
  ['bytes of names', { ...limits, nameBytes: 20 }],
])('a stream of more %s than are kept is not read on', (_what, few) => {
  const begun = makeSendStreamReader(few)
  expect(begun.push(header())).toBe(true)
  expect(begun.push(command(utimes, [path, 'a']))).toBe(true)
  expect(makeSendStreamReader(few).push(whole)).toBe(false)
})

function header(version = 1): Buffer {
  const bytes = Buffer.alloc(17)
  bytes.write('btrfs-stream\0', 'latin1')
  bytes.writeUInt32LE(version, 13)
  return bytes
}

function command(number: number, ...attributes: [type: number, value: string | Buffer][]): Buffer {
  const body = attributes.map(([type, value]) => {
    const bytes = Buffer.from(value)
    const head = Buffer.alloc(4)
    head.writeUInt16LE(type, 0)
    head.writeUInt16LE(bytes.length, 2)
    return Buffer.concat([head, bytes])
  })
  return raw(number, Buffer.concat(body))
}

function raw(number: number, body: Buffer): Buffer {
  const head = Buffer.alloc(10)
  head.writeUInt32LE(body.length, 0)
  head.writeUInt16LE(number, 4)
  return Buffer.concat([head, body])
}
