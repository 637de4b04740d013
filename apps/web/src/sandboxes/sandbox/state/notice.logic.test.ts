import { expect, test } from 'vitest'
import { foldersOf, numberOf } from './notice.logic.ts'

test('a missing number of a notice is not zero', () => {
  expect(numberOf({ position: 1, places: '12', cause: 'x', empty: '' }, 'position')).toBe(1)
  expect(numberOf({ places: '12' }, 'places')).toBe(12)
  expect(numberOf({ cause: 'x' }, 'cause')).toBeUndefined()
  expect(numberOf({ empty: '' }, 'empty')).toBeUndefined()
  expect(numberOf({}, 'hours')).toBeUndefined()
})

test('G7: the largest folders are read, and invalid ones are left out', () => {
  const folders = JSON.stringify([{ path: '/home/user/data', bytes: 12 }, { path: 1 }, null])
  expect(foldersOf({ folders })).toEqual([{ path: '/home/user/data', bytes: 12 }])
  expect(foldersOf({ folders: '{' })).toEqual([])
  expect(foldersOf({})).toEqual([])
})
