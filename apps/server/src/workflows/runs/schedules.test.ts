import type { Agent, NextTimes, Run, Schedule, Schedules } from '@threadbox/protocol/public'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'
import { makeRunBench, type RunBench } from './runs.test-utils.ts'

const at = (text: string) => Date.parse(text)
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

onBothDatabases((target) => {
  let bench: RunBench
  beforeEach(async () => {
    bench = await makeRunBench(await target())
    bench.server.clock.now = at('2027-01-10T12:00Z')
  })
  afterEach(() => bench[Symbol.asyncDispose]())

  /** Sets the clock and does what is due. */
  const be = async (time: string | number) => {
    bench.server.clock.now = typeof time === 'string' ? at(time) : time
    await bench.finish()
  }
  const due = (runs: readonly Run[]) =>
    runs.map(({ status, dueAt }) => `${status} ${new Date(dueAt ?? 0).toISOString().slice(0, 16)}`).toReversed()
  const times = async () => due(await bench.runs())

  test('C11: a schedule runs at its time, once, and lists its next times', async () => {
    const schedule = await bench.schedule({ input: 'What is new?' })
    expect(schedule.next.map((time) => new Date(time).toISOString())).toEqual(
      ['11', '12', '13', '14', '15'].map((date) => `2027-01-${date}T01:30:00.000Z`),
    )
    await be('2027-01-11T01:29:59Z')
    expect(await times()).toEqual([])
    await be('2027-01-11T01:30:00Z')
    await be('2027-01-11T01:30:01Z')
    await be('2027-01-11T01:31:00Z')
    const [run, ...others] = await bench.runs()
    expect(others).toEqual([])
    expect(run).toMatchObject({ status: 'succeeded', trigger: 'schedule', triggerId: schedule.id, title: 'Nightly' })
    expect(await times()).toEqual(['succeeded 2027-01-11T01:30'])
    expect(await bench.messages()).toEqual(['What is new?'])
  })

  test('C11: it runs the version that is current at that time, or the version that it names', async () => {
    await bench.schedule({})
    await bench.schedule({ name: 'Pinned', version: 1 })
    await bench.request('PATCH', `/agents/${bench.agent.id}`, { instructions: 'New.' })
    await be('2027-01-11T01:30Z')
    const versions = (await bench.runs()).map(({ title, agentVersion }) => [title, agentVersion])
    expect(Object.fromEntries(versions)).toEqual({ Nightly: 2, Pinned: 1 })
  })

  describe('daylight saving', () => {
    test('C11: in the night that is one hour shorter a time in the skipped hour runs once', async () => {
      bench.server.clock.now = at('2027-03-27T12:00Z')
      await bench.schedule({})
      for (let time = at('2027-03-28T00:00Z'); time < at('2027-03-29T12:00Z'); time += 15 * minute) await be(time)
      expect(await times()).toEqual(['succeeded 2027-03-28T01:00', 'succeeded 2027-03-29T00:30'])
    })

    test('C11: in the night that is one hour longer a time in the repeated hour runs once', async () => {
      bench.server.clock.now = at('2027-10-30T12:00Z')
      await bench.schedule({})
      for (let time = at('2027-10-31T00:00Z'); time < at('2027-11-01T12:00Z'); time += 15 * minute) await be(time)
      expect(await times()).toEqual(['succeeded 2027-10-31T00:30', 'succeeded 2027-11-01T01:30'])
    })
  })

  describe('a server that was down', () => {
    test('C11: a few minutes late is on time', async () => {
      await bench.schedule({})
      await be('2027-01-11T01:34:30Z')
      expect(await times()).toEqual(['succeeded 2027-01-11T01:30'])
    })

    test('C11: missed times are skipped and recorded, and the next time is as usual', async () => {
      await bench.schedule({ missed: 'skip' })
      await be('2027-01-14T12:00Z')
      const [run] = await bench.runs()
      expect(run).toMatchObject({ status: 'skipped', missed: 4, threadId: null, reason: { code: 'run.missed' } })
      expect(run?.reason?.message).toContain(
        '4 scheduled times, from 2027-01-11T01:30:00.000Z to 2027-01-14T01:30:00.000Z',
      )
      await be('2027-01-15T01:30Z')
      expect(await times()).toEqual(['skipped 2027-01-14T01:30', 'succeeded 2027-01-15T01:30'])
      expect(await bench.messages()).toHaveLength(1)
    })

    test('C11: with `once`, one run replaces all missed times', async () => {
      await bench.schedule({ missed: 'once' })
      await be('2027-01-14T12:00Z')
      expect(await bench.runs()).toMatchObject([{ status: 'succeeded', missed: 3, dueAt: at('2027-01-14T01:30Z') }])
    })

    test('C11: if the last missed time is still on time, it runs, and the others are recorded', async () => {
      await bench.schedule({ cron: '*/10 * * * *' })
      await be('2027-01-10T12:41Z')
      expect(await times()).toEqual(['skipped 2027-01-10T12:30', 'succeeded 2027-01-10T12:40'])
    })
  })

  describe('the clock', () => {
    test('C11: set back over times that have run, no time runs again', async () => {
      await bench.schedule({ cron: '0 * * * *', timeZone: 'UTC' })
      for (const time of ['13:00', '14:00', '15:00']) await be(`2027-01-10T${time}Z`)
      for (const time of ['13:30', '13:59', '14:00', '14:30', '15:00', '15:59']) await be(`2027-01-10T${time}Z`)
      expect(await times()).toHaveLength(3)
      await be('2027-01-10T16:00Z')
      expect(await times()).toHaveLength(4)
    })

    test('C11: set far ahead and back again, a time that has not run yet runs when it is due', async () => {
      await bench.schedule({ cron: '0 3 * * *', timeZone: 'UTC', missed: 'once' })
      await be('2027-06-01T12:00Z')
      expect(await times()).toEqual(['succeeded 2027-06-01T03:00'])
      await be('2027-01-10T12:01Z')
      await be('2027-01-11T03:00Z')
      expect(await bench.messages()).toHaveLength(2)
      await be('2027-06-01T03:00Z')
      const ran = (await times()).filter((text) => text === 'succeeded 2027-06-01T03:00')
      expect(ran).toHaveLength(1)
    })

    test('C11: set back by a moment just after a run, it does not run again', async () => {
      await bench.schedule({})
      await be('2027-01-11T01:30:00.020Z')
      await be('2027-01-11T01:29:59.990Z')
      await be('2027-01-11T01:30:00.000Z')
      await be('2027-01-11T01:30:10.000Z')
      expect(await bench.messages()).toHaveLength(1)
    })
  })

  describe('a run that has not ended when the next is due', () => {
    const run = async (overlap: string) => {
      const gate = Promise.withResolvers<undefined>()
      let first = true
      bench.model.when(async (request) => {
        if (!first || request.tools.length === 0) return undefined
        first = false
        return await gate.promise
      })
      await bench.schedule({ cron: '0 * * * *', timeZone: 'UTC', overlap })
      for (const time of ['13:00', '14:00', '15:00']) {
        bench.server.clock.now = at(`2027-01-10T${time}Z`)
        await bench.server.areas.workflows.runs.runDue()
      }
      return gate
    }

    test('C11: skip: the next one is recorded as skipped', async () => {
      const gate = await run('skip')
      gate.resolve(undefined)
      const runs = await bench.finish()
      expect(due(runs)).toEqual(['succeeded 2027-01-10T13:00', 'skipped 2027-01-10T14:00', 'skipped 2027-01-10T15:00'])
      expect(runs[0]?.reason).toMatchObject({ code: 'run.overlap' })
    })

    test('C11: queue: the next ones wait for each other', async () => {
      const gate = await run('queue')
      expect(await times()).toEqual(['running 2027-01-10T13:00', 'queued 2027-01-10T14:00', 'queued 2027-01-10T15:00'])
      gate.resolve(undefined)
      const runs = (await bench.finish()).toReversed()
      expect(runs.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded'])
    })

    test('C11: allow: they run side by side', async () => {
      const gate = await run('allow')
      const threads = (await bench.runs()).map(({ threadId }) => threadId)
      expect(new Set(threads).size).toBe(3)
      gate.resolve(undefined)
      await bench.finish()
    })
  })

  test('C11: a full queue records the run that it skips', async () => {
    await bench.request('PATCH', '/settings', { settings: { runsQueued: 1, runsAtOnce: 1 } })
    const gate = Promise.withResolvers<undefined>()
    bench.model.when(async () => await gate.promise)
    await bench.start()
    await bench.server.areas.workflows.runs.runDue()
    await bench.start()
    await bench.schedule({ cron: '0 * * * *', timeZone: 'UTC' })
    bench.server.clock.now = at('2027-01-10T13:00Z')
    await bench.server.areas.workflows.runs.runDue()
    expect((await bench.runs())[0]).toMatchObject({ status: 'skipped', reason: { code: 'run.queue-full' } })
    gate.resolve(undefined)
    await bench.finish()
  })

  test('C11: four concurrent passes at the same due time start one run', async () => {
    await bench.schedule({})
    bench.server.clock.now = at('2027-01-11T01:30Z')
    await Promise.all(Array.from({ length: 4 }, () => bench.server.areas.workflows.runs.runDue()))
    await bench.finish()
    expect(await bench.messages()).toHaveLength(1)
  })

  test('C11: a due time is not handled twice, even if the next due time was not saved', async () => {
    const { id } = await bench.schedule({})
    await be('2027-01-11T01:30Z')
    await tablesIn(bench.server.open)
      .updateTable('run_schedules')
      .set({ next_due_at: at('2027-01-11T01:30Z'), planned_at: at('2027-01-10T12:00Z') })
      .where('id', '=', id)
      .execute()
    await be('2027-01-11T01:31Z')
    expect(await times()).toEqual(['succeeded 2027-01-11T01:30'])
  })

  test('C12: nothing runs for a person whose account is disabled, and the run says why', async () => {
    const { server, owner } = bench
    const ben = await server.addPerson('ben')
    const agent = await bench.request<Agent>('POST', '/agents', { name: 'Of Ben' }, ben)
    const plan = { name: 'Nightly', cron: '30 2 * * *', timeZone: 'UTC', input: 'Report.' }
    await bench.request('POST', `/agents/${agent.id}/schedules`, plan, ben)
    await server.confirm(owner)
    await bench.request('PATCH', `/people/${ben.userId}`, { isDisabled: true }, owner)
    await be('2027-01-11T02:31Z')
    const rows = await tablesIn(server.open).selectFrom('runs').selectAll().where('agent_id', '=', agent.id).execute()
    expect(rows).toMatchObject([{ status: 'failed', thread_id: null }])
    expect(rows[0]?.reason_json).toContain('run.person-disabled')
  })

  test('C11: a disabled schedule does nothing; once enabled it starts with its next time', async () => {
    const { id } = await bench.schedule({ isEnabled: false })
    await be('2027-01-14T12:00Z')
    expect(await bench.request<Schedule>('PATCH', `/schedules/${id}`, { isEnabled: true })).toMatchObject({
      next: expect.arrayContaining([at('2027-01-15T01:30Z')]),
    })
    await be('2027-01-15T01:30Z')
    expect(await times()).toEqual(['succeeded 2027-01-15T01:30'])
  })

  test('C11: renaming a schedule keeps its due time; a changed plan starts over; a deleted schedule runs nothing', async () => {
    const { id } = await bench.schedule({})
    bench.server.clock.now = at('2027-01-11T01:30Z')
    await bench.request('PATCH', `/schedules/${id}`, { name: 'Renamed' })
    await bench.finish()
    expect((await bench.runs())[0]?.title).toBe('Renamed')
    await bench.request('PATCH', `/schedules/${id}`, { cron: '0 5 * * *' })
    await be('2027-01-11T04:00Z')
    expect(await bench.runs()).toHaveLength(2)
    await be('2027-01-12T01:30Z')
    expect(await bench.runs()).toHaveLength(2)
    expect((await bench.server.call('DELETE', `/api/v1/schedules/${id}`, { person: bench.owner })).status).toBe(204)
    await be('2027-01-13T01:30Z')
    expect(await bench.runs()).toHaveLength(2)
    expect(await bench.request<Schedules>('GET', `/agents/${bench.agent.id}/schedules`)).toEqual({ schedules: [] })
  })

  test('C11: invalid plans are rejected on creation and on change', async () => {
    const { id } = await bench.schedule({})
    for (const [change, code] of [
      [{ cron: '61 * * * *' }, 'schedule.cron-invalid'],
      [{ cron: '0 0 31 2 *' }, 'schedule.never-due'],
      [{ timeZone: 'Nowhere/City' }, 'schedule.time-zone-invalid'],
      [{ version: 7 }, 'agent.version-not-found'],
    ] as const) {
      const body = { name: 'x', cron: '0 5 * * *', timeZone: 'UTC', input: 'x', ...change }
      expect(await bench.codeOf('POST', `/agents/${bench.agent.id}/schedules`, body)).toBe(code)
      expect(await bench.codeOf('PATCH', `/schedules/${id}`, change)).toBe(code)
    }
    const query = 'cron=0+5+*+*+*&timeZone=UTC'
    expect(await bench.request<NextTimes>('GET', `/schedules/next?${query}`)).toMatchObject({
      next: [1, 2, 3, 4, 5].map((days) => at('2027-01-10T05:00Z') + days * day),
    })
  })
})
