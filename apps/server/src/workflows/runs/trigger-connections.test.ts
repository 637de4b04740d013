import type { CreatedWebhook, Schedule, Thread } from '@threadbox/protocol/public'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'
import { addTriggerConnections } from './runs.table.ts'
import { makeRunBench, type RunBench } from './runs.test-utils.ts'

onBothDatabases((target) => {
  let bench: RunBench
  beforeEach(async () => {
    bench = await makeRunBench(await target())
  })
  afterEach(() => bench[Symbol.asyncDispose]())

  const add = async (name: string, person = bench.owner) => {
    await bench.server.confirm(person)
    const body = { name, url: `http://127.0.0.1:9/${name}`, auth: { kind: 'none' } }
    return (await bench.request<{ id: string }>('POST', '/connections', body, person)).id
  }
  /** What the thread may use; null: all connections. */
  const connectionsOf = async (threadId: string | null) => {
    const rows = tablesIn(bench.server.open).selectFrom('thread_setups').select('connection_ids_json')
    const { connection_ids_json: json } = await rows.where('thread_id', '=', threadId).executeTakeFirstOrThrow()
    return json === null ? null : (JSON.parse(json) as string[])
  }
  const nextRun = async () => {
    bench.server.clock.now += 61_000
    return (await bench.finish())[0]?.threadId ?? null
  }

  test('C11: a run by a schedule uses the connections that existed when the schedule was saved, not later ones', async () => {
    const first = await add('one')
    const schedule = await bench.schedule({ cron: '* * * * *', timeZone: 'UTC' })
    const second = await add('two')
    expect(await connectionsOf(await nextRun())).toEqual([first])
    // Saving it again, by a person, takes what exists now.
    await bench.request('PATCH', `/schedules/${schedule.id}`, { name: 'More often' })
    expect((await connectionsOf(await nextRun()))?.toSorted()).toEqual([first, second].toSorted())
    // A person who starts the agent has all of them, as in any thread.
    const { id } = await bench.request<Thread>('POST', `/agents/${bench.agent.id}/threads`, {})
    expect(await connectionsOf(id)).toBeNull()
    // An agent that names its own has these.
    await bench.request('PATCH', `/agents/${bench.agent.id}`, { connectionIds: [second] })
    expect(await connectionsOf(await nextRun())).toEqual([second])
  })

  test('schedules, webhooks and queued runs from before get the connections of their user, and no others', async () => {
    const { server, agent, request } = bench
    const schedule = await bench.schedule({})
    const webhook = await request<CreatedWebhook>('POST', `/agents/${agent.id}/webhooks`, { name: 'Hook', input: 'x' })
    const other = await server.addPerson('other')
    const own = [await add('one'), await add('two')].toSorted()
    await add('theirs', other)
    const run = await bench.start()
    const { database } = server.open
    for (const table of ['runs', 'run_schedules', 'run_webhooks']) {
      await sql`alter table ${sql.table(table)} drop column connection_ids_json`.execute(database)
    }
    await tablesIn(server.open)
      .updateTable('runs')
      .set({ trigger: 'schedule', trigger_id: schedule.id })
      .where('id', '=', run.id)
      .execute()
    await addTriggerConnections(database as never)
    const read = async (table: 'runs' | 'run_schedules' | 'run_webhooks', id: string) =>
      (await tablesIn(server.open).selectFrom(table).selectAll().where('id', '=', id).executeTakeFirstOrThrow())
        .connection_ids_json
    expect(JSON.parse((await read('run_schedules', schedule.id)) ?? '')).toEqual(own)
    expect(JSON.parse((await read('run_webhooks', webhook.id)) ?? '')).toEqual(own)
    expect(JSON.parse((await read('runs', run.id)) ?? '')).toEqual(own)
    expect(await request<Schedule>('PATCH', `/schedules/${schedule.id}`, { name: 'Later' })).toMatchObject({
      name: 'Later',
    })
  })
})
