import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeConsolePipes } from './console-pipes.ts'

let work: string
beforeEach(async () => {
  work = await mkdtemp(path.join(tmpdir(), 'threadbox-pipes-'))
})
afterEach(() => rm(work, { recursive: true }))

const inWork = (name: string) => path.join(work, name)

test('each start gets a pipe of its own that only the owner can open, also when many start at the same time', async () => {
  const pipes = await makeConsolePipes(inWork('pipes'))
  const targets = Array.from({ length: 20 }, (_, index) => inWork(`console-${index}`))
  await Promise.all(targets.map(pipes.place))
  for (const target of targets) {
    const found = await stat(target)
    expect(found.isFIFO()).toBe(true)
    expect(found.mode & 0o777).toBe(0o600)
  }
  expect(new Set(await Promise.all(targets.map(async (target) => (await stat(target)).ino))).size).toBe(20)
})

test('what an earlier process left is removed, and pipes that are gone are made again', async () => {
  const earlier = await makeConsolePipes(inWork('pipes'))
  await earlier.place(inWork('one'))
  expect(await readdir(inWork('pipes'))).not.toEqual([])
  const pipes = await makeConsolePipes(inWork('pipes'))
  await expect(readdir(inWork('pipes'))).rejects.toMatchObject({ code: 'ENOENT' })
  await earlier.place(inWork('two'))
  await pipes.place(inWork('three'))
  expect((await stat(inWork('two'))).isFIFO() && (await stat(inWork('three'))).isFIFO()).toBe(true)
})

test('a target that cannot be made fails alone', async () => {
  const pipes = await makeConsolePipes(inWork('pipes'))
  await expect(pipes.place(inWork('missing/console'))).rejects.toMatchObject({ code: 'ENOENT' })
  await pipes.place(inWork('console'))
  expect((await stat(inWork('console'))).isFIFO()).toBe(true)
})
