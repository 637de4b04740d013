import type { Entry, FileEntry, Turn } from '@threadbox/sdk'
import { expect, test } from 'vitest'
import { changedBelow, changedFiles, changeOf, turnChangesOf } from './turn-changes.logic.ts'

const turn = (id: string, startedAt: number, endedAt: number | null) => ({ id, startedAt, endedAt }) as Turn
const edit = (turnId: string, path: string, isNew: boolean) =>
  ({
    kind: 'tool-call',
    turnId,
    result: { kind: 'diff', path, isNew, addedLines: 2, removedLines: 1 },
  }) as unknown as Entry
const file = (path: string, modifiedAt: number, type: FileEntry['type'] = 'file') =>
  ({ path, modifiedAt, type }) as FileEntry

const turns = { a: turn('a', 100, 200), b: turn('b', 10_000, 20_000) }

test('only the last turn counts, and its edits of one file are added up', () => {
  const changes = turnChangesOf([edit('a', '/old', true), edit('b', '/new', true), edit('b', '/new', false)], turns)
  expect([...(changes?.files.values() ?? [])]).toEqual([{ path: '/new', isNew: true, addedLines: 4, removedLines: 2 }])
  expect(turnChangesOf([], {})).toBeNull()
})

test('a file that a command wrote during the turn is changed too, one written before or after it is not', () => {
  const changes = turnChangesOf([edit('b', '/told', false)], turns)
  expect(changeOf(file('/by-command', 15_000), changes)).toMatchObject({ path: '/by-command', isNew: false })
  expect(changeOf(file('/before', 9000), changes)).toBeNull()
  expect(changeOf(file('/after', 30_000), changes)).toBeNull()
  expect(changeOf(file('/folder', 15_000, 'directory'), changes)).toBeNull()
  const changed = changedFiles(changes, [file('/d/x', 15_000), file('/before', 9000)])
  expect(changed.map(({ path }) => path)).toEqual(['/told', '/d/x'])
  expect(changedBelow(changed, '/d')).toBe(1)
})

test('files of threadbox are not changes of a turn, whether a step or a list shows them', () => {
  const changes = turnChangesOf([edit('b', '/home/user/.threadbox/outputs/c.txt', true)], turns)
  const history = file('/home/user/.ipython/profile_default/history.sqlite', 15_000)
  const log = file('/var/lib/threadbox/services/web/0', 15_000)
  expect([history, log].map((one) => changeOf(one, changes))).toEqual([null, null])
  expect(changedFiles(changes, [history, log, file('/home/user/a', 15_000)]).map(({ path }) => path)).toEqual([
    '/home/user/a',
  ])
})
