import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { hostPaths } from '@threadbox/protocol/host'
import { startInstallation, type TestInstallation, type TestThread } from '../../stack/installation.ts'
import { type Figure, timed } from '../figure.ts'
import { pssBytes } from './memory.ts'

const threadCount = 200
const simultaneousWakes = 20
const singleWakes = 5
const rounds = 2
const idleMs = 60_000
const listings = 100
/** Number of sandboxes awake at the same time while the threads are created. */
const together = 10
const msPerTick = 10
const MiB = 1024 * 1024
/** Space of the tests’ pool for memory images, next to base image and disks. */
const memorySpaceBytes = 4.5 * 1024 * MiB

/**
 * An idle installation with two hundred sleeping threads, the list of them, and twenty that are woken at the same
 * moment. As many as fit into the pool are paused with their memory on the disk (none frozen in RAM); the others are
 * cold.
 */
export async function manyThreads(): Promise<Figure[]> {
  await using installation = await startInstallation({
    serverEnvironment: { THREADBOX_LOG_LEVEL: 'info' },
    hostEnvironment: {
      THREADBOX_LOG_LEVEL: 'info',
      THREADBOX_FROZEN_COPIES: 'off',
      THREADBOX_BOOT_TEMPLATES: 'on',
      THREADBOX_IMAGE_RESERVE_BYTES: String(2 * 1024 * MiB),
      THREADBOX_MEMORY_IMAGE_RESERVE_BYTES: String(memorySpaceBytes),
      THREADBOX_MEMORY_IMAGE_BUDGET: String(memorySpaceBytes),
    },
  })
  await installation.client.threads.list({ limit: threadCount })
  const emptyBytes = await pssBytes(installation.server.pid())
  const { paused, cold } = await makeSleepers(installation)
  const who = `${threadCount} sleeping threads (${paused.length} paused, ${cold} cold)`
  const cpu = figureOf('many-idle-cpu', `Processor use of server and host daemon with ${who}`, { unit: '%', target: 1 })
  const memory = figureOf('many-memory', `Memory of the server per thread, ${who}`, { unit: 'MiB', target: 1 })
  const list = figureOf('many-list', `List of ${who} over HTTP`, { unit: 'ms', target: 100 })
  cpu.samples.push(await idleCpuPercent(installation))
  memory.samples.push(((await pssBytes(installation.server.pid())) - emptyBytes) / MiB / threadCount)
  for (let count = 0; count < listings; count++) {
    list.samples.push(await timed(() => installation.client.threads.list({ limit: threadCount })))
  }
  return [cpu, memory, list, await wakes(installation, paused)]
}

function figureOf(id: string, title: string, { unit, target }: { unit: Figure['unit']; target: number }): Figure {
  return { id, title, unit, samples: [], floorSamples: [], floorTitle: null, target: { maxP95: target } }
}

type Sleepers = { paused: TestThread[]; cold: number }

async function makeSleepers(installation: TestInstallation): Promise<Sleepers> {
  const [first] = await makePaused(installation, 1)
  const { usage } = await installation.client.sandboxes.get(first?.id ?? '')
  const fit = Math.floor(memorySpaceBytes / (usage?.memoryImageBytes ?? memorySpaceBytes)) - 2
  const count = Math.min(threadCount, fit)
  const paused = [...(first === undefined ? [] : [first]), ...(await makePaused(installation, count - 1))]
  for (let made = count; made < threadCount; made += together) {
    await makeCold(installation, Math.min(together, threadCount - made))
  }
  return { paused, cold: threadCount - paused.length }
}

/** Two at a time, since the machine might have two processors. */
async function makePaused(installation: TestInstallation, count: number): Promise<TestThread[]> {
  const made: TestThread[] = []
  let begun = 0
  const work = async () => {
    while (begun < count) {
      begun += 1
      const thread = await installation.newThread()
      await thread.say('/run true')
      await installation.client.sandboxes.pause(thread.id)
      made.push(thread)
    }
  }
  await Promise.all([work(), work()])
  return made
}

/** Their boots have ended: as after a restart of the machine, which takes less time than discarding their memory. */
async function makeCold(installation: TestInstallation, count: number): Promise<void> {
  const { host, client } = installation
  const threads: TestThread[] = []
  for (let index = 0; index < count; index++) {
    const thread = await installation.newThread()
    await thread.say('/run true')
    threads.push(thread)
  }
  const { body } = await host.request('GET', hostPaths.list())
  const { sandboxes } = body as { sandboxes: { sandboxId: string; bootId: string | null; actual: string }[] }
  const awake = sandboxes.filter(({ actual }) => actual === 'ready')
  await Promise.all(awake.map(({ sandboxId, bootId }) => host.request('POST', hostPaths.stop(sandboxId), { bootId })))
  for (const { id } of threads) while ((await client.threads.get(id)).sandbox.state !== 'cold') await delay(50)
}

async function idleCpuPercent({ server, host }: TestInstallation): Promise<number> {
  // Background work of the last ones is done by then.
  await delay(15_000)
  const pids = [server.pid(), host.pid()]
  const before = await Promise.all(pids.map(cpuMs))
  const startedAt = performance.now()
  await delay(idleMs)
  const after = await Promise.all(pids.map(cpuMs))
  const usedMs = after.reduce((sum, used, index) => sum + used - (before[index] ?? 0), 0)
  return (usedMs / (performance.now() - startedAt)) * 100
}

/** CPU time of all threads of a process. */
async function cpuMs(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * msPerTick
}

async function wakes({ client }: TestInstallation, paused: TestThread[]): Promise<Figure> {
  const figure: Figure = {
    id: 'many-wakes',
    title: `Slowest of ${simultaneousWakes} paused threads that get a message at the same time, until its command has ended`,
    unit: 'ms',
    samples: [],
    floorSamples: [],
    floorTitle: 'one of them alone',
    target: { maxRatio: 5 },
  }
  const wake = async (thread: TestThread) =>
    await timed(async () => {
      const { calls } = await thread.say('/run echo usable')
      if (calls[0]?.output.tail !== 'usable\n')
        throw new Error(`a woken thread is not usable: ${JSON.stringify(calls)}`)
    })
  for (let round = 0; round < rounds; round++) {
    for (const thread of paused.slice(0, singleWakes)) {
      figure.floorSamples.push(await wake(thread))
      await client.sandboxes.pause(thread.id)
    }
    const chosen = paused.slice(0, simultaneousWakes)
    figure.samples.push(Math.max(...(await Promise.all(chosen.map(wake)))))
    for (const thread of chosen) await client.sandboxes.pause(thread.id)
  }
  return figure
}
