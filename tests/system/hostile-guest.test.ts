import { type ModelServer, startModelServer } from '@threadbox/testkit'
import { isFull } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Behavior } from '../hostile-guest/behavior.ts'
import { behaviorsOfFiles } from '../hostile-guest/behaviors-of-files.ts'
import { behaviorsOfMemory, slowBehaviors } from '../hostile-guest/behaviors-of-memory.ts'
import { behaviorsOfRuns } from '../hostile-guest/behaviors-of-runs.ts'
import { behaviorsOfViews } from '../hostile-guest/behaviors-of-views.ts'
import { buildHostileGuest } from '../hostile-guest/build-hostile-guest.ts'
import { type BusyTime, makeBusyTime } from '../hostile-guest/busy-time.ts'
import { deleteSilent, type HostileThread, type Tried, tryBehavior } from '../hostile-guest/try-behaviors.ts'
import { obedient, type UseName, uses } from '../hostile-guest/uses.ts'
import { percentile, watchProcesses } from '../hostile-guest/watch-processes.ts'
import { sandboxIdsOf, startInstallation, type TestInstallation } from '../stack/installation.ts'

/** Sandboxes whose first process is a guest daemon that misbehaves by script. */
let installation: TestInstallation
let model: ModelServer
let busy: BusyTime
beforeAll(async () => {
  busy = await makeBusyTime()
  model = await startModelServer()
  model.when(obedient)
  installation = await startInstallation({
    hostEnvironment: { THREADBOX_GUEST: await buildHostileGuest(), ...busy.environment },
    serverEnvironment: busy.environment,
  })
  const { anthropic } = model.baseUrls
  await installation.client.models.connect({ provider: 'anthropic', model: 'test', baseUrl: anthropic, apiKey: 'key' })
})
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  await model?.close()
  await busy?.[Symbol.asyncDispose]()
})

/** Several at the same time: much of the time is waiting. */
const lanes = isFull ? 5 : 3
const all: readonly Behavior[] = [...behaviorsOfRuns, ...behaviorsOfFiles, ...behaviorsOfViews, ...behaviorsOfMemory]
/** Every third by default; `THREADBOX_TEST_FULL=1` tries all, and adds what takes half a minute each. */
const behaviors = isFull ? [...all, ...slowBehaviors] : all.filter((_, index) => index % 3 === 0)
/**
 * Processor time that the server or the host daemon can take for one thing while everything else waits. The largest
 * messages that are allowed take a fifth of this on a slow machine.
 */
const maxBusyMs = 2_000
const settleMs = isFull ? 30_000 : 2000
const roundsBefore = 15
/** Each is used once before anything is measured: what code and buffers take is not counted. */
const warmUps: readonly UseName[] = [
  'run',
  'python',
  'readTool',
  'list',
  'panel',
  'download',
  'preview',
  'pauseAndWake',
]

async function hostileThread(): Promise<HostileThread> {
  const before = new Set(await sandboxIdsOf(installation))
  const thread = await installation.newThread()
  await thread.say('/run echo x > note.txt')
  const sandboxId = (await sandboxIdsOf(installation)).find((id) => !before.has(id)) ?? expect.unreachable()
  return { installation, thread, sandboxId }
}

/** One after another: that is how it is known which sandbox is whose. */
async function hostileThreads(count: number): Promise<HostileThread[]> {
  const threads: HostileThread[] = []
  while (threads.length < count) threads.push(await hostileThread())
  return threads
}

/** Those that leave something behind come last, each in a thread of its own, which is deleted with them. */
async function tryAll(targets: readonly HostileThread[]): Promise<Tried[]> {
  const waiting = behaviors.filter(({ isLast }) => isLast !== true)
  const last = behaviors.filter(({ isLast }) => isLast === true)
  const tried: Tried[] = []
  const lane = async (target: HostileThread) => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      tried.push(await tryBehavior(target, next))
    }
    expect(await uses.run({ ...target, signal: AbortSignal.timeout(60_000) })).toBe('succeeded')
    const finish = last.shift()
    if (finish === undefined) return await deleteSilent(target)
    tried.push(await tryBehavior(target, finish))
  }
  await Promise.all(targets.map(lane))
  return tried
}

type Times = { runMs: number[]; listMs: number[] }

/** A thread whose guest is honest, in the same installation; returns the times of its commands and listings. */
async function useNeighbor({ thread }: HostileThread, hasEnded: (rounds: number) => boolean): Promise<Times> {
  const times = { runMs: [] as number[], listMs: [] as number[] }
  const timed = async (into: number[], work: () => Promise<unknown>) => {
    const startedAt = performance.now()
    await work()
    into.push(performance.now() - startedAt)
  }
  while (!hasEnded(times.listMs.length)) {
    await timed(times.runMs, async () => {
      const { calls } = await thread.say('/run true')
      expect(calls[0]).toMatchObject({ status: 'succeeded', result: { exitCode: 0 } })
    })
    await timed(times.listMs, () => installation.client.files.list(thread.id, '/home/user'))
  }
  return times
}

const p95Of = ({ runMs, listMs }: Times) =>
  `p95 of /run true ${percentile(runMs, 0.95)} ms, of a list ${percentile(listMs, 0.95)} ms`
const columns = ({ name, got, ms, applied, isOk }: Tried) =>
  `${isOk ? 'ok   ' : 'WRONG'} ${name.padEnd(84)} ${got.padEnd(34)} ${String(ms).padStart(6)} ms ${applied > 0 ? '' : '(not asked)'}`

test(`C9: whatever a guest does in ${behaviors.length} ways, its thread continues or gets the cause, and others are served`, {
  timeout: 600_000,
}, async () => {
  const targets = await hostileThreads(lanes)
  const [first = expect.unreachable()] = targets
  for (const use of warmUps) await uses[use]({ ...first, signal: AbortSignal.timeout(60_000) })
  const neighbor = await hostileThread()
  const before = await useNeighbor(neighbor, (rounds) => rounds >= roundsBefore)
  const stopped = new AbortController()
  const beside = useNeighbor(neighbor, () => stopped.signal.aborted)
  const figures = await watchProcesses(installation, { settleMs })
  const [serverBusy, hostBusy] = [
    await busy.watch(installation.server.pid()),
    await busy.watch(installation.host.pid()),
  ]
  const tried = await tryAll(targets).finally(() => stopped.abort())
  const busyMs = { server: await serverBusy(), host: await hostBusy() }
  const during = await beside
  const found = await figures()
  console.log(tried.map(columns).join('\n'))
  console.log(JSON.stringify(found))
  console.log(`busy without a turn for others, at most: server ${busyMs.server} ms, host daemon ${busyMs.host} ms`)
  console.log(`neighbor before: ${p95Of(before)}; during: ${p95Of(during)}`)
  expect(tried.filter(({ isOk }) => !isOk)).toEqual([])
  expect(tried).toHaveLength(behaviors.length)
  expect(Math.max(busyMs.server, busyMs.host)).toBeLessThan(maxBusyMs)
})
