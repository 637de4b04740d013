import { expect, test } from 'vitest'
import { unreadPartsSchema } from './unread.ts'

/** Texts of earlier guests and servers, each with its meaning. */
const worded: [what: string, reason: string, meaning: object[]][] = [
  ['processes', 'ENOENT: no such file or directory, scandir', [{ part: 'processes', reason: 'failed' }]],
  [
    'ports and connections',
    'ENOMEM: not enough memory, read',
    [
      { part: 'ports', reason: 'failed', detail: 'ENOMEM: not enough memory, read' },
      { part: 'connections', reason: 'failed', detail: 'ENOMEM: not enough memory, read' },
    ],
  ],
  ['shell session', 'EIO: i/o error, read', [{ part: 'shell', reason: 'failed', detail: 'EIO: i/o error, read' }]],
  ['packages', 'only a glance was taken', [{ part: 'packages', reason: 'glance', detail: '' }]],
  ['packages', 'EACCES: permission denied, open', [{ part: 'packages', reason: 'failed' }]],
  ['files in memory', 'there are more than 1000', [{ part: 'memory-files', reason: 'too-many', detail: '' }]],
  ['memory', 'EMFILE: too many open files, open', [{ part: 'memory', reason: 'failed' }]],
  [
    'variables of the Python kernel main',
    'The Python kernel does not answer: nothing came within 900 ms',
    [{ part: 'variables', context: 'main', reason: 'not-answering', detail: 'nothing came within 900 ms' }],
  ],
  [
    '4102 more variables of main',
    'there are too many',
    [{ part: 'variables', context: 'main', leftOut: 4102, reason: 'too-many', detail: '' }],
  ],
  [
    'open files of node (vitest 2) (process 4711)',
    'they cannot be listed',
    [{ part: 'open-files', pid: 4711, reason: 'unreadable', detail: '' }],
  ],
  ['1 more processes', 'there are too many', [{ part: 'processes', leftOut: 1, reason: 'too-many', detail: '' }]],
  ['12 more ports', 'there are too many', [{ part: 'ports', leftOut: 12, reason: 'too-many' }]],
  ['2 more connections', 'there are too many', [{ part: 'connections', leftOut: 2, reason: 'too-many' }]],
  ['3 more open files', 'there are too many', [{ part: 'open-files', leftOut: 3, reason: 'too-many' }]],
  ['99 more files in memory', 'there are too many', [{ part: 'memory-files', leftOut: 99, reason: 'too-many' }]],
  ['constructor', 'what?', [{ part: 'unknown', reason: 'failed', detail: 'constructor: what?' }]],
]

test.each(worded)('a text of an older guest or server is parsed to codes: %s: %s', (what, reason, meaning) => {
  expect(unreadPartsSchema.parse([{ what, reason }])).toMatchObject(meaning)
})

test('parts with codes are parsed unchanged, next to those in words', () => {
  const coded = { part: 'variables', context: 'main', leftOut: 7, reason: 'too-many', detail: '' }
  const read = unreadPartsSchema.parse([coded, { what: 'memory', reason: 'EIO' }])
  expect(read).toEqual([coded, { part: 'memory', reason: 'failed', detail: 'EIO' }])
  expect(unreadPartsSchema.parse(read)).toEqual(read)
})
