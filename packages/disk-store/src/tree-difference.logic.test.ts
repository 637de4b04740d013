import { expect, test } from 'vitest'
import type { DiskNaming } from './disk-store.ts'
import { compareEntries, type Entry } from './tree-difference.logic.ts'

const file = (identity: string): Entry => ({ isDirectory: false, identity, bytes: 1 })
const directory: Entry = { isDirectory: true, identity: 'd', bytes: 0 }
const treeOf = (names: Record<string, Entry>) => new Map(Object.entries(names))

const naming: DiskNaming = {
  isLeftOut: (name) => name.startsWith('own/'),
  folderOf: (name) => /^(?:.*\/)?cache(?=\/|$)/.exec(name)?.[0],
  rankOf: (name) => (name.startsWith('home/') ? 0 : 1),
}

test('left-out names are neither listed nor counted, but still make a difference', () => {
  const before = treeOf({ 'own/a': file('1'), 'own/b': file('1') })
  const after = treeOf({ 'own/a': file('2'), 'own/c': file('1') })
  expect(compareEntries({ before, after }, naming)).toEqual({
    isSame: false,
    removed: [],
    changed: [],
    added: [],
    sizes: [],
    folders: [],
    removedCount: 0,
    changedCount: 0,
    addedCount: 0,
  })
})

test('files of a cache are counted, its directories are not', () => {
  const before = treeOf({ 'a/cache': directory, 'a/cache/x': file('1'), 'a/cache/y': file('1'), b: file('1') })
  const after = treeOf({
    'a/cache/x': file('2'),
    'c/cache': directory,
    'c/cache/d': directory,
    'c/cache/d/z': file('1'),
  })
  const { removed, removedCount, changedCount, addedCount, folders } = compareEntries({ before, after }, naming)
  expect({ removed, removedCount, changedCount, addedCount }).toEqual({
    removed: ['b'],
    removedCount: 1,
    changedCount: 0,
    addedCount: 0,
  })
  expect(folders).toEqual([
    { name: 'a/cache', removedCount: 1, changedCount: 1, addedCount: 0 },
    { name: 'c/cache', removedCount: 0, changedCount: 0, addedCount: 1 },
  ])
})

test('if there are too many names, those with the lowest rank are listed', () => {
  const many = Array.from({ length: 1500 }, (_, index) => [`a${index}`, file('1')] as const)
  const after = treeOf({ ...Object.fromEntries(many), 'home/user/b': file('1'), 'home/user/a': file('1') })
  const { added, addedCount } = compareEntries({ before: new Map(), after }, naming)
  expect([added.length, addedCount]).toEqual([1000, 1502])
  expect(added.slice(0, 3)).toEqual(['home/user/a', 'home/user/b', 'a0'])
})
