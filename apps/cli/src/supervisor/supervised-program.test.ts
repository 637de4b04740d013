import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { identify, isAlive, parseStat, readProcessRecord, writeProcessRecord } from '../installation/process-record.ts'
import { delayAfterEnd } from './backoff.logic.ts'
import { rotateLog } from './rotate-log.ts'
import { SupervisedProgram } from './supervised-program.ts'

let folder: string
const running: SupervisedProgram[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'supervisor-'))
})
afterEach(async () => {
  for (const program of running.splice(0)) await program.stop({ signal: 'SIGKILL', graceMs: 1000 })
  rmSync(folder, { recursive: true })
})

function supervise(script: string) {
  const events: string[] = []
  const options = {
    name: 'probe',
    command: ['/bin/sh', '-c', script] as const,
    environment: { PATH: '/usr/bin:/bin' },
    workingDirectory: folder,
    logPath: join(folder, 'probe.log'),
    recordPath: join(folder, 'probe.json'),
    report: (event: string) => events.push(event),
  }
  const program = new SupervisedProgram(options)
  running.push(program)
  return { program, events, options, log: () => readFileSync(options.logPath, 'utf8') }
}

test('a program that ends is restarted, with a longer wait each time it fails immediately', async () => {
  const { program, events, log } = supervise('echo started')
  program.run()
  await vi.waitFor(() => expect(log().match(/started/g)?.length).toBeGreaterThanOrEqual(2), 10_000)
  expect(events).toContain('exited, restarting')
})

test('a program that cannot be started does not end the supervisor', async () => {
  const { options, events } = supervise('true')
  const broken = new SupervisedProgram({ ...options, command: ['/nonexistent/program'] })
  running.push(broken)
  broken.run()
  await vi.waitFor(() => expect(events.filter((event) => event === 'exited').length).toBeGreaterThanOrEqual(2), 10_000)
})

test('a program that ignores the stop signal is killed after its grace period, and nothing of it is left', async () => {
  const { program, options, log, events } = supervise('trap "" TERM; echo ready; while :; do sleep 0.1; done')
  program.run()
  await vi.waitFor(() => expect(log()).toContain('ready'), 10_000)
  const identity = readProcessRecord(options.recordPath)
  if (identity === undefined) throw new Error('no record')
  await program.stop({ signal: 'SIGTERM', graceMs: 200 })
  expect(isAlive(identity)).toBe(false)
  expect(events).toContain('killed after the stop timeout')
  expect(readProcessRecord(options.recordPath)).toBeUndefined()
})

test('a second supervisor adopts the program that the first one left running and restarts it when it ends', async () => {
  const { program, options, events } = supervise('exec sleep 600')
  const left = spawn('sleep', ['600'], { stdio: 'ignore' })
  await once(left, 'spawn')
  const identity = identify(left.pid ?? 0)
  if (identity === undefined) throw new Error('not running')
  writeProcessRecord(options.recordPath, identity)
  program.run()
  await vi.waitFor(() => expect(events).toEqual(['adopted']), 5000)
  left.kill('SIGKILL')
  await vi.waitFor(() => expect(events).toContain('started'), 10_000)
  expect(readProcessRecord(options.recordPath)?.pid).not.toBe(identity.pid)
})

test('a record that names another process with the same number is ignored', () => {
  const path = join(folder, 'other.json')
  const own = identify(process.pid)
  if (own === undefined) throw new Error('not running')
  writeProcessRecord(path, { ...own, startTime: `${Number(own.startTime) - 1}` })
  expect(readProcessRecord(path)).toBeUndefined()
  writeProcessRecord(path, own)
  expect(readProcessRecord(path)).toEqual(own)
})

test('a zombie is not alive, and spaces and parentheses in a program name are parsed', () => {
  const fields = 'S 1 1 1 0 -1 4194560 1 0 0 0 1 1 0 0 20 0 1 0 4242 1000'
  expect(parseStat(7, `7 (a) b) (c) ${fields}`)).toEqual({ pid: 7, startTime: '4242' })
  expect(parseStat(7, `7 (sh) ${fields.replace('S', 'Z')}`)).toBeUndefined()
})

test('the wait doubles up to half a minute and resets after a minute of work', () => {
  let restarts = { failures: 0 }
  const delays = Array.from({ length: 11 }, () => {
    const next = delayAfterEnd({ restarts, ranMs: 10 })
    restarts = next.restarts
    return next.delayMs
  })
  expect(delays).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000])
  expect(delayAfterEnd({ restarts, ranMs: 61_000 }).delayMs).toBe(100)
})

test('a log over its limit is moved aside, three of them are kept, and the writer continues in the same file', async () => {
  const { program, options, log } = supervise('while read -r line; do :; done; exec sleep 600')
  program.run()
  const { appendFileSync, existsSync } = await import('node:fs')
  for (const number of [1, 2, 3, 4, 5]) {
    appendFileSync(options.logPath, `${number}`.repeat(100))
    await rotateLog(options.logPath, { limitBytes: 99 })
  }
  expect(log()).toBe('')
  expect(readFileSync(`${options.logPath}.1`, 'utf8')).toBe('5'.repeat(100))
  expect(readFileSync(`${options.logPath}.3`, 'utf8')).toBe('3'.repeat(100))
  expect(existsSync(`${options.logPath}.4`)).toBe(false)
  await rotateLog(options.logPath, { limitBytes: 99 })
  expect(readFileSync(`${options.logPath}.1`, 'utf8')).toBe('5'.repeat(100))
})
