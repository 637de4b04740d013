import { createHmac } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { hostPaths } from '@threadbox/protocol/host'
import type { Agent, CreatedWebhook, Entry, Run, ToolCallEntry } from '@threadbox/sdk'
import { type ModelServer, startModelServer } from '@threadbox/testkit'
import { repeats, seeded } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdvancedClock, makeAdvancedClock } from '../stack/advanced-clock.ts'
import { startInstallation, type TestInstallation, testThread } from '../stack/installation.ts'

/**
 * Runs of an agent in real sandboxes: by a program, by signed requests and by a schedule, while the server is killed.
 */
const programRuns = repeats({ what: 'runs by a program while the server is killed', byDefault: 3, full: 6 })
const requestRuns = repeats({ what: 'runs by signed requests while the server is killed', byDefault: 2, full: 4 })
const kills = repeats({ what: 'kills of the server while runs start, work and end', byDefault: 4, full: 12 })
const keptKills = repeats({ what: 'kills of the server while older runs are removed', byDefault: 2, full: 8 })
const minuteMs = 60_000

let installation: TestInstallation
let model: ModelServer
let agent: Agent
let webhook: CreatedWebhook
let clock: AdvancedClock
beforeAll(async () => {
  clock = await makeAdvancedClock()
  model = await startModelServer()
  model.when((request) => {
    if (request.tools.length === 0) return undefined
    const isDone = request.messages.some(({ results }) => results.length > 0)
    const input = { command: 'echo once >> ~/count; sleep 1; cat ~/count' }
    return isDone ? { text: 'Counted.' } : { calls: [{ name: 'run_command', input }] }
  })
  installation = await startInstallation({ serverEnvironment: { THREADBOX_UNDO_SECONDS: '1', ...clock.environment } })
  const { client } = installation
  const { anthropic } = model.baseUrls
  await client.models.connect({ provider: 'anthropic', model: 'test-model', baseUrl: anthropic, apiKey: 'key' })
  agent = await client.agents.create({ name: 'Counter', instructions: 'Count.' })
  webhook = await client.runs.createWebhook(agent.id, { name: 'Event', input: 'Count what came.' })
})
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  await model?.close()
  await clock?.[Symbol.asyncDispose]()
})

/** Retries until the server responds, as a program that needs its request accepted does. */
async function insist<Answer>(attempt: () => Promise<Answer>): Promise<Answer> {
  for (const deadline = Date.now() + 4 * minuteMs; ; ) {
    try {
      return await attempt()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await delay(50)
    }
  }
}

/** Sends a signed request, and sends it again if there was no response. Returns the run that it started. */
function deliver(id: string): Promise<string> {
  return insist(async () => {
    const timestamp = String(Math.floor(clock.now() / 1000))
    const body = JSON.stringify({ event: id })
    const key = Buffer.from(webhook.secret.slice('whsec_'.length), 'base64')
    const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
    const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` }
    const url = `${installation.server.loopbackOrigin}/hooks/${webhook.id}`
    const answer = await fetch(url, { method: 'POST', headers, body })
    const told = (await answer.json()) as { runId?: string; error?: { code: string; details: { runId?: string } } }
    const runId = told.runId ?? told.error?.details.runId
    if (runId === undefined) throw new Error(`the webhook answered ${answer.status}: ${JSON.stringify(told)}`)
    return runId
  })
}

async function allRuns(agentId = agent.id): Promise<Run[]> {
  return await insist(async () => (await installation.client.runs.list(agentId, { limit: 100 })).runs)
}

async function untilEnded(agentId = agent.id): Promise<Run[]> {
  for (const deadline = Date.now() + 4 * minuteMs; ; await delay(100)) {
    const runs = await allRuns(agentId)
    if (runs.every(({ endedAt }) => endedAt !== null)) return runs
    if (Date.now() > deadline) throw new Error(`runs did not end: ${JSON.stringify(runs)}`)
  }
}

/**
 * Kills the server this many times; half of the kills come after a due time, the first of them immediately after it.
 */
async function killRepeatedly(dueAt: number): Promise<void> {
  const random = seeded('kills among runs')
  const dueBefore = Math.floor(kills / 2)
  for (let kill = 0; kill < kills; kill += 1) {
    if (kill === dueBefore) await untilDue(dueAt)
    else await delay(random.between(50, 1500))
    await installation.server.kill('SIGKILL')
    await installation.server.restart()
  }
}

/** Waits for a due time. */
async function untilDue(dueAt: number): Promise<void> {
  await clock.advance(Math.max(0, dueAt - clock.now()) + 1, [installation.server])
}

async function conversation(run: Run): Promise<{ messages: Entry[]; calls: ToolCallEntry[] }> {
  const entries = await testThread(installation.client, run.threadId ?? '').entries()
  return {
    messages: entries.filter((entry) => entry.kind === 'user-message'),
    calls: entries.filter((entry): entry is ToolCallEntry => entry.kind === 'tool-call'),
  }
}

test('C11: a program, a signed request and a schedule each run the agent in its own sandbox', async () => {
  const { client } = installation
  const byProgram = await client.runs.start(agent.id, { input: 'Count.' })
  const byRequest = await deliver('first-event')
  const schedule = await client.runs.createSchedule(agent.id, {
    name: 'Each minute',
    cron: '* * * * *',
    timeZone: 'Europe/Berlin',
    input: '/run uname -s',
  })
  await untilDue(schedule.next[0] ?? 0)
  await expect
    .poll(async () => (await allRuns()).some(({ triggerId }) => triggerId === schedule.id), { timeout: 3 * minuteMs })
    .toBe(true)
  await client.runs.deleteSchedule(schedule.id)
  const runs = await untilEnded()
  const scheduled = runs.find(({ trigger }) => trigger === 'schedule')
  expect(scheduled).toMatchObject({ status: 'succeeded', output: 'Linux\n', dueAt: schedule.next[0] })
  for (const id of [byProgram.id, byRequest]) {
    const run = runs.find((candidate) => candidate.id === id)
    expect(run).toMatchObject({ status: 'succeeded', output: 'Counted.', reason: null })
    expect((await conversation(run as Run)).calls.map(({ output }) => output.tail)).toEqual(['once\n'])
  }
})

test('C11: a server that is killed again and again loses no run and starts none twice', {
  timeout: 900_000,
}, async () => {
  const { client } = installation
  const before = new Set((await allRuns()).map(({ id }) => id))
  const schedule = await client.runs.createSchedule(agent.id, {
    name: 'Each minute',
    cron: '* * * * *',
    timeZone: 'UTC',
    input: '/run echo due',
    overlap: 'allow',
  })
  const killing = killRepeatedly(schedule.next[0] ?? 0)
  const programs = Array.from({ length: programRuns }, (_, at) =>
    insist(() => client.runs.start(agent.id, { input: 'Count.', key: `program-run-${at}` })),
  )
  const requests = Array.from({ length: requestRuns }, async (_, at) => {
    await delay(at * 700)
    return { id: await deliver(`event-${at}`) }
  })
  const wanted = (await Promise.all([...programs, ...requests])).map(({ id }) => id)
  await killing
  const isOfSchedule = ({ triggerId }: Run) => triggerId === schedule.id
  await expect
    .poll(async () => (await allRuns()).filter(isOfSchedule).length, { timeout: 4 * minuteMs })
    .toBeGreaterThanOrEqual(1)
  await insist(() => client.runs.updateSchedule(schedule.id, { isEnabled: false }))

  const runs = (await untilEnded()).filter(({ id }) => !before.has(id))
  expect(runs.filter(({ status }) => status !== 'succeeded')).toEqual([])
  const counted = runs.filter((run) => !isOfSchedule(run))
  expect(counted.map(({ id }) => id).sort()).toEqual(wanted.toSorted())
  expect(new Set(runs.map(({ threadId }) => threadId)).size).toBe(runs.length)
  for (const run of counted) {
    const { messages, calls } = await conversation(run)
    expect([run.trigger, messages.length, calls.map(({ output }) => output.tail)]).toEqual([run.trigger, 1, ['once\n']])
  }
  // Every minute from the first one has one run, and no minute has two.
  const due = runs.filter(isOfSchedule).map(({ dueAt }) => dueAt ?? 0)
  const first = schedule.next[0] ?? 0
  expect(due.toSorted((a, b) => a - b)).toEqual(due.map((_, at) => first + at * minuteMs))
  // Nothing was started besides the runs: each thread of the agent belongs to a run.
  const { threads } = await client.threads.list({ limit: 100 })
  const started = threads.filter(({ startedFrom }) => startedFrom?.agentId === agent.id)
  expect(started.map(({ id }) => id).sort()).toEqual((await allRuns()).map(({ threadId }) => threadId ?? '').sort())
})

test('C11: threads of older runs are deleted with their disks, once, while the server is killed; a thread in use stays', async () => {
  const { client, host, server } = installation
  const keeper = await client.agents.create({ name: 'Keeper', instructions: 'Count.' })
  // One after another: the newest is the one that ended last.
  for (let run = 0; run < 5; run += 1) {
    await client.runs.start(keeper.id, { input: 'Count.' })
    await untilEnded(keeper.id)
  }
  const [newest, ...older] = await untilEnded(keeper.id)
  const written = testThread(client, older.at(-1)?.threadId ?? '')
  await written.say('/run echo mine > mine.txt')
  const sandboxes = async () => {
    const { body } = await host.request('GET', hostPaths.list())
    return (body as { sandboxes: unknown[] }).sandboxes.length
  }
  const before = await sandboxes()
  expect(await client.runs.kept(keeper.id, { keep: 1 })).toMatchObject({ keep: null, removing: { count: 3 } })

  const random = seeded('kills among older runs')
  const killing = (async () => {
    for (let kill = 0; kill < keptKills; kill += 1) {
      await delay(random.between(20, 400))
      await server.kill('SIGKILL')
      await server.restart()
    }
  })()
  await insist(() => client.runs.setKept(keeper.id, { keep: 1 }))
  await killing
  const kept = async () => (await allRuns(keeper.id)).flatMap(({ threadId }) => threadId ?? [])
  await expect.poll(kept, { timeout: minuteMs }).toEqual([newest?.threadId, written.id])
  await expect.poll(sandboxes, { timeout: minuteMs }).toBe(before - 3)
  const runs = await allRuns(keeper.id)
  expect(runs.map(({ status, output }) => [status, output])).toEqual(runs.map(() => ['succeeded', 'Counted.']))
  expect((await written.say('/run cat mine.txt count')).calls[0]?.output.tail).toBe('mine\nonce\n')
})
