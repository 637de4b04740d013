import { execFileSync } from 'node:child_process'
import { appendFile, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findExtended } from './extended-files.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'extended-'))
  for (const name of ['before', 'after', 'outside']) await mkdir(join(directory, name))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const at = (...parts: string[]) => join(directory, ...parts)
const find = async (...names: string[]) =>
  Object.fromEntries(await findExtended({ before: at('before'), after: at('after'), names }))
async function write(name: string, before: string | Buffer, after: string | Buffer): Promise<void> {
  await writeFile(at('before', name), before)
  await writeFile(at('after', name), after)
}

test('a file that was only appended to is recognized, with the number of added bytes', async () => {
  await write('log', 'one\n', 'one\ntwo\n')
  await write('same', 'as it was', 'as it was')
  await write('empty', '', 'begun')
  const long = Buffer.alloc(700_000, 'a line of a log\n')
  await write('long', long, Buffer.concat([long, Buffer.from('!')]))
  expect(await find('log', 'same', 'empty', 'long')).toEqual({ log: 4, same: 0, empty: 5, long: 1 })
})

test('a changed or truncated file is not', async () => {
  const long = Buffer.alloc(700_000, 'a line of a log\n')
  const changed = Buffer.from(long)
  changed[650_000] = 0
  await write('changed', long, changed)
  await write('cut', 'one\ntwo\n', 'one\n')
  await write('first', 'one\n', 'One\ntwo\n')
  await writeFile(at('before', 'gone'), 'a')
  await writeFile(at('after', 'new'), 'a')
  await write('too-long', '', '')
  for (const tree of ['before', 'after']) await truncate(at(tree, 'too-long'), 16 * 1024 * 1024 + 1)
  await appendFile(at('after', 'too-long'), 'more')
  expect(await find('changed', 'cut', 'first', 'gone', 'new', 'too-long', '', '..', 'a/../b')).toEqual({})
})

test('links do not lead out of a tree, and only regular files are read', async () => {
  await writeFile(at('outside', 'secret'), 'one\ntwo\n')
  for (const tree of ['before', 'after']) {
    await symlink(at('outside', 'secret'), at(tree, 'link'))
    await symlink(at('outside'), at(tree, 'folder'))
    await mkdir(at(tree, 'directory'))
    execFileSync('/usr/bin/mkfifo', [at(tree, 'pipe')])
  }
  expect(await find('link', 'folder/secret', 'pipe', 'directory', '../outside/secret')).toEqual({})
})
