import type { Agent, LatestRuns, Run, RunPage, Schedule, Thread } from '@threadbox/protocol/public'
import { startMcpServer } from '@threadbox/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'
import { makeRunBench, type RunBench } from './runs.test-utils.ts'

const dayMs = 24 * 3_600_000

onBothDatabases((target) => {
  let bench: RunBench
  beforeEach(async () => {
    bench = await makeRunBench(await target())
  })
  afterEach(() => bench[Symbol.asyncDispose]())
  const setting = (values: object) => bench.request('PATCH', '/settings', { settings: values })
  const get = (id: string) => bench.request<Run>('GET', `/runs/${id}`)

  test('C11: a run is a new thread from the current version, with its output, time and cost', async () => {
    await bench.request('PATCH', `/agents/${bench.agent.id}`, { instructions: 'Be short.' })
    const queued = await bench.start({ input: 'How many trips?' })
    expect(queued).toMatchObject({
      status: 'queued',
      trigger: 'manual',
      agentVersion: 2,
      threadId: null,
      endedAt: null,
    })
    bench.server.clock.now += 5000
    const [run] = await bench.finish()
    expect(run).toMatchObject({ id: queued.id, status: 'succeeded', reason: null, output: 'Done.' })
    expect(run?.startedAt).toBe(queued.createdAt + 5000)
    expect(run?.endedAt).toBeGreaterThanOrEqual(run?.startedAt ?? 0)
    expect(run?.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 })
    expect(bench.model.requests[0]?.system).toContain('Be short.')
    const thread = await bench.request<Thread>('GET', `/threads/${run?.threadId}`)
    expect(thread).toMatchObject({ title: 'Reporter', startedFrom: { agentId: bench.agent.id, version: 2 } })
    expect(await bench.messages()).toEqual(['How many trips?'])
    expect(await get(queued.id)).toEqual(run)
  })

  test('C11: an earlier version can run again; an unknown version is rejected and nothing is recorded', async () => {
    await bench.request('PATCH', `/agents/${bench.agent.id}`, { instructions: 'Be short.' })
    await bench.start({ version: 1 })
    expect((await bench.finish())[0]).toMatchObject({ agentVersion: 1, status: 'succeeded' })
    expect(bench.model.requests[0]?.system).not.toContain('Be short.')
    const path = `/agents/${bench.agent.id}/runs`
    expect(await bench.codeOf('POST', path, { input: 'x', version: 9 })).toBe('agent.version-not-found')
    expect(await bench.runs()).toHaveLength(1)
  })

  test('C11: the same key starts one run, also when it is sent many times in parallel', async () => {
    const started = await Promise.all(Array.from({ length: 5 }, () => bench.start({ key: 'the-same-key' })))
    expect(new Set(started.map(({ id }) => id)).size).toBe(1)
    await bench.finish()
    expect((await bench.start({ key: 'the-same-key' })).id).toBe(started[0]?.id)
    await bench.finish()
    expect(await bench.messages()).toEqual(['Report.'])
  })

  test('C11: the latest run and the next due time are listed for each of the user’s agents, for no other agents', async () => {
    const latest = () => bench.request<LatestRuns>('GET', '/runs/latest')
    const other = await bench.request<Agent>('POST', '/agents', { name: 'Another' })
    const nothing = { last: null, nextDueAt: null }
    const ids = [other.id, bench.agent.id]
    expect((await latest()).agents).toEqual(ids.map((agentId) => ({ agentId, ...nothing })))
    await bench.start({ input: 'First.' })
    await bench.finish()
    bench.server.clock.now += 1000
    const { id, createdAt } = await bench.start({ input: 'Second.' })
    const plan = { name: 'Daily', cron: '0 6 * * *', timeZone: 'UTC', input: 'Report.', version: null }
    const policies = { overlap: 'skip', missed: 'skip' }
    const path = `/agents/${bench.agent.id}/schedules`
    const { next } = await bench.request<Schedule>('POST', path, { ...plan, ...policies, isEnabled: true })
    await bench.request('POST', path, { ...plan, ...policies, cron: '0 5 * * *', isEnabled: false })
    expect((await latest()).agents).toEqual([
      { agentId: other.id, ...nothing },
      { agentId: bench.agent.id, last: { id, status: 'queued', createdAt }, nextDueAt: next[0] },
    ])
    const stranger = await bench.server.addPerson('stranger')
    const answer = await bench.server.call('GET', '/api/v1/runs/latest', { person: stranger })
    expect(await answer.json()).toEqual({ agents: [] })
    await bench.finish()
  })

  test('C11: a run started with an API key has the trigger `api`', async () => {
    const { secret } = await bench.request<{ secret: string }>('POST', '/api-keys', { name: 'cron' })
    const headers = { authorization: `Bearer ${secret}` }
    const body = { input: 'Report.' }
    const answer = await bench.server.call('POST', `/api/v1/agents/${bench.agent.id}/runs`, { headers, body })
    expect(await answer.json()).toMatchObject({ trigger: 'api' })
  })

  test('C11: a user’s runs are limited: further runs wait in order, and the queue rejects too many', async () => {
    await setting({ runsAtOnce: 2, runsQueued: 3 })
    const hold = Promise.withResolvers<undefined>()
    bench.model.when(async () => await hold.promise)
    await bench.start({ input: 'first' })
    await bench.start({ input: 'second' })
    await bench.server.areas.workflows.runs.runDue()
    for (const input of ['third', 'fourth', 'fifth']) {
      bench.server.clock.now += 1
      await bench.start({ input })
    }
    expect(await bench.start()).toMatchObject({
      error: { code: 'run.queue-full', message: expect.stringContaining('3') },
    })
    await bench.server.areas.workflows.runs.runDue()
    const states = async () => Object.fromEntries((await bench.runs()).map(({ input, status }) => [input, status]))
    expect(await states()).toMatchObject({ first: 'running', second: 'running', third: 'queued', fifth: 'queued' })
    hold.resolve(undefined)
    expect((await bench.finish()).map(({ status }) => status)).toEqual(Array(5).fill('succeeded'))
    expect((await bench.messages()).slice(2).sort()).toEqual(['fifth', 'fourth', 'third'])
  })

  test('C11: a call that needs approval is denied, and the run fails and names the call', async () => {
    await using server = await startMcpServer()
    let calls = 0
    const answer = () => {
      calls += 1
      return { content: [{ type: 'text' as const, text: 'sent' }] }
    }
    server.tools = [{ name: 'send', description: 'Sends.', inputSchema: { type: 'object' }, answer }]
    const auth = { kind: 'bearer', token: 'tok-123456' }
    await bench.request('POST', '/connections', { name: 'Mail', url: server.url, auth })
    let asked = 0
    bench.model.when((request) => {
      if (request.tools.length === 0) return undefined
      asked += 1
      return asked === 1 ? { calls: [{ name: 'mail__send', input: {} }] } : { text: 'I could not send it.' }
    })
    await bench.start()
    const [run] = await bench.finish()
    expect(run).toMatchObject({ status: 'failed', output: 'I could not send it.' })
    expect(run?.reason).toMatchObject({ code: 'run.approval-needed', details: { tool: 'send', connection: 'Mail' } })
    expect(run?.reason?.message).toContain('needed approval for send on Mail')
    expect(calls).toBe(0)
  })

  test('C11: a model failure is reported as in a thread; without a model the run says so', async () => {
    bench.model.when(() => ({ failure: 'wrong-key' }))
    await bench.start()
    expect((await bench.finish())[0]).toMatchObject({ status: 'failed', reason: { code: 'turn.wrong-key' } })
    for (const { id } of (await bench.request<{ models: { id: string }[] }>('GET', '/models')).models) {
      await bench.server.areas.turns.models.disconnect(id)
    }
    bench.server.clock.now += 1
    await bench.start()
    expect((await bench.finish())[0]).toMatchObject({ status: 'failed', reason: { code: 'model.none-connected' } })
  })

  describe('cancel', () => {
    const cancel = (id: string) => bench.request<Run>('POST', `/runs/${id}/cancel`)

    test('C11: a queued run never begins', async () => {
      const { id } = await bench.start()
      expect(await cancel(id)).toMatchObject({ status: 'cancelled', reason: { code: 'run.stopped' }, threadId: null })
      await bench.finish()
      expect(await bench.messages()).toEqual([])
    })

    test('C11: a running run is stopped; an ended run does not change', async () => {
      const never = new Promise<undefined>(() => undefined)
      bench.model.when(async () => await never)
      const { id } = await bench.start()
      await bench.server.areas.workflows.runs.runDue()
      await bench.model.received(1)
      expect(await cancel(id)).toMatchObject({ status: 'cancelled', reason: { code: 'run.stopped' } })
      expect(await cancel(id)).toEqual(await get(id))
    })

    test('C11: a run whose thread is deleted fails', async () => {
      const never = new Promise<undefined>(() => undefined)
      bench.model.when(async () => await never)
      const { id } = await bench.start()
      await bench.server.areas.workflows.runs.runDue()
      await bench.request('DELETE', `/threads/${(await get(id)).threadId}`)
      await bench.server.areas.workflows.runs.runDue()
      expect(await get(id)).toMatchObject({ status: 'failed', reason: { code: 'run.thread-gone' }, threadId: null })
    })
  })

  test('C11: runs are listed in pages and kept as long as the settings say', async () => {
    await setting({ runHistoryCount: 10, runHistoryDays: 2 })
    for (let at = 0; at < 14; at += 1) {
      bench.server.clock.now += 1
      const { id } = await bench.start({ input: `run ${at}` })
      await bench.request('POST', `/runs/${id}/cancel`)
    }
    const path = `/agents/${bench.agent.id}/runs`
    const first = await bench.request<RunPage>('GET', `${path}?limit=5`)
    expect(first.kept).toEqual({ days: 2, runs: 10 })
    expect(first.runs.map(({ input }) => input)).toEqual([13, 12, 11, 10, 9].map((at) => `run ${at}`))
    const second = await bench.request<RunPage>('GET', `${path}?limit=5&cursor=${first.next}`)
    expect(second.runs[0]?.input).toBe('run 8')
    expect(await bench.codeOf('GET', `${path}?cursor=nonsense`)).toBe('request.cursor-invalid')
    await bench.server.areas.workflows.runs.runDue()
    expect(await bench.runs()).toHaveLength(10)
    bench.server.clock.now += 2 * dayMs + 1
    const waiting = await bench.start()
    bench.server.clock.now += 2 * dayMs
    await bench.finish()
    expect((await bench.runs()).map(({ id }) => id)).toEqual([waiting.id])
  })

  test('C11: runs, schedules and webhooks are available to users of the agent and are deleted with it', async () => {
    const other = await bench.server.addPerson('other')
    const run = await bench.start()
    const schedule = await bench.schedule({})
    for (const [method, path, code] of [
      ['GET', `/runs/${run.id}`, 'run.not-found'],
      ['POST', `/runs/${run.id}/cancel`, 'run.not-found'],
      ['GET', `/agents/${bench.agent.id}/runs`, 'agent.not-found'],
      ['GET', `/agents/${bench.agent.id}/schedules`, 'agent.not-found'],
      ['DELETE', `/schedules/${schedule.id}`, 'run.trigger-not-found'],
    ] as const) {
      expect([path, await bench.codeOf(method, path, undefined, other)]).toEqual([path, code])
    }
    await bench.request('DELETE', `/agents/${bench.agent.id}`)
    expect(await bench.codeOf('GET', `/runs/${run.id}`)).toBe('run.not-found')
    bench.server.clock.now += 2 * dayMs
    await bench.server.areas.workflows.runs.runDue()
    expect(await bench.messages()).toEqual([])
  })

  describe('a server that was killed', () => {
    const rows = () => tablesIn(bench.server.open).updateTable('runs')
    const thread = async () => (await tablesIn(bench.server.open).selectFrom('threads').selectAll().execute()).length

    test.each(['before the thread', 'after the thread', 'after the message'])(
      'C11: %s existed starts the run once',
      async (place) => {
        const { id } = await bench.start()
        const threadId = 't00000000000000000001'
        const { agents } = bench.server.areas.workflows
        const { turns } = bench.server.areas.turns
        const order = { agentId: bench.agent.id, version: 1, ownerId: bench.owner.userId, title: 'Reporter', threadId }
        if (place !== 'before the thread') await agents.startThread(order)
        if (place === 'after the message') {
          await turns.send(threadId, { text: 'Report.', attachmentIds: [], key: `run-${id}`, approvals: 'deny' })
        }
        await rows().set({ status: 'running', thread_id: threadId, started_at: 1 }).where('id', '=', id).execute()
        expect(await bench.finish()).toMatchObject([{ id, status: 'succeeded', threadId }])
        expect(await bench.messages()).toEqual(['Report.'])
        expect(await thread()).toBe(1)
      },
    )

    test('C11: finds a thread that was deleted before its message was sent, and sends none', async () => {
      const { id } = await bench.start()
      const { agents } = bench.server.areas.workflows
      const order = { agentId: bench.agent.id, version: 1, ownerId: bench.owner.userId, title: 'Reporter' }
      const { threadId } = await agents.startThread(order)
      await rows().set({ status: 'running', thread_id: threadId, started_at: 1 }).where('id', '=', id).execute()
      bench.server.clock.now += 1
      await bench.request('DELETE', `/threads/${threadId}`)
      expect(await bench.finish()).toMatchObject([{ id, status: 'failed', reason: { code: 'run.thread-gone' } }])
      expect(await bench.messages()).toEqual([])
    })

    test('C11: while the thread was being created starts the run in another thread', async () => {
      const { id } = await bench.start()
      const hidden = await bench.server.areas.threads.threadDrafts.create({
        user_id: bench.owner.userId,
        title: 'Reporter',
        title_source: 'person',
        model_id: null,
        workspace_id: null,
      })
      await rows().set({ status: 'running', thread_id: hidden, started_at: 1 }).where('id', '=', id).execute()
      const [run] = await bench.finish()
      expect(run).toMatchObject({ id, status: 'succeeded' })
      expect(run?.threadId).not.toBe(hidden)
      expect(await bench.messages()).toEqual(['Report.'])
    })
  })
})
