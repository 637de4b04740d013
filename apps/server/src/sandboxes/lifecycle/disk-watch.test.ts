import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { foldersIn } from './disk-watch.ts'
import { type LifecycleBench, makeLifecycleBench } from './lifecycle.test-utils.ts'

let bench: LifecycleBench
beforeEach(async () => {
  bench = await makeLifecycleBench()
  await bench.start()
})
afterEach(() => bench[Symbol.asyncDispose]())

test('G7: a nearly full disk is announced once after a turn, with the folders that take most of it', async () => {
  const { sandboxId } = await bench.awake()
  const limit = (await bench.row()).disk_bytes
  const uses = async (share: number) => {
    const sandbox = bench.host.sandboxes.get(sandboxId)
    if (sandbox === undefined) throw new Error('the host has none')
    bench.host.sandboxes.set(sandboxId, { ...sandbox, diskUsedBytes: Math.floor(limit * share) })
    bench.server.areas.sandboxes.sandboxes.hold(bench.threadId)[Symbol.dispose]()
    await bench.server.areas.sandboxes.inside.lifecycle.diskWatch.check(bench.threadId)
  }
  bench.host.processOutput = '900\t/home/user/data\n950\t/home/user\n10\t/tmp\n'
  await uses(0.5)
  expect(await bench.notices()).toEqual([])
  await uses(0.92)
  await uses(0.95)
  await vi.waitFor(async () => expect(await bench.notices()).toHaveLength(1))
  const [notice] = await bench.notices()
  expect(notice).toMatchObject({ code: 'disk-nearly-full', params: { limitBytes: limit } })
  expect(JSON.parse(String(notice?.params.folders))).toEqual([
    { path: '/home/user/data', bytes: 900 },
    { path: '/tmp', bytes: 10 },
  ])
  await uses(0.5)
  await uses(0.95)
  await vi.waitFor(async () => expect(await bench.notices()).toHaveLength(2))
})

test('the deepest folder that holds most of the data is named', () => {
  const list = '100\t/a/b/c\n110\t/a/b\n300\t/a/d\n420\t/a\n5\t/e f\nnonsense\n'
  expect(foldersIn(list)).toEqual([
    { path: '/a/d', bytes: 300 },
    { path: '/a/b/c', bytes: 100 },
    { path: '/e f', bytes: 5 },
  ])
  expect(foldersIn('')).toEqual([])
})
