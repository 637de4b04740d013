import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Terminal } from '@threadbox/sdk'
import { repeats } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'
import { viewTerminal } from '../stack/terminal-view.ts'

/** Terminals of a real sandbox and their views, through the public API and its sockets. */
let installation: TestInstallation
let thread: TestThread
beforeAll(async () => {
  installation = await startInstallation({})
  thread = await installation.newThread()
})
afterAll(() => installation?.[Symbol.asyncDispose]())

const terminals = () => installation.client.terminals
const open = (request = {}) => terminals().open(thread.id, { cols: 100, rows: 30, ...request })
const view = (terminal: Terminal, options: { after?: number; acks?: boolean } = {}) =>
  viewTerminal(installation, { threadId: thread.id, id: terminal.id, ...options })
const stateOf = async () => (await installation.client.threads.get(thread.id)).sandbox.state
const statusOf = async ({ id }: Terminal) =>
  (await terminals().list(thread.id)).terminals.find((terminal) => terminal.id === id)?.status

test('G8: two views see one terminal, and one that reconnects continues at the byte where it was lost', async () => {
  const terminal = await open()
  using first = await view(terminal)
  using second = await view(terminal)
  first.type('echo one-$((1+1))\r')
  await first.shows(/one-2/)
  await second.shows(/one-2/)
  const at = first.offset()
  second.type('echo two-$((1+1))\r')
  await second.shows(/two-2/)
  using again = await view(terminal, { after: at })
  await again.shows(/two-2/)
  expect(again.text()).not.toContain('one-2')
  expect(again.frames).toContainEqual(expect.objectContaining({ type: 'start', offset: at, isReset: false }))
  await terminals().close(thread.id, terminal.id)
})

const megabytes = repeats({ what: 'megabytes that a program prints into a terminal', byDefault: 32, full: 200 })
test(`G8: ${megabytes} MB of output pass with bounded memory in server and sandbox, and a view that reads nothing does not block the others for good`, async () => {
  const terminal = await open()
  const before = await residentMegabytes()
  using idle = await view(terminal, { acks: false })
  using shown = await view(terminal)
  shown.type(`head -c ${megabytes}000000 /dev/zero | tr "\\0" x | fold -w 99; echo finished-$((1+1))\r`)
  let most = 0
  const sampling = new AbortController()
  const samples = (async () => {
    while (!sampling.signal.aborted) {
      most = Math.max(most, await residentMegabytes())
      await delay(500)
    }
  })()
  await shown.shows(/finished-2/, 400_000)
  sampling.abort()
  await samples
  expect(shown.offset()).toBeGreaterThan(megabytes * 1_000_000)
  expect(idle.receivedBytes()).toBeLessThan(1024 * 1024)
  // If less is printed than this, the amount sent to the idle view proves it alone.
  // A process can hold a few megabytes for two views; garbage that is not collected yet comes on top.
  expect(most - before).toBeLessThan(150)
  using late = await view(terminal)
  await late.shows(/finished-2/)
  expect(late.receivedBytes()).toBeLessThanOrEqual(1024 * 1024 + 4096)
  await terminals().close(thread.id, terminal.id)
}, 600_000)

test('O3: a pause keeps the shell and what runs in it; viewing wakes nothing, typing does', async () => {
  const terminal = await open()
  using shown = await view(terminal)
  shown.type('answer=42; vim -u NONE /tmp/kept\r')
  await shown.shows('\x1b[?1049h')
  await installation.client.sandboxes.pause(thread.id)
  await shown.hasStatus('suspended')
  expect(await statusOf(terminal)).toBe('suspended')
  using late = await view(terminal)
  await late.hasStatus('suspended')
  await delay(2000)
  expect(await stateOf()).toBe('paused')
  shown.type(':q!\r')
  // A program that leaves the full screen drops what was typed ahead.
  await shown.shows('\x1b[?1049l')
  shown.type('echo answer-$answer\r')
  await shown.shows(/answer-42/)
  await late.shows(/answer-42/)
  expect(await stateOf()).toBe('active')
  await terminals().close(thread.id, terminal.id)
}, 120_000)

test('G8: a kill of the server loses nothing: shell, output and offsets are the sandbox’s', async () => {
  const terminal = await open()
  let at = 0
  {
    using shown = await view(terminal)
    shown.type('for n in $(seq 1 20); do echo tick-$n; sleep 0.5; done; echo over-$((1+1))\r')
    await shown.shows(/tick-2\r/)
    at = shown.offset()
  }
  await installation.server.kill('SIGKILL')
  await installation.server.restart()
  expect(await statusOf(terminal)).toBe('running')
  using again = await view(terminal, { after: at })
  await again.shows(/over-2/)
  const ticks = [...again.text().matchAll(/tick-(\d+)\r/g)].map((match) => Number(match[1]))
  expect(ticks).toEqual(Array.from({ length: 18 }, (_, index) => index + 3))
  await terminals().close(thread.id, terminal.id)
}, 120_000)

test('G8: when its memory is discarded a terminal says so, and another one can be opened', async () => {
  const terminal = await open()
  using shown = await view(terminal)
  await shown.hasStatus('running')
  await installation.client.sandboxes.restart(thread.id)
  await shown.hasStatus('lost')
  await expect.poll(() => shown.closed(), { timeout: 20_000 }).toBe(4000)
  expect(await statusOf(terminal)).toBe('lost')
  const next = await open()
  expect(await statusOf(next)).toBe('running')
  await terminals().close(thread.id, terminal.id)
  const left = (await terminals().list(thread.id)).terminals.map(({ id }) => id)
  expect(left).toContain(next.id)
  expect(left).not.toContain(terminal.id)
}, 120_000)

/** Resident memory of the server. */
async function residentMegabytes(): Promise<number> {
  const status = await readFile(`/proc/${installation.server.pid()}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024
}
