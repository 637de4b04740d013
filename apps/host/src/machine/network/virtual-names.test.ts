import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStateDatabase } from '../state/state-database.ts'
import { makeVirtualNamesStore, type VirtualNamesStore } from '../state/virtual-names.store.ts'
import { makeVirtualNames } from './virtual-names.ts'

const day = 24 * 60 * 60 * 1000
let stack: AsyncDisposableStack
let names: VirtualNamesStore
let now = 0

beforeEach(async () => {
  stack = new AsyncDisposableStack()
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-names-'))
  stack.defer(() => rm(directory, { recursive: true }))
  const database = openStateDatabase(path.join(directory, 'state.sqlite'))
  stack.defer(() => database.destroy())
  names = makeVirtualNamesStore(database)
  now = 1000 * day
})
afterEach(() => stack.disposeAsync())

const range = '198.19.0.0/29'

test('each name has its own address, also for a later process, and none of another name', async () => {
  const obtain = (name: string) => makeVirtualNames({ names, clock: () => now }).obtain({ name, isListed: true, range })
  const found = [await obtain('a.org'), await obtain('b.org'), await obtain('a.org')]
  expect(found).toEqual(['198.19.0.1', '198.19.0.2', '198.19.0.1'])
})

test('an address gets another name only after nothing has asked for the first one for 30 days', async () => {
  const { obtain } = makeVirtualNames({ names, clock: () => now })
  for (let each = 1; each <= 7; each++) await obtain({ name: `${each}.org`, isListed: true, range })
  expect(await obtain({ name: 'late.org', isListed: true, range })).toBeUndefined()
  now += 20 * day
  for (let each = 2; each <= 7; each++) await obtain({ name: `${each}.org`, isListed: true, range })
  now += 9 * day
  expect(await obtain({ name: 'late.org', isListed: true, range })).toBeUndefined()
  now += 2 * day
  expect(await obtain({ name: 'late.org', isListed: true, range })).toBe('198.19.0.1')
  expect(await obtain({ name: '1.org', isListed: true, range })).toBeUndefined()
})

test('names that are asked for at the same time are saved by one commit, each with its own address', async () => {
  let commits = 0
  const counted: VirtualNamesStore = {
    ...names,
    together: (work) => {
      commits += 1
      return names.together(work)
    },
  }
  const { obtain } = makeVirtualNames({ names: counted, clock: () => now })
  const asked = ['first.org', ...Array.from({ length: 40 }, (_, index) => `${index % 20}.org`)]
  const found = await Promise.all(asked.map((name) => obtain({ name, isListed: false, range: '198.19.0.0/18' })))
  expect(new Set(found).size).toBe(21)
  expect(commits).toBe(2)
  expect(await obtain({ name: '7.org', isListed: false, range })).toBe(found[8])
  expect(commits).toBe(2)
})

test('names that only a wildcard allows leave room for listed ones', async () => {
  const { obtain } = makeVirtualNames({ names: full(), clock: () => now })
  const large = '198.19.0.0/18'
  expect(await obtain({ name: 'made-up.example', isListed: false, range: large })).toBeUndefined()
  expect(await obtain({ name: 'listed.example', isListed: true, range: large })).toBe('198.19.48.1')
})

/** As many unlisted names as are allowed, without the rows. */
function full(): VirtualNamesStore {
  const store: VirtualNamesStore = { ...names, count: async () => 12_288, together: (work) => work(store) }
  return store
}
