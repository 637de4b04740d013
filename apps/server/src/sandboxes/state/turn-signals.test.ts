import { guestPaths } from '@threadbox/protocol/guest'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type LifecycleBench, makeLifecycleBench } from '../lifecycle/lifecycle.test-utils.ts'

let bench: LifecycleBench
beforeEach(async () => {
  bench = await makeLifecycleBench()
  await bench.start()
})
afterEach(() => bench[Symbol.asyncDispose]())

const sandboxes = () => bench.server.areas.sandboxes.sandboxes
const sent = () => bench.host.turnSignals.map(({ path }) => path)
const { expectCells, quiet } = guestPaths

test('the server notifies the guest of an awake sandbox when an agent’s turn begins and when no turn follows, in that order', async () => {
  const { sandboxId } = await bench.awake()
  for (let turn = 0; turn < 3; turn++) {
    sandboxes().prepareForAgent(bench.threadId)
    sandboxes().turnEnded(bench.threadId)
  }
  sandboxes().prepareForAgent(bench.threadId)
  await vi.waitFor(() => expect(sent().at(-1)).toBe(expectCells))
  // Of several signals that are not sent yet only the latest still means something.
  expect(sent()).toEqual([expectCells])
  sandboxes().turnEnded(bench.threadId)
  await vi.waitFor(() => expect(sent().at(-1)).toBe(quiet))
  expect(new Set(bench.host.turnSignals.map((signal) => signal.sandboxId))).toEqual(new Set([sandboxId]))
})

test('the guest of a sandbox that an agent’s turn wakes or creates is notified once it is awake; nothing is woken for the end of a turn', async () => {
  sandboxes().prepareForAgent(bench.threadId)
  await bench.awake()
  await vi.waitFor(() => expect(sent()).toEqual([expectCells]))
  await bench.server.areas.sandboxes.lifecycle.pause(bench.threadId)
  sandboxes().turnEnded(bench.threadId)
  sandboxes().prepareForAgent(bench.threadId)
  await vi.waitFor(() => expect(sent()).toEqual([expectCells, expectCells]))
  expect(await bench.state()).toBe('active')
  const fresh = await bench.newThread()
  sandboxes().prepareForAgent(fresh)
  sandboxes().turnEnded(fresh)
  await bench.awake(fresh)
  await bench.awake()
  expect(sent()).toEqual([expectCells, expectCells])
})
