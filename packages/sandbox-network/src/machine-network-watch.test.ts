import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { makeLogger } from '@threadbox/telemetry'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { watchMachineNetwork } from './machine-network-watch.ts'

/** With a program in place of `ip monitor` that prints the lines of a file as they are added. */
let directory: string
let events: string
let stop: (() => void) | undefined
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'threadbox-watch-'))
  events = path.join(directory, 'events')
  await writeFile(events, '')
})
afterEach(async () => {
  stop?.()
  await rm(directory, { recursive: true, force: true })
})

function watch(options: { script: string; update: () => Promise<void> }) {
  stop = watchMachineNetwork({
    ownPrefix: 'tbt0',
    logger: makeLogger({ process: 'test', level: 'silent' }),
    update: options.update,
    monitor: ['sh', '-c', options.script, 'sh', events],
  })
}

const follow = 'echo started >> "$1.starts"; echo began; exec tail -n 0 -f "$1"'
const startsOf = async () => (await readFile(`${events}.starts`, 'utf8').catch(() => '')).split('\n').length - 1

test('G2: each change is an update, and changes of the installation’s own interfaces are none', async () => {
  let updates = 0
  watch({
    script: follow,
    update: async () => {
      updates += 1
    },
  })
  await expect.poll(() => updates, { timeout: 10_000 }).toBe(1)
  await writeFile(events, 'inet 198.51.100.7/24 dev eth0\n', { flag: 'a' })
  await expect.poll(() => updates, { timeout: 10_000 }).toBe(2)
  await writeFile(events, 'link tbt0-7 up\n', { flag: 'a' })
  await writeFile(events, 'link eth1 up\n', { flag: 'a' })
  await expect.poll(() => updates, { timeout: 10_000 }).toBe(3)
})

test('G2: changes that follow each other closely are few updates, and the last one is not left out', async () => {
  const updatedAt: number[] = []
  let seen = 0
  let written = 0
  watch({
    script: follow,
    update: async () => {
      updatedAt.push(performance.now())
      seen = written
    },
  })
  await expect.poll(() => updatedAt.length, { timeout: 10_000 }).toBe(1)
  for (; written < 20; await delay(30)) {
    written += 1
    await writeFile(events, `link veth${written} up\n`, { flag: 'a' })
  }
  await expect.poll(() => seen, { timeout: 10_000 }).toBe(20)
  const pauses = updatedAt.slice(1).map((at, index) => at - (updatedAt[index] ?? 0))
  expect(Math.min(...pauses)).toBeGreaterThan(300)
})

test('G2: a watching program that ends is restarted, with an update for what it may have missed', async () => {
  let updates = 0
  watch({
    script: 'echo started >> "$1.starts"; exit 3',
    update: async () => {
      updates += 1
    },
  })
  await expect.poll(startsOf, { timeout: 10_000 }).toBe(2)
  await expect.poll(() => updates, { timeout: 10_000 }).toBeGreaterThanOrEqual(2)
})

test('G2: a failed update is repeated until it succeeds', async () => {
  const outcomes: string[] = []
  watch({
    script: follow,
    update: async () => {
      outcomes.push(outcomes.length < 2 ? 'failed' : 'done')
      if (outcomes.at(-1) === 'failed') throw new Error('nft is busy')
    },
  })
  await expect.poll(() => outcomes, { timeout: 20_000 }).toEqual(['failed', 'failed', 'done'])
})
