import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestGuest, testToken } from '../guest.test-utils.ts'
import { findUser } from '../launch/users.ts'
import { makeRescueStore, type RescueStore, type StoredRescue } from './rescue-store.ts'

let stateDirectory: string
let store: RescueStore
beforeEach(() => {
  stateDirectory = mkdtempSync(join(tmpdir(), 'rescue-test-'))
  store = makeRescueStore({ stateDirectory })
})
afterEach(() => rmSync(stateDirectory, { recursive: true }))

function stored(takenAt: number): StoredRescue {
  return {
    version: 1,
    kernels: [{ context: 'main', cwd: '/', skip: [] }],
    shellHash: '',
    processes: [],
    report: {
      state: 'pending',
      takenAt,
      variables: [],
      shell: { outcome: 'none', reason: '' },
      processes: [],
      durationMs: 1,
      problems: [],
    },
  }
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const user = findUser(userInfo().username)

test('A3: an interrupted rescue does not count, and the next one removes its remains', () => {
  const finished = store.begin()
  finished.finish(stored(1))
  const interrupted = store.begin()
  interrupted.makeKernelDirectory('main', user)
  expect(store.newest()?.stored.report.takenAt).toBe(1)
  store.begin().finish(stored(3))
  expect(store.newest()?.stored.report.takenAt).toBe(3)
  expect(readdirSync(join(stateDirectory, 'rescue'))).toEqual(['00000002'])
})

test('A3: a failed rescue leaves the earlier one unchanged', () => {
  store.begin().finish(stored(1))
  store.begin().discard()
  expect(store.newest()?.stored.report.takenAt).toBe(1)
})

test('C6: a damaged rescue counts as none', () => {
  store.begin().finish(stored(1))
  writeFileSync(join(store.newest()?.directory ?? '', 'rescue.json'), '{"version":1')
  expect(store.newest()).toBeUndefined()
})

test('other users cannot read a finished rescue, and a kernel gets only the path that leads to its own', () => {
  const draft = store.begin()
  const kernels = draft.makeKernelDirectory('main', user)
  expect(modeOf(kernels)).toBe('700')
  draft.finish(stored(1))
  const directory = store.newest()?.directory ?? ''
  const places = [join(stateDirectory, 'rescue'), directory, join(directory, 'kernels')]
  expect(places.map(modeOf)).toEqual(['700', '700', '700'])
  expect(modeOf(join(directory, 'rescue.json'))).toBe('600')
  store.setPassable(directory, true)
  expect(places.map(modeOf)).toEqual(['711', '711', '711'])
  expect(modeOf(store.kernelDirectory(directory, 'main'))).toBe('700')
})

test('links that a user’s process left behind are not followed', () => {
  const draft = store.begin()
  const kernels = draft.makeKernelDirectory('main', user)
  symlinkSync('/dev/full', join(kernels, 'link'))
  symlinkSync(join(stateDirectory, 'nowhere'), join(kernels, 'broken'))
  draft.finish(stored(1))
  expect(existsSync(join(store.kernelDirectory(store.newest()?.directory ?? '', 'main'), 'link'))).toBe(true)
})

test('a guest that shares its machine with others refuses to discard its memory, and has nothing to report', async () => {
  await using guest = await startTestGuest()
  await guest.handshake()
  const headers = { 'x-access-token': testToken }
  const budgets = { timeBudgetMs: 1000, totalBytes: 1, variableBytes: 1 }
  const post = (path: string, body: object) =>
    fetch(guest.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  expect((await post('/rescue', {})).status).toBe(400)
  expect((await post('/rescue', budgets)).status).toBe(501)
  expect((await post('/rescue/processes/1-1/start', {})).status).toBe(404)
  expect(await (await fetch(`${guest.url}/rescue`, { headers })).json()).toMatchObject({ state: 'none', variables: [] })
  expect((await guest.run('echo still here')).text).toBe('still here\n')
})
