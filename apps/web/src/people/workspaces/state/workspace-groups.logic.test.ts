import type { Thread, Workspace } from '@threadbox/sdk'
import { expect, test } from 'vitest'
import { byWorkspace, neighbor, placeByOne, placeOnto } from './workspace-groups.logic.ts'

const workspace = (id: string, archivedAt: number | null = null) => ({ id, name: id, archivedAt }) as Workspace
const thread = (id: string, workspaceId: string | null, more: Partial<Thread> = {}) =>
  ({ id, workspaceId, updatedAt: 0, isPinned: false, deletedAt: null, ...more }) as Thread

test('C12: threads are under their workspace, pinned first, then the latest; all others outside', () => {
  const threads = [
    thread('old', 'a', { updatedAt: 1 }),
    thread('new', 'a', { updatedAt: 2 }),
    thread('pin', 'a', { isPinned: true }),
    thread('gone', 'a', { deletedAt: 5 }),
    thread('away', 'z'),
    thread('lost', 'unknown'),
    thread('free', null),
  ]
  const { groups, archived, outside } = byWorkspace(threads, [workspace('b'), workspace('a'), workspace('z', 1)])
  const names = (found: typeof groups) => found.map((group) => [group.workspace.id, group.threads.map(({ id }) => id)])
  expect(names(groups)).toEqual([
    ['b', []],
    ['a', ['pin', 'new', 'old']],
  ])
  expect(names(archived)).toEqual([['z', ['away']]])
  expect(outside.map(({ id }) => id)).toEqual(['lost', 'free'])
})

test('C12: a dropped workspace takes the position of the one below it or above it', () => {
  const order = ['a', 'b', 'c']
  expect(placeOnto(order, 'c', 'a')).toBe('a')
  expect(placeOnto(order, 'a', 'b')).toBe('c')
  expect(placeOnto(order, 'a', 'c')).toBeNull()
  expect([placeByOne(order, 'a', -1), placeByOne(order, 'a', 1)]).toEqual([undefined, 'c'])
  expect([placeByOne(order, 'c', -1), placeByOne(order, 'c', 1)]).toEqual(['b', undefined])
})

test('C12: by keyboard a thread moves from group to group, the last of which is none', () => {
  const order = ['a', 'b']
  expect([neighbor(order, 'a', -1), neighbor(order, 'a', 1)]).toEqual([undefined, 'b'])
  expect([neighbor(order, 'b', 1), neighbor(order, null, -1), neighbor(order, null, 1)]).toEqual([null, 'b', undefined])
})
