import { readFile } from 'node:fs/promises'
import { hostSettings, memoryEnvironment, memoryOptions, type Setting } from '@threadbox/config'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CostStage, openCostStage } from '../performance/cost/cost-stage.ts'
import { heldBySandbox } from '../performance/cost/held-memory.ts'
import { between, type Use } from '../performance/cost/use.ts'
import { sandboxIdsOf, type TestThread } from '../stack/installation.ts'

/** As `./threadbox bench cost` starts it. */
let installation: CostStage
beforeAll(async () => {
  installation = await openCostStage()
})
afterAll(() => installation?.[Symbol.asyncDispose]())

const heldMebibytes = 200
/** btrfs also commits on its own. */
const btrfsCommitMs = 30_000

/** Where this installation is, and how large: `up` chooses these too. */
const placesOfServer = [
  'THREADBOX_DATA',
  'THREADBOX_EGRESS_SOCKET',
  'THREADBOX_GATEWAY_SOCKET',
  'THREADBOX_HOST_SOCKET',
  'THREADBOX_INSTALLATION',
  'THREADBOX_PORT',
  'THREADBOX_SERVER_DATA',
]
const placesOfHost = [
  'THREADBOX_DATA',
  'THREADBOX_DISK_DIRECTORY',
  'THREADBOX_EGRESS_SOCKET',
  'THREADBOX_GATEWAY_SOCKET',
  'THREADBOX_GUEST',
  'THREADBOX_HOST_SOCKET',
  'THREADBOX_IMAGE',
  'THREADBOX_IMAGE_RESERVE_BYTES',
  'THREADBOX_INSTALLATION',
  'THREADBOX_KEEP_FREE_BYTES',
  'THREADBOX_MEMORY_IMAGE_RESERVE_BYTES',
  'THREADBOX_POOL_SIZE',
  'THREADBOX_RUNSC',
]

test('the measured server has the settings of a new installation', async () => {
  const { settings } = await installation.client.installation.settings()
  const changed = settings.filter((each) => each.value !== each.default).map(({ name }) => name)
  expect(changed.filter((name) => !placesOfServer.includes(name))).toEqual([])
  expect(settings.find(({ name }) => name === 'memorySnapshotsPerThread')?.value).toBeGreaterThan(0)
})

test('the measured host daemon has them too', async () => {
  const environment = await environmentOf(installation.host.pid())
  const definitions: Setting<unknown>[] = Object.values(hostSettings)
  const changed = definitions.filter((each) => {
    const value = environment.get(each.environment)
    return value !== undefined && value !== String(each.default)
  })
  const names = changed.map((each) => each.environment)
  expect(names.filter((name) => !placesOfHost.includes(name))).toEqual([])
})

test('both are started with the options of an installation', async () => {
  for (const pid of [installation.host.pid(), installation.server.pid()]) {
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
    expect(command).toEqual(expect.arrayContaining([...memoryOptions]))
    const environment = await environmentOf(pid)
    for (const [name, value] of Object.entries(memoryEnvironment)) expect(environment.get(name)).toBe(value)
  }
})

test('memory that several processes of gVisor share is counted once', async () => {
  const thread = await installation.newThread()
  const before = new Set(await sandboxIdsOf(installation))
  await thread.say('/run true')
  const sandboxId = (await sandboxIdsOf(installation)).find((id) => !before.has(id)) ?? ''
  const idle = await heldBySandbox(installation.host, sandboxId)
  // gVisor runs each of its threads in a process of its own, all with the memory of this one.
  await writeProgram(thread)
  await thread.say('/run python3 ~/hold.py > /dev/null 2>&1 &')
  const { calls } = await thread.say('/run until [ -e /dev/shm/held ]; do sleep 0.1; done')
  expect(calls).toMatchObject([{ status: 'succeeded' }])
  const grownMebibytes = ((await heldBySandbox(installation.host, sandboxId)) - idle) / 2 ** 20
  expect(grownMebibytes).toBeGreaterThan(heldMebibytes * 0.9)
  expect(grownMebibytes).toBeLessThan(heldMebibytes * 1.5)
  // Its memory would be saved during another test.
  await installation.removeThread(thread)
})

/** What the installation used, without the processor’s time, which depends on the machine. */
async function useOf(work: () => Promise<unknown>): Promise<Use> {
  const before = await installation.readUse()
  await work()
  return between({ before, after: await installation.readUse(), ms: 0, idle: undefined })
}

/** What reads the machine’s network again after any program has changed it, such as other tests. */
const readsNetwork = /^ip (-json address|-4 -json route show table all)/
const writesRules = /nft -f -$/
const changesOfNetwork = async () =>
  (await installation.host.log()).split('\n').filter((line) => line.includes('network has changed')).length

type Programs = { lines: readonly string[]; changes: number }
const programsSoFar = async (): Promise<Programs> => ({
  lines: await installation.startedPrograms(),
  changes: await changesOfNetwork(),
})

/** The command lines of programs that were started since, without those. */
async function programsSince(before: Programs): Promise<string[]> {
  const rest = [...before.lines]
  // Each such change also writes the rules once.
  let changes = (await changesOfNetwork()) - before.changes
  return (await installation.startedPrograms()).filter((program) => {
    const index = rest.indexOf(program)
    if (index >= 0) rest.splice(index, 1)
    if (index >= 0 || readsNetwork.test(program)) return false
    return !writesRules.test(program) || changes-- <= 0
  })
}

test('O3: a message that runs nothing starts no program, writes no image, and hardly anything else', async () => {
  const { thread } = await installation.newAwakeThread()
  await installation.untilSnapshotTaken(thread.id)
  await installation.settle()
  const messages = 5
  const before = await programsSoFar()
  const use = await useOf(async () => {
    for (let count = 0; count < messages; count++) await thread.say('/run true')
    await installation.untilSnapshotTaken(thread.id)
  })
  const { snapshots } = await installation.client.snapshots.list(thread.id)
  const problems = snapshots.map(({ memoryProblem }) => memoryProblem)
  expect(problems.filter((problem) => problem !== 'nothing-ran' && problem !== 'not-quiet')).toEqual([])
  // Processes that make calls of btrfs end after a minute without one, and start again with the next.
  const programs = await programsSince(before)
  expect(programs.length, programs.join('\n')).toBeLessThan(messages)
  expect(use.pool).toBeLessThan(messages * 2048)
  expect(use['pool-commits']).toBeLessThanOrEqual(messages)
})

test('O3: a new thread starts at most three programs and causes at most three commits, with its next spare', async () => {
  await installation.settle()
  // Of the prepared allocations, half are made again: the shared part of the work is in the count.
  const threads = 4
  const before = await programsSoFar()
  const startedAt = performance.now()
  const use = await useOf(async () => {
    for (let count = 0; count < threads; count++) {
      await (await installation.newThread()).say('/run true')
      await installation.untilSparesWait()
    }
    await installation.settle()
  })
  const periodicCommits = Math.ceil((performance.now() - startedAt) / btrfsCommitMs)
  const programs = await programsSince(before)
  expect(programs.length, programs.join('\n')).toBeLessThanOrEqual(3 * threads)
  expect(use['pool-commits']).toBeLessThanOrEqual(3 * threads + periodicCommits)
})

async function writeProgram(thread: TestThread): Promise<void> {
  const lines = [
    'import os, threading, time',
    `held = bytearray(os.urandom(1 << 20)) * ${heldMebibytes}`,
    'def wait():',
    '  while True: time.sleep(1)',
    'for _ in range(3): threading.Thread(target=wait).start()',
    'open("/dev/shm/held", "w").close()',
  ]
  await thread.say(`/run echo ${Buffer.from(lines.join('\n')).toString('base64')} | base64 -d > ~/hold.py`)
}

async function environmentOf(pid: number): Promise<Map<string, string>> {
  const entries = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0')
  return new Map(entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]))
}
