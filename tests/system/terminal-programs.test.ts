import type { Terminal } from '@threadbox/sdk'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { output } from '../stack/in-threads.ts'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'
import { viewTerminal } from '../stack/terminal-view.ts'

/** Programs that expect a real terminal, in one of a real sandbox, through the public API and its sockets. */
let installation: TestInstallation
let thread: TestThread
/** htop is installed in this one’s sandbox while the other one is used. */
let withHtop: { thread: TestThread; installed: Promise<string> }
beforeAll(async () => {
  installation = await startInstallation({})
  const [first, second] = [await installation.newThread(), await installation.newThread()]
  thread = first
  const install = 'sudo apt-get update -q && sudo DEBIAN_FRONTEND=noninteractive apt-get install -qy htop'
  withHtop = { thread: second, installed: output(second, `command -v htop || (${install})`) }
  withHtop.installed.catch(() => undefined)
})
afterAll(() => installation?.[Symbol.asyncDispose]())

const terminals = () => installation.client.terminals
const open = (of = thread) => terminals().open(of.id, { cols: 100, rows: 30 })
const view = ({ id }: Terminal, of = thread) => viewTerminal(installation, { threadId: of.id, id })

test('G8: a terminal is a real one, and its processes are among those that the agent sees', async () => {
  const terminal = await open()
  using shown = await view(terminal)
  shown.type('tty; stty size; id -un; pwd\r')
  await shown.shows(/\/dev\/pts\/\d+\s+30 100\s+user\s+\/home\/user/)
  shown.type('sleep 4711\r')
  await expect.poll(() => output(thread, 'pgrep -af "^sleep 4711"'), { timeout: 20_000 }).toContain('sleep 4711')
  shown.type('\x03')
  await expect.poll(() => output(thread, 'pgrep -cf "^sleep 4711" || true'), { timeout: 20_000 }).toBe('0\n')
  await terminals().close(thread.id, terminal.id)
})

test('G8: full-screen programs draw, react to a new size and restore the screen', async () => {
  const terminal = await open()
  using shown = await view(terminal)
  await output(thread, 'seq 1 2000 > /tmp/lines')
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
  expect(await output(thread, 'tail -1 /tmp/copy')).toBe('2000\n')
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

test('G8: htop lists processes, redraws for a new size and restores the screen', async () => {
  await withHtop.installed
  const terminal = await open(withHtop.thread)
  using shown = await view(terminal, withHtop.thread)
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
  await terminals().close(withHtop.thread.id, terminal.id)
})
