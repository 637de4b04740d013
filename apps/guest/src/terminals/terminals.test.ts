import { Code, ConnectError } from '@connectrpc/connect'
import type { terminals } from '@threadbox/protocol/guest'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startTestGuest, type TestGuest, testToken } from '../guest.test-utils.ts'

// Login shells of a busy machine take their time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let guest: TestGuest
beforeEach(async () => {
  guest = await startTestGuest()
  await guest.handshake()
})
afterEach(async () => {
  for (const { id } of (await guest.terminals.listTerminals({})).terminals) await guest.terminals.closeTerminal({ id })
  await guest[Symbol.asyncDispose]()
})

const open = async (id: string, size = { cols: 100, rows: 30 }) => {
  const { terminal } = await guest.terminals.openTerminal({ id, ...size })
  if (terminal === undefined) throw new Error('no terminal in the answer')
  return terminal
}
const type = (id: string, text: string) => guest.terminals.writeTerminal({ id, data: Buffer.from(text) })

/** Reads until the output matches; resolves with everything seen on the way. */
async function follow(id: string, until: (seen: Seen) => boolean, from = 0): Promise<Seen> {
  const seen: Seen = { text: '', begins: [], sizes: [], ended: undefined, offset: from }
  const over = AbortSignal.timeout(50_000)
  for await (const { event } of guest.terminals.followTerminal({ id, from: BigInt(from) }, { signal: over })) {
    if (event.case === 'begin') seen.begins.push(Number(event.value.offset))
    if (event.case === 'begin') seen.offset = Number(event.value.offset)
    if (event.case === 'resized') seen.sizes.push(`${event.value.cols}x${event.value.rows}`)
    if (event.case === 'ended') seen.ended = event.value
    if (event.case === 'output') {
      seen.text += Buffer.from(event.value).toString('latin1')
      seen.offset += event.value.length
    }
    if (until(seen)) return seen
  }
  return seen
}
type Seen = {
  text: string
  begins: number[]
  sizes: string[]
  ended: terminals.TerminalEnd | undefined
  offset: number
}
const shows = (text: string | RegExp) => (seen: Seen) => seen.text.search(text) >= 0
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => Code[ConnectError.from(error).code],
  )

test('an unknown ID is refused, and closing it succeeds', async () => {
  expect(await codeOf(follow('nobody', () => true))).toBe('NotFound')
  expect(await codeOf(type('nobody', 'x'))).toBe('NotFound')
  expect(await codeOf(guest.terminals.resizeTerminal({ id: 'nobody', cols: 1, rows: 1 }))).toBe('NotFound')
  await guest.terminals.closeTerminal({ id: 'nobody' })
})

test('G8: a terminal is a real one: its shell talks to a tty of the requested size, and gets a new size', async () => {
  const { pid } = await open('t1')
  expect((await open('t1')).pid).toBe(pid)
  await type('t1', 'tty; stty size; echo "$TERM-$COLORTERM"\r')
  expect((await follow('t1', shows('xterm-256color-truecolor'))).text).toMatch(/\/dev\/pts\/\d+\r\n30 100\r\n/)
  const { offset } = await follow('t1', shows('xterm-256color-truecolor'))
  let resizing: Promise<unknown> | undefined
  const resized = await follow(
    't1',
    ({ sizes }) => {
      // Once the reader has begun.
      resizing ??= guest.terminals.resizeTerminal({ id: 't1', cols: 80, rows: 24 })
      return sizes.length > 0
    },
    offset,
  )
  await resizing
  expect(resized.sizes).toEqual(['80x24'])
  await type('t1', 'stty size\r')
  await follow('t1', shows(/[\r\n]24 80\r\n/))
})

test('several readers see the same output, and one that comes back continues where it stopped', async () => {
  await open('t1')
  await type('t1', 'echo first-$((1+1))\r')
  const [one, two] = await Promise.all([follow('t1', shows('first-2')), follow('t1', shows('first-2'))])
  expect(one.begins).toEqual([0])
  expect(two.text.slice(0, 200)).toBe(one.text.slice(0, 200))
  await type('t1', 'echo second-$((1+1))\r')
  const rest = await follow('t1', shows('second-2'), one.offset)
  expect(rest.begins).toEqual([one.offset])
  expect(rest.text).not.toContain('first-2')
})

test('G8: the end of a shell is reported with its code, and its last output stays readable until it is closed', async () => {
  await open('t1')
  await type('t1', 'echo last-$((1+1)); exit 3\r')
  const seen = await follow('t1', ({ ended }) => ended !== undefined)
  expect(seen.ended).toMatchObject({ exitCode: 3, status: 'exit status 3' })
  expect(seen.text).toContain('last-2')
  expect(await codeOf(type('t1', 'x'))).toBe('AlreadyExists')
  expect((await guest.terminals.listTerminals({})).terminals).toMatchObject([{ id: 't1', end: { exitCode: 3 } }])
  expect((await follow('t1', ({ ended }) => ended !== undefined)).text).toContain('last-2')
  await guest.terminals.closeTerminal({ id: 't1' })
  expect(await codeOf(follow('t1', () => true))).toBe('NotFound')
})

test('O3: typed input counts as activity, what the terminal sends automatically does not', async () => {
  const lastInputAt = async () => {
    const response = await fetch(`${guest.url}/activity`, { headers: { 'x-access-token': testToken } })
    return ((await response.json()) as { terminalsLastInputAt: number | null }).terminalsLastInputAt
  }
  await open('t1')
  await guest.terminals.writeTerminal({ id: 't1', data: Buffer.from('\x1b[I'), isReport: true })
  expect(await lastInputAt()).toBeNull()
  await type('t1', 'x')
  expect(await lastInputAt()).toBeGreaterThan(0)
})

test('closing hangs up on what runs in it', async () => {
  await open('t1')
  await type('t1', 'sleep 1000 & echo pid-$!-\r')
  const pid = Number(/pid-(\d+)-/.exec((await follow('t1', shows(/pid-\d+-/))).text)?.[1])
  process.kill(pid, 0)
  await guest.terminals.closeTerminal({ id: 't1' })
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), { timeout: 10_000 })
})

test('G8: endless output keeps no more than its last mebibyte, and continues without a reader', async () => {
  await open('t1')
  await type('t1', 'head -c 20000000 /dev/zero | tr "\\0" x; echo; echo done-$((1+1))\r')
  const seen = await vi.waitFor(
    async () => {
      const late = await follow('t1', ({ text }) => text.length > 900_000 || text.includes('done-2'))
      expect(late.begins[0]).toBeGreaterThan(18_000_000)
      return late
    },
    { timeout: 50_000, interval: 500 },
  )
  expect(seen.offset - (seen.begins[0] ?? 0)).toBeLessThanOrEqual(1024 * 1024)
})
