import { expect, test } from 'vitest'
import { firstView, readFilesView, withFile, withFolder, withMoved, withSort, withToggled } from './files-view.logic.ts'

test('invalid fields get their defaults', () => {
  for (const value of [null, 3, 'x', [], { folder: 3, open: 'x', file: 'relative', sort: { by: 'x' } }]) {
    expect(readFilesView(value)).toEqual(firstView)
  }
  const view = { ...firstView, folder: '/srv', open: ['/srv/a'], file: '/srv/a/b', isChangedOnly: true }
  expect(readFilesView(JSON.parse(JSON.stringify(view)))).toEqual(view)
})

test('a shown file is in the list: if the open folders do not lead to it, its own folder is shown', () => {
  const inside = withToggled(withFolder(firstView, '/home/user'), '/home/user/a')
  expect(withFile(inside, '/home/user/a/x').folder).toBe('/home/user')
  expect(withFile(inside, '/home/user/b/x').folder).toBe('/home/user/b')
  expect(withFile(inside, '/tmp/x').folder).toBe('/tmp')
})

test('the view follows moved entries, and closes removed ones', () => {
  const view = { ...firstView, folder: '/w/a/b', open: ['/w/a/b/c', '/x'], file: '/w/a/f' }
  expect(withMoved(view, '/w/a', '/w/z')).toMatchObject({ folder: '/w/z/b', open: ['/w/z/b/c', '/x'], file: '/w/z/f' })
  expect(withMoved(view, '/w/a', null)).toMatchObject({ folder: '/w', open: ['/x'], file: null })
  expect(withMoved(view, '/w/ab', null)).toEqual(view)
})

test('sizes and times start with the largest, and the same column again reverses the order', () => {
  expect(withSort(firstView, 'size').sort).toEqual({ by: 'size', isDescending: true })
  expect(withSort(firstView, 'name').sort).toEqual({ by: 'name', isDescending: true })
})
