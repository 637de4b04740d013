import type { FileEntry } from '@threadbox/sdk'
import { expect, test } from 'vitest'
import {
  firstInside,
  foldersOf,
  type Listing,
  rowAbove,
  rowAfterKey,
  rowTyped,
  treeRows,
  windowOf,
} from './tree.logic.ts'

const entry = (path: string, type: FileEntry['type'] = 'file', values: Partial<FileEntry> = {}): FileEntry => ({
  name: path.slice(path.lastIndexOf('/') + 1),
  path,
  type,
  sizeBytes: 1,
  modifiedAt: 1,
  permissions: '',
  version: '1',
  linkTarget: null,
  ...values,
})
const listing = (entries: FileEntry[], values: Partial<Listing> = {}): Listing => ({
  entries,
  total: entries.length,
  isLoading: false,
  isUnknown: false,
  error: null,
  ...values,
})
const byName = { by: 'name', isDescending: false } as const
const keys = (rows: ReturnType<typeof treeRows>) => rows.map((row) => `${'·'.repeat(row.level)}${row.key}`)

test('folders come first, names sort by their numbers, and an open folder has its entries below it', () => {
  const listings = new Map([
    ['/w', listing([entry('/w/10.txt'), entry('/w/9.txt'), entry('/w/sub', 'directory'), entry('/w/b', 'directory')])],
    ['/w/sub', listing([entry('/w/sub/x')])],
  ])
  const rows = treeRows('/w', { listings, open: new Set(['/w/sub']), sort: byName })
  expect(keys(rows)).toEqual(['·/w/b', '·/w/sub', '··/w/sub/x', '·/w/9.txt', '·/w/10.txt'])
})

test('loading, empty, unreadable and cut folders are shown as such', () => {
  const listings = new Map([
    ['/w', listing([entry('/w/a', 'directory'), entry('/w/b', 'directory'), entry('/w/c', 'directory')], { total: 9 })],
    ['/w/a', listing([])],
    ['/w/b', listing([], { error: new Error('no') })],
  ])
  const rows = treeRows('/w', { listings, open: new Set(['/w/a', '/w/b', '/w/c']), sort: byName })
  expect(rows.map(({ kind }) => kind)).toEqual(['entry', 'empty', 'entry', 'failed', 'entry', 'loading', 'cut'])
  expect(rows.at(-1)).toMatchObject({ hidden: 6 })
})

test('nothing is shown for a folder that has not been read yet', () => {
  const listings = new Map([['/w', listing([], { isUnknown: true })]])
  expect(treeRows('/w', { listings, open: new Set(), sort: byName })).toEqual([])
})

test('entries stay if a later read fails', () => {
  const listings = new Map([['/w', listing([entry('/w/a')], { error: new Error('asleep') })]])
  expect(keys(treeRows('/w', { listings, open: new Set(), sort: byName }))).toEqual(['·/w/a'])
})

test('the largest or the newest can come first', () => {
  const files = [entry('/w/a', 'file', { sizeBytes: 5 }), entry('/w/b', 'file', { sizeBytes: 7, modifiedAt: 3 })]
  const listings = new Map([['/w', listing(files)]])
  const order = (by: 'size' | 'modified') =>
    keys(treeRows('/w', { listings, open: new Set(), sort: { by, isDescending: true } }))
  expect(order('size')).toEqual(['·/w/b', '·/w/a'])
  expect(order('modified')).toEqual(['·/w/b', '·/w/a'])
})

test('only folders that are in view are read', () => {
  expect(foldersOf('/w', ['/w/a/b', '/w/a', '/w/c/d', '/other', '/wide'])).toEqual(['/w', '/w/a', '/w/a/b'])
  expect(foldersOf('/', ['/home'])).toEqual(['/', '/home'])
})

test('of ten thousand rows only those in view are drawn', () => {
  const view = windowOf({ scrollTop: 150_000, height: 600, rowHeight: 30, count: 10_000 })
  expect(view).toEqual({ from: 4988, to: 5032 })
  expect(windowOf({ scrollTop: 9000, height: 600, rowHeight: 30, count: 3 })).toEqual({ from: 0, to: 3 })
})

test('keys move within the list, and letters find names', () => {
  const listings = new Map([['/w', listing([entry('/w/alpha'), entry('/w/beta'), entry('/w/Alpine')])]])
  const rows = treeRows('/w', { listings, open: new Set(), sort: byName })
  expect(rowAfterKey('ArrowUp', { at: 0, count: 3, page: 2 })).toBe(0)
  expect(rowAfterKey('End', { at: 0, count: 3, page: 2 })).toBe(2)
  expect(rowAfterKey('PageDown', { at: -1, count: 3, page: 2 })).toBe(1)
  expect(rowAfterKey('x', { at: 0, count: 3, page: 2 })).toBeNull()
  expect(rowAfterKey('ArrowDown', { at: -1, count: 0, page: 2 })).toBeNull()
  expect(rowTyped(rows, 'al', 0)).toBe(1)
  expect(rowTyped(rows, 'zz', 0)).toBeNull()
})

test('C8: from an entry a key leads to its folder, and from an open folder to the first entry in it', () => {
  const listings = new Map([
    ['/w', listing([entry('/w/a', 'directory'), entry('/w/z')])],
    ['/w/a', listing([entry('/w/a/b', 'directory'), entry('/w/a/y')])],
    ['/w/a/b', listing([entry('/w/a/b/x')])],
  ])
  const rows = treeRows('/w', { listings, open: new Set(['/w/a', '/w/a/b']), sort: byName })
  expect(rows.map(({ key }) => key)).toEqual(['/w/a', '/w/a/b', '/w/a/b/x', '/w/a/y', '/w/z'])
  expect([0, 1, 2, 3, 4].map((at) => rowAbove(rows, at))).toEqual([null, 0, 1, 0, null])
  expect([0, 1, 2, 3, 4].map((at) => firstInside(rows, at))).toEqual([1, 2, null, null, null])
})
