import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { callBtrfs } from './btrfs-calls.ts'
import { systemEnvironment } from './run-command.ts'

/** A small btrfs with simple quotas where the kernel has them, otherwise full ones. */
const directory = mkdtempSync(join(tmpdir(), 'threadbox-calls-'))
const root = join(directory, 'pool')
const program = (...args: string[]) =>
  execFileSync(args[0] ?? '', args.slice(1), { encoding: 'utf8', stdio: 'pipe', env: systemEnvironment })
const call = (...request: [string, ...string[]]) => callBtrfs(request, { timeoutMs: 60_000 })

beforeAll(() => {
  const file = join(directory, 'file')
  program('truncate', '-s', '256M', file)
  program('mkfs.btrfs', '-q', file)
  program('mkdir', root)
  program('mount', '-o', 'loop', file, root)
  program('btrfs', 'quota', 'enable', root)
  program('btrfs', 'quota', 'rescan', '-w', root)
  program('btrfs', 'subvolume', 'create', join(root, 'one'))
})
afterAll(async () => {
  await vi.waitFor(() => program('umount', root), { timeout: 30_000, interval: 100 })
  rmSync(directory, { recursive: true })
})

const shown = (path: string) => {
  const output = program('btrfs', 'subvolume', 'show', path)
  return ['Subvolume ID', 'Generation'].map((name) => new RegExp(`${name}:\\s+(\\d+)`).exec(output)?.[1])
}
/** The table of the program, as the call gives it. */
const table = () =>
  [
    ...program('btrfs', 'qgroup', 'show', '--raw', '-pre', root).matchAll(
      /^(\d+\/\d+)\s+(-?\d+)\s+(-?\d+)\s+(none|\d+)\s+(none|\d+)\s+([\d/,]+|-+)(.*)$/gm,
    ),
  ].map(([, id, referenced, exclusive, limit = '', exclusiveLimit = '', parents = '', rest = '']) =>
    [
      ...[id, referenced, exclusive, limit !== 'none' ? limit : exclusiveLimit === 'none' ? '-' : exclusiveLimit],
      ...[parents.startsWith('-') ? '-' : parents, rest.includes('<stale>') ? 1 : 0],
    ].join(' '),
  )

test('a call that fails says what the system said, and the next one works', async () => {
  await expect(call('volume', join(root, 'missing'))).rejects.toThrow(/open .*missing: No such file or directory/)
  await expect(call('volume', '/proc')).rejects.toThrow(/subvolume info: Inappropriate ioctl for device/)
  await expect(call('unknown')).rejects.toThrow(/no such call/)
  await expect(call('sync', 'a\nsync\tb')).rejects.toThrow(/tab or line break/)
  await expect(call('snapshot', join(root, 'one'), join(root, 'one'), '', '')).rejects.toThrow(/File exists/)
  expect(await call('sync', root)).toEqual([])
  expect(await call('commit', root)).toEqual([])
})

test('a volume’s number and last transaction are those of the program', async () => {
  const one = join(root, 'one')
  writeFileSync(join(one, 'file'), 'x')
  await call('sync', root)
  expect(await call('volume', one)).toEqual(shown(one))
  const [id = ''] = await call('volume', one)
  expect([await call('exists', root, id), await call('exists', root, '999')]).toEqual([['1'], ['0']])
})

test('a snapshot has the content, is read-only on request, and is in its group', async () => {
  const [one, two, three] = ['one', 'two', 'three'].map((name) => join(root, name))
  await call('create_group', root, '1/77')
  await call('snapshot', one ?? '', two ?? '', '1/77', '')
  await call('snapshot', one ?? '', three ?? '', '', '1')
  expect(program('cat', join(two ?? '', 'file'))).toBe('x')
  expect(() => writeFileSync(join(three ?? '', 'file'), 'y')).toThrow(/EROFS/)
  writeFileSync(join(two ?? '', 'file'), 'y')
  const [id] = await call('volume', two ?? '')
  expect(table().find((row) => row.startsWith(`0/${id} `))).toMatch(/ 1\/77 0$/)
  await call('delete', three ?? '')
  expect(() => program('stat', three ?? '')).toThrow(/No such file/)
})

test('groups are made, nested, limited and removed as the program shows them', async () => {
  await call('create_group', root, '1/88')
  await call('create_group', root, '2/281474976710655')
  await call('assign_group', root, '1/88', '2/281474976710655')
  await call('limit_group', root, '1/88', '123456789', '')
  await call('limit_group', root, '2/281474976710655', '987654321', '1')
  await call('sync', root)
  expect(await call('groups', root)).toEqual(table())
  expect(table().join('\n')).toMatch(/^1\/88 .* 123456789 2\/281474976710655 0$/m)
  await call('destroy_group', root, '1/88')
  expect(table().join('\n')).not.toContain('1/88 ')
  await expect(call('destroy_group', root, '1/88')).rejects.toThrow(/No such file or directory/)
})

test('what was written since a transaction is what the program counts, in a tree of many leaves', async () => {
  const one = join(root, 'one')
  await call('sync', root)
  const [, before = ''] = await call('volume', one)
  const since = String(Number(before) + 1)
  writeFileSync(join(one, 'large'), Buffer.alloc(3_000_000, 1))
  for (let index = 0; index < 700; index += 1) writeFileSync(join(one, `small-${index}`), 'x'.repeat(index * 7))
  await call('sync', root)
  const listed = program('btrfs', 'subvolume', 'find-new', one, since).matchAll(/ len (\d+) disk start/g)
  const sum = [...listed].reduce((total, [, length]) => total + Number(length), 0)
  expect(sum).toBeGreaterThan(3_000_000)
  expect(await call('written', one, since)).toEqual([String(sum)])
  expect(await call('written', one, '999999')).toEqual(['0'])
})

test('many calls at the same time each get their own result, also when a process is killed', async () => {
  const many = await Promise.all(Array.from({ length: 50 }, () => call('volume', join(root, 'one'))))
  expect(new Set(many.map(String)).size).toBe(1)
  program('pkill', '-KILL', '--parent', String(process.pid), '-f', '^perl -e')
  const after = await Promise.allSettled(Array.from({ length: 50 }, () => call('volume', join(root, 'one'))))
  expect(after.filter(({ status }) => status === 'rejected').length).toBeLessThanOrEqual(6)
  expect(await call('volume', join(root, 'one'))).toEqual(many[0])
})

test('a call that takes too long is given an error, and its process is not used again', async () => {
  const own = ['--parent', String(process.pid), '-f', '^perl -e']
  program('pkill', '-STOP', ...own)
  await expect(callBtrfs(['sync', root], { timeoutMs: 50 })).rejects.toThrow(/took over 50 ms/)
  program('pkill', '-CONT', ...own)
  expect(await call('sync', root)).toEqual([])
})
