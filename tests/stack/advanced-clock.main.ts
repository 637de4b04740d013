import { readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

/**
 * Loaded before a program (`--import`), it lets the program’s clock be ahead of the machine’s by the number in a file:
 * the time of day, the program’s uptime and the machine’s uptime that the program reads. On SIGUSR2 it reads the file
 * again and immediately calls what has become due, as if the program had waited.
 */
type Waiting = { dueAt: number; call: () => void; everyMs: number | undefined }

const file = process.env.THREADBOX_TEST_CLOCK ?? ''
const real = {
  now: Date.now,
  sinceStart: performance.now.bind(performance),
  uptime: os.uptime,
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  Date,
}
/** Shorter ones have passed before a test checks. */
const shortestMs = 500
const waiting = new Map<object, Waiting>()
let aheadMs = readAhead()

const now = () => real.now.call(Date) + aheadMs
globalThis.Date = new Proxy(real.Date, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})
performance.now = () => real.sinceStart() + aheadMs
os.uptime = () => real.uptime() + aheadMs / 1000
syncBuiltinESMExports()

globalThis.setTimeout = keepingUtilities(
  real.setTimeout,
  (call: (...args: unknown[]) => void, delayMs = 0, ...args: unknown[]) => {
    const timer: NodeJS.Timeout = real.setTimeout(() => {
      waiting.delete(timer)
      call(...args)
    }, delayMs)
    if (delayMs >= shortestMs)
      waiting.set(timer, { dueAt: now() + delayMs, call: () => call(...args), everyMs: undefined })
    return timer
  },
)
globalThis.clearTimeout = (timer) => {
  if (typeof timer === 'object' && timer !== null) waiting.delete(timer)
  real.clearTimeout(timer)
}
globalThis.setInterval = keepingUtilities(
  real.setInterval,
  (call: (...args: unknown[]) => void, everyMs = 0, ...args: unknown[]) => {
    const timer: NodeJS.Timeout = real.setInterval(() => {
      const entry = waiting.get(timer)
      if (entry !== undefined) entry.dueAt = now() + everyMs
      call(...args)
    }, everyMs)
    waiting.set(timer, { dueAt: now() + everyMs, call: () => call(...args), everyMs })
    return timer
  },
)
globalThis.clearInterval = (timer) => {
  if (typeof timer === 'object' && timer !== null) waiting.delete(timer)
  real.clearInterval(timer)
}

process.on('SIGUSR2', () => {
  aheadMs = readAhead()
  for (const [timer, { dueAt, call, everyMs }] of waiting) {
    if (dueAt > now()) continue
    if (everyMs === undefined) {
      waiting.delete(timer)
      real.clearTimeout(timer as NodeJS.Timeout)
    } else waiting.set(timer, { dueAt: now() + everyMs, call, everyMs })
    call()
  }
})

function readAhead(): number {
  return Number(readFileSync(file, 'utf8'))
}

/** `util.promisify` finds a timer’s own promise version in a property of it. */
function keepingUtilities<Timer extends object>(original: Timer, replacement: (...args: never[]) => unknown): Timer {
  for (const name of Object.getOwnPropertySymbols(original)) {
    Object.defineProperty(replacement, name, Object.getOwnPropertyDescriptor(original, name) ?? {})
  }
  return replacement as unknown as Timer
}
