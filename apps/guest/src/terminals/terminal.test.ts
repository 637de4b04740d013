import { expect, onTestFinished, test, vi } from 'vitest'
import { type ManagedProcess, makeOutputFan } from '../processes/managed-process.ts'
import { makeTerminal, type TerminalEvent } from './terminal.ts'

const mebibyte = 1024 * 1024

/** A terminal whose program prints on request, unless it has to wait. */
function makeBench(stallMs: number) {
  let isPaused = false
  const fan = makeOutputFan({
    pause: () => {
      isPaused = true
    },
    resume: () => {
      isPaused = false
    },
  })
  const process = { pid: 1, resize: () => {}, subscribe: fan.subscribe, whenEnded: fan.whenEnded }
  const terminal = makeTerminal({
    id: 't',
    size: { cols: 80, rows: 24 },
    stallMs,
    process: process as unknown as ManagedProcess,
  })
  let printed = 0
  /** How much of this output a pipe would accept before the program has to wait forever. */
  const print = async (bytes: number) => {
    for (const until = printed + bytes; printed < until && !isPaused; ) {
      fan.emit('pty', Buffer.alloc(16 * 1024, 'x'))
      printed += 16 * 1024
      await new Promise((resolve) => setImmediate(resolve))
    }
    return printed
  }
  return { terminal, print, fan, isPaused: () => isPaused }
}

test('G8: a slow reader makes the program wait, and gets everything in the end', async () => {
  const { terminal, print, isPaused, fan } = makeBench(60_000)
  const over = new AbortController()
  const reader = terminal.follow(0, over.signal)
  await reader.next()
  const printed = await print(8 * mebibyte)
  expect(isPaused()).toBe(true)
  expect(printed).toBeLessThan(2 * mebibyte)
  fan.finish({ exitCode: 0, exited: true, status: 'exit status 0' })
  let seen = 0
  for await (const event of reader) {
    expect(event.type).not.toBe('begin')
    if (event.type === 'output') seen += event.data.length
  }
  expect(seen).toBe(printed)
  expect(isPaused()).toBe(false)
})

test('G8: a reader that takes nothing is left behind, and starts over when it comes back', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { terminal, print, isPaused } = makeBench(50)
  const over = new AbortController()
  const reader = terminal.follow(0, over.signal)
  await reader.next()
  await print(8 * mebibyte)
  expect(isPaused()).toBe(true)
  await vi.advanceTimersByTimeAsync(50)
  expect(isPaused()).toBe(false)
  const printed = await print(8 * mebibyte)
  const next = (await reader.next()).value as TerminalEvent
  expect(next).toMatchObject({ type: 'begin' })
  if (next.type === 'begin') expect(printed - next.begin.offset).toBeLessThanOrEqual(2 * mebibyte)
  over.abort()
})

test('without readers, the program does not wait', async () => {
  const { print, isPaused } = makeBench(60_000)
  expect(await print(8 * mebibyte)).toBe(8 * mebibyte)
  expect(isPaused()).toBe(false)
})
