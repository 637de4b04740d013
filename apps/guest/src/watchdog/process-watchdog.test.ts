import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { runs } from '@threadbox/protocol/guest'
import { makeLogger } from '@threadbox/telemetry'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { killAll, runVariable } from '../processes/process-family.ts'
import { isZombie, listProcesses } from '../processes/process-table.ts'
import { readProcesses } from './process-looks.ts'
import { type ProcessWatchdog, startProcessWatchdog } from './process-watchdog.ts'
import { makeTerminations, type Terminations } from './terminations.ts'

const bombName = `bomb-${process.pid}`
const innocentName = `innocent-${process.pid}`
/** A tree of 31, in which each has its own session and restarts those that were ended. */
const bomb = `
import os, time
depth = 0
children = set()
while True:
    while depth < 4 and len(children) < 2:
        child = os.fork()
        if child == 0:
            os.setsid()
            depth, children = depth + 1, set()
        else: children.add(child)
    for child in list(children):
        if os.waitpid(child, os.WNOHANG)[0]: children.discard(child)
    time.sleep(0.02)
`
const bombSize = 31
const innocent = `
import os, time
for n in range(19):
    if os.fork() == 0: break
time.sleep(1000)
`
const innocentSize = 20

function isNamed(pid: number, ...wanted: string[]): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      .split('\0')
      .some((word) => wanted.includes(word))
  } catch {
    return false
  }
}

/** The machine runs other programs, so only this process and what the test has started are listed. */
const list = () => listProcesses().filter(({ pid }) => pid === process.pid || isNamed(pid, bombName, innocentName))
const alive = (name: string) => list().filter((entry) => !isZombie(entry) && isNamed(entry.pid, name))

async function start(script: string, options: { name: string; mark: string; size: number }): Promise<number> {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', [runVariable]: options.mark }
  const child = spawn('python3', ['-c', script, options.name], { detached: true, stdio: 'ignore', env })
  await vi.waitFor(() => expect(alive(options.name)).toHaveLength(options.size), { timeout: 60_000 })
  return child.pid ?? 0
}

let terminations: Terminations
let watchdog: ProcessWatchdog
let room: number
/** How often all processes were read. */
let readings: number
beforeEach(() => {
  terminations = makeTerminations()
  room = 1_000
  readings = 0
  const self = readProcesses(list).processes.find(({ pid }) => pid === process.pid)
  watchdog = startProcessWatchdog({
    limit: () => (self?.threads ?? 0) + room,
    terminations,
    isCommandShell: () => true,
    logger: makeLogger({ process: 'guest', level: 'silent' }),
    view: {
      pids: () => list().map(({ pid }) => pid),
      list: () => {
        readings += 1
        return list()
      },
    },
    calm: { isCalm: () => false, update: async () => undefined, onEnd: () => undefined },
    pace: { checkMs: 10, multiplyingMs: 50, fillingMs: 3_600_000 },
  })
})
afterEach(async () => {
  watchdog.stop()
  await killAll(() => list().filter((entry) => entry.pid !== process.pid && !isZombie(entry)))
})

async function checksPass(count: number) {
  const before = readings
  await vi.waitFor(() => expect(readings).toBeGreaterThan(before + count), { timeout: 60_000 })
}

test('what multiplies at the limit is ended with all its sessions and named; earlier processes are not', async () => {
  const innocentPid = await start(innocent, { name: innocentName, mark: 'innocent', size: innocentSize })
  await checksPass(3)
  const bombPid = await start(bomb, { name: bombName, mark: 'bomb', size: bombSize })
  room = bombSize + innocentSize - 2
  await vi.waitFor(() => expect(alive(bombName)).toEqual([]), { timeout: 60_000 })
  await vi.waitFor(() => expect(watchdog.isFull()).toBe(false), { timeout: 60_000 })
  expect(alive(innocentName)).toHaveLength(innocentSize)
  expect(terminations.take({ root: innocentPid, mark: 'innocent' }, 0)).toBeUndefined()
  const termination = terminations.take({ root: bombPid, mark: 'bomb' }, 0)
  expect(termination).toMatchObject({ cause: runs.EndCause.OUT_OF_PROCESSES })
  expect(termination?.message).toMatch(
    /^Ended: \d+ processes \(\d+ × python3?[\d.]*\)\. The sandbox reached its limit of \d+ /,
  )
}, 180_000)

test('what multiplies just below the limit is left alone', async () => {
  room = bombSize + 8
  const pid = await start(bomb, { name: bombName, mark: 'bomb', size: bombSize })
  await checksPass(30)
  expect(alive(bombName)).toHaveLength(bombSize)
  expect(terminations.take({ root: pid, mark: 'bomb' }, 0)).toBeUndefined()
}, 180_000)

test('what does not multiply has longer, even at the limit', async () => {
  await start(innocent, { name: innocentName, mark: 'innocent', size: innocentSize })
  room = innocentSize - 2
  await vi.waitFor(() => expect(watchdog.isFull()).toBe(true), { timeout: 60_000 })
  await checksPass(20)
  expect(alive(innocentName)).toHaveLength(innocentSize)
}, 180_000)
