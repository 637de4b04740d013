import { expect, test } from 'vitest'
import { formatRows, parseArguments, parseRows, shownRows, withDiskSpace } from './df.logic.ts'

const MiB = 1024 * 1024
const space = { usedBytes: 100 * MiB, limitBytes: 1024 * MiB }
const answer = `Filesystem     Type 1B-blocks Used Avail Mounted on
none           9p   270553174016 57909841920 39883452416 /
none           tmpfs 1073741824 4096 1073737728 /dev/shm
none           9p   1000 0 1000 /a place
none           9p   270553174016 57909841920 39883452416 /.guest
`

function shown(...args: string[]): string[] {
  const request = parseArguments(args)
  if (request === undefined) throw new Error('not answered here')
  const rows = shownRows(parseRows(answer), request).map((row) => withDiskSpace(row, space))
  return formatRows(rows, request).trimEnd().split('\n')
}

test('the row of the root has the limit of the disk, the others stay unchanged', () => {
  expect(shown()).toEqual([
    'Filesystem     1K-blocks   Used Available Use% Mounted on',
    'none             1048576 102400    946176  10% /',
    'none             1048576      4   1048572   1% /dev/shm',
    'none                   1      0         1   0% /a place',
  ])
})

test('sizes are printed in the requested units, rounded up', () => {
  expect(shown('-h')[0]).toBe('Filesystem      Size  Used Avail Use% Mounted on')
  expect(shown('-h')[1]).toBe('none            1.0G  100M  924M  10% /')
  expect(shown('-H')[1]).toBe('none            1.1G  105M  969M  10% /')
  expect(shown('-hT')[1]).toBe('none           9p     1.0G  100M  924M  10% /')
  expect(shown('-P')[0]).toBe('Filesystem     1024-blocks   Used Available Capacity Mounted on')
  expect(shown('-BM')[1]).toBe('none               1024M  100M      924M  10% /')
  expect(shown('-m')[1]).toBe('none                1024   100       924  10% /')
  expect(shown('-B1', '--output=avail')).toEqual(['Avail', '968884224', '1073737728', '1000'].map(padded))
})

const padded = (text: string) => text.padStart(10)

test('a listing leaves out the mounts of threadbox itself, unless they are requested', () => {
  expect(shown().join()).not.toContain('/.guest')
  for (const args of [['-a'], ['/.guest']]) expect(shown(...args).join(), args.join()).toContain('/.guest')
})

test('files, kinds of file systems and unknown options are left to the program of the image', () => {
  expect(parseArguments(['-x', 'tmpfs', '/home', '-h'])?.selection).toEqual(['-x', 'tmpfs', '--', '/home'])
  expect(parseArguments(['--', '-h'])?.selection).toEqual(['--', '-h'])
  for (const unknown of ['-i', '--total', '--help', '--output', '--output=file', '-Bx', '--nothing']) {
    expect(parseArguments([unknown]), unknown).toBeUndefined()
  }
})

test('free space is never more than the pool has, and used space never more than the limit', () => {
  const row = { source: 'none', fstype: '9p', size: 10 * MiB, used: 9 * MiB, avail: MiB, target: '/' }
  expect(withDiskSpace(row, space)).toMatchObject({ used: 100 * MiB, avail: MiB })
  expect(withDiskSpace(row, { usedBytes: 3, limitBytes: 2 })).toMatchObject({ size: 2, used: 2, avail: 0 })
})
