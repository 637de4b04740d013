import type { FileEntry } from '@threadbox/sdk'
import { expect, test } from 'vitest'
import {
  nothingSelected,
  selectAll,
  selectedEntries,
  selectedWith,
  selectionMoved,
  selectOnly,
} from './selection.logic.ts'
import type { TreeRow } from './tree.logic.ts'

const row = (path: string): TreeRow => ({
  kind: 'entry',
  key: path,
  level: 1,
  isOpen: false,
  position: 1,
  setSize: 1,
  entry: { path, name: path } as FileEntry,
})
const rows = ['/d', '/d/in', '/e', '/f'].map(row)
const names = (selection: typeof nothingSelected) => selectedEntries(selection, rows).map(({ path }) => path)

test('C8: a range reaches from the anchor to the row, in both directions, and the anchor stays', () => {
  const down = selectedWith(selectOnly('/d/in'), '/f', { how: 'range', rows })
  expect([...down.paths]).toEqual(['/d/in', '/e', '/f'])
  const up = selectedWith(down, '/d', { how: 'range', rows })
  expect([...up.paths]).toEqual(['/d', '/d/in'])
  expect(up.at).toBe('/d')
})

test('C8: a row is added and removed again; selected alone it is the only one', () => {
  const two = selectedWith(selectOnly('/e'), '/f', { how: 'toggle', rows })
  expect(names(two)).toEqual(['/e', '/f'])
  expect(names(selectedWith(two, '/e', { how: 'toggle', rows }))).toEqual(['/f'])
  expect(names(selectedWith(two, '/d', { how: 'only', rows }))).toEqual(['/d'])
})

test('C8: entries in a selected folder do not count again, and rows that are no longer shown do not count', () => {
  expect(names(selectAll(nothingSelected, rows))).toEqual(['/d', '/e', '/f'])
  expect(names(selectOnly('/gone'))).toEqual([])
})

test('C8: a renamed entry stays selected, and so do entries in a renamed folder; others are unchanged', () => {
  const two = selectedWith(selectOnly('/e'), '/d/in', { how: 'toggle', rows })
  expect(selectionMoved(two, '/d', '/new')).toEqual({
    at: '/new/in',
    anchor: '/new/in',
    paths: new Set(['/e', '/new/in']),
  })
  expect(selectionMoved(selectOnly('/e'), '/e', '/f2')).toEqual(selectOnly('/f2'))
  expect(selectionMoved(selectOnly('/dd'), '/d', '/new')).toEqual(selectOnly('/dd'))
})
