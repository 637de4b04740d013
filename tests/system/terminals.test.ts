import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Terminal } from '@threadbox/sdk'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'
import { repeats } from '../stack/repeats.ts'
import { viewTerminal } from '../stack/terminal-view.ts'

/** Real terminals in a real sandbox, through the public API and its sockets. */
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
const output = async (command: string) => (await thread.say(`/run ${command}`)).calls[0]?.output.tail ?? ''

test('G8: a terminal is a real one, and what runs in it is among the processes that the agent sees', async () => {
  const terminal = await open()
  using shown = await view(terminal)
  shown.type('tty; stty size; id -un; pwd\r')
  await shown.shows(/\/dev\/pts\/\d+\s+30 100\s+user\s+\/home\/user/)
  shown.type('sleep 4711\r')
  await expect.poll(() => output('pgrep -af "^sleep 4711"'), { timeout: 20_000 }).toContain('sleep 4711')
  shown.type('\x03')
  await expect.poll(() => output('pgrep -cf "^sleep 4711" || true'), { timeout: 20_000 }).toBe('0\n')
  await terminals().close(thread.id, terminal.id)
})

test('G8: programs on the full screen draw, hear of a new size and leave the screen as it was', async () => {
  const terminal = await open()
  using shown = await view(terminal)
  await output('seq 1 2000 > /tmp/lines')
  shown.type('vim -u NONE /tmp/lines\r')
  await shown.shows(/2000L|2000 lines/)
  expect(shown.text()).toContain('\x1b[?1049h')
  shown.send({ type: 'resize', cols: 60, rows: 12 })
  await vi.waitFor(
    async () => {
      shown.type(':set lines?\r')
      await shown.shows(/lines=12/, 1000)
    },
    { timeout: 30_000 },
  )
  shown.type(':w! /tmp/copy | q!\r')
  await shown.shows('\x1b[?1049l')
  expect(await output('tail -1 /tmp/copy')).toBe('2000\n')
  shown.type('less /tmp/lines\r')
  await shown.shows(/\/tmp\/lines/)
  shown.type('G')
  await shown.shows(/2000[\s\S]*\(END\)/)
  shown.type('q')
  shown.type('stty size\r')
  await shown.shows(/12 60\r\n/)
  shown.type('top -d 1\r')
  await shown.shows(/load average[\s\S]*PID USER/)
  shown.type('q')
  shown.type('echo back-$((1+1))\r')
  await shown.shows(/back-2/)
  await terminals().close(thread.id, terminal.id)
})

test('G8: htop shows what runs, draws for a new size and leaves the screen as it was', async () => {
  await output(
    'command -v htop || (sudo apt-get update -q && sudo DEBIAN_FRONTEND=noninteractive apt-get install -qy htop)',
  )
  const terminal = await open()
  using shown = await view(terminal)
  shown.type('htop -d 5\r')
  const text = () => shown.text().replaceAll('\x1b', '␛')
  const drawn = (wanted: RegExp, from = 0) =>
    vi.waitFor(() => expect(text().slice(from)).toMatch(wanted), { timeout: 60_000, interval: 100 })
  await drawn(/␛\[\?1049h[\s\S]*PID USER[\s\S]*htop/)
  const before = text().length
  shown.send({ type: 'resize', cols: 70, rows: 20 })
  await drawn(/␛\[2J[\s\S]*PID USER[\s\S]*␛\[20(;1H|d)/, before)
  const after = text().slice(before)
  const lines = [...after.slice(after.indexOf('␛[2J')).matchAll(/␛\[(\d+);\d+H/g)].map((match) => Number(match[1]))
  expect(Math.max(...lines)).toBeLessThanOrEqual(20)
  shown.type('q')
  await shown.shows('\x1b[?1049l')
  shown.type('stty size\r')
  await shown.shows(/20 70\r\n/)
  await terminals().close(thread.id, terminal.id)
})

test('G8: two views see one terminal, and one that comes back goes on at the byte where it was lost', async () => {
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
test(`G8: ${megabytes} MB of output pass with bounded memory in server and sandbox, and a view that reads nothing stops nobody for good`, async () => {
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
  // Where less is printed than this, what the idle view was sent shows it alone.
  // What one process may hold for two views is a few megabytes; garbage that is not collected yet comes on top.
  expect(most - before).toBeLessThan(150)
  using late = await view(terminal)
  await late.shows(/finished-2/)
  expect(late.receivedBytes()).toBeLessThanOrEqual(1024 * 1024 + 4096)
  await terminals().close(thread.id, terminal.id)
}, 600_000)

test('O3: a pause keeps the shell and what runs in it; looking wakes nothing, typing does', async () => {
  const terminal = await open()
  using shown = await view(terminal)
  shown.type('answer=42; vim -u NONE /tmp/kept\r')
  await shown.shows('\x1b[?1049h')
  await installation.client.sandboxes.pause(thread.id)
  await shown.isIn('suspended')
  expect(await statusOf(terminal)).toBe('suspended')
  using late = await view(terminal)
  await late.isIn('suspended')
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

test('G8: a server that is killed loses nothing: shell, output and offsets are the sandbox’s', async () => {
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

test('G8: when its memory is given up a terminal says so, and another one can be opened', async () => {
  const terminal = await open()
  using shown = await view(terminal)
  await shown.isIn('running')
  await installation.client.sandboxes.restart(thread.id)
  await shown.isIn('lost')
  await expect.poll(() => shown.closed(), { timeout: 20_000 }).toBe(4000)
  expect(await statusOf(terminal)).toBe('lost')
  const next = await open()
  expect(await statusOf(next)).toBe('running')
  await terminals().close(thread.id, terminal.id)
  const left = (await terminals().list(thread.id)).terminals.map(({ id }) => id)
  expect(left).toContain(next.id)
  expect(left).not.toContain(terminal.id)
}, 120_000)

/** Of the server. */
async function residentMegabytes(): Promise<number> {
  const status = await readFile(`/proc/${installation.server.pid()}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024
}
