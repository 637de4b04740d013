import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { changedLines } from './line-counts.logic.ts'
import { countLines } from './line-counts.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lines-'))
  for (const name of ['before', 'after', 'outside']) await mkdir(join(directory, name))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const at = (...parts: string[]) => join(directory, ...parts)
const count = (...names: string[]) => countLines({ before: at('before'), after: at('after'), names })
async function write(name: string, before: string, after: string): Promise<void> {
  await writeFile(at('before', name), before)
  await writeFile(at('after', name), after)
}

test('only files that are small text files in both trees are counted', async () => {
  await write('binary', 'a\0\n', 'b\0\n')
  await write('large', `${'x\n'.repeat(40_000)}`, 'x\n')
  await writeFile(at('before', 'gone'), 'a\n')
  await mkdir(at('before', 'folder'))
  await writeFile(at('after', 'folder'), 'a\n')
  expect(await count('binary', 'large', 'gone', 'folder', 'none', '', '..', 'a/../b')).toEqual(new Map())
})

test('links do not lead out of a tree, neither as the file nor in its path, and a pipe does not block', async () => {
  await writeFile(at('outside', 'secret'), 'one\ntwo\n')
  for (const tree of ['before', 'after']) {
    await symlink(at('outside', 'secret'), at(tree, 'link'))
    await symlink(at('outside'), at(tree, 'folder'))
    execFileSync('/usr/bin/mkfifo', [at(tree, 'pipe')])
  }
  expect(await count('link', 'folder/secret', 'pipe', '../outside/secret')).toEqual(new Map())
})

test('added and removed lines are counted', async () => {
  await mkdir(at('before', 'deep'))
  await mkdir(at('after', 'deep'))
  await write('deep/note', 'a\nb\nc\n', 'a\nB\nc\nd\n')
  await write('moded', 'same\n', 'same\n')
  expect(await count('deep/note', 'moded')).toEqual(
    new Map([
      ['deep/note', { added: 2, removed: 1 }],
      ['moded', { added: 0, removed: 0 }],
    ]),
  )
})

test('the minimum of lines that turn one text into the other is counted', () => {
  const lines = (text: string) => [...text].map((letter) => `${letter}\n`).join('')
  const counted = (before: string, after: string) => changedLines(lines(before), lines(after))
  expect(counted('', '')).toEqual({ added: 0, removed: 0 })
  expect(counted('', 'abc')).toEqual({ added: 3, removed: 0 })
  expect(counted('abc', '')).toEqual({ added: 0, removed: 3 })
  // The example of Myers' paper: five changes.
  expect(counted('abcabba', 'cbabac')).toEqual({ added: 2, removed: 3 })
  expect(counted('xaby', 'xbay')).toEqual({ added: 1, removed: 1 })
  expect(changedLines('a\nb', 'a\nb\n')).toEqual({ added: 1, removed: 1 })
})

test('too many lines, or too many changes, are not counted', () => {
  const numbered = (count: number, from: number) => Array.from({ length: count }, (_, index) => from + index).join('\n')
  expect(changedLines(numbered(600, 0), numbered(600, 10_000))).toBeUndefined()
  expect(changedLines(numbered(400, 0), numbered(400, 10_000))).toEqual({ added: 400, removed: 400 })
  expect(changedLines(numbered(6000, 0), numbered(6000, 1))).toBeUndefined()
})
