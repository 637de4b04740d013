import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { migrate } from '../../../apps/server/src/migrations.registry.ts'
import {
  type OpenDatabase,
  openDatabase,
  tablesOf,
  withoutDiskWait,
} from '../../../apps/server/src/platform/database/database.ts'
import { canRunPostgres, openPostgres, startPostgres } from '../../../apps/server/src/postgres.test-utils.ts'
import { makeUsageStore } from '../../../apps/server/src/turns/spending/usage.store.ts'
import type { UsageRow, UsageTables } from '../../../apps/server/src/turns/spending/usage.table.ts'
import { emptyFigure, type Figure, timed } from '../figure.ts'
import type { Stage } from '../stage.ts'

const clients = 20
/** Requests of each client in one sample of the rate. */
const perClient = 20
/** What the person’s month has before: a reservation adds up all of it. */
const earlierRows = 1000
const month = { from: 0, to: 30 * 24 * 3600_000 }

/** The most that a request can cost is reserved before it is sent, in one transaction with the limits that count. */
export async function quotaReservation(stage: Pick<Stage, 'rounds'>): Promise<Figure[]> {
  const figures: Figure[] = []
  {
    await using cleanup = new AsyncDisposableStack()
    const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-bench-'))
    cleanup.defer(() => rm(directory, { recursive: true, force: true }))
    const open = openDatabase({ file: path.join(directory, 'server.db') })
    cleanup.defer(() => open.close())
    figures.push(...(await reservationsIn(open, { name: 'SQLite', maxMs: 2, rounds: stage.rounds })))
  }
  if (!canRunPostgres) return figures
  await using cleanup = new AsyncDisposableStack()
  const server = cleanup.use(await startPostgres())
  const databases = cleanup.use(await openPostgres(server.port))
  const open = openDatabase({ url: await databases.make('empty') })
  cleanup.defer(() => open.close())
  return [...figures, ...(await reservationsIn(open, { name: 'Postgres', maxMs: 5, rounds: stage.rounds }))]
}

async function reservationsIn(
  open: OpenDatabase,
  { name, maxMs, rounds }: { name: string; maxMs: number; rounds: number },
): Promise<Figure[]> {
  await migrate(open)
  const tables = tablesOf<UsageTables>(open.database)
  const store = makeUsageStore(tables)
  for (let count = 0; count < earlierRows; count++) await store.settle(rowOf(`earlier-${count}`))
  let made = 0
  const reserve = async () => {
    made += 1
    const id = `row-${made}`
    const limits = [
      { ...month, userId: 'u1', microUsd: 1_000_000_000 },
      { ...month, userId: null, microUsd: 1_000_000_000 },
    ]
    const result = await store.reserve({ price: null, limits, rowFor: () => rowOf(id) })
    if (!('row' in result)) throw new Error('a reservation within the limit was refused')
    return id
  }
  const nothing = () => withoutDiskWait(tables, async () => undefined)
  const id = name.toLowerCase()
  const time = emptyFigure({
    id: `quota-reservation-${id}`,
    title: `Reserving what a request can cost, with ${earlierRows} earlier ones in the month (${name})`,
    floorTitle: 'an empty transaction of the same database',
    target: { maxP50: maxMs },
  })
  const rate: Figure = {
    ...emptyFigure({
      id: `quota-rate-${id}`,
      title: `Reservations of ${clients} clients at the same time (${name})`,
      floorTitle: 'empty transactions of as many clients',
      target: { minP50: 200 },
    }),
    unit: '/s',
  }
  for (let round = 0; round < rounds; round++) {
    time.floorSamples.push(await timed(nothing))
    const ids: string[] = []
    time.samples.push(await timed(async () => void ids.push(await reserve())))
    rate.floorSamples.push(await rateOf(nothing))
    rate.samples.push(await rateOf(async () => void ids.push(await reserve())))
    // As requests end: what is reserved doesn’t grow from round to round.
    for (const each of ids) await store.cancel(each)
  }
  return [time, rate]
}

/** How often in a second, by clients that each wait for their own. */
async function rateOf(work: () => Promise<unknown>): Promise<number> {
  const took = await timed(() =>
    Promise.all(
      Array.from({ length: clients }, async () => {
        for (let count = 0; count < perClient; count++) await work()
      }),
    ),
  )
  return (clients * perClient * 1000) / took
}

function rowOf(id: string): UsageRow {
  return {
    id,
    at: month.from + 1,
    user_id: 'u1',
    workspace_id: null,
    thread_id: null,
    turn_id: null,
    kind: 'step',
    model_id: 'm1',
    model_name: 'Model',
    provider: 'ollama',
    model: 'any',
    input_tokens: 1000,
    output_tokens: 1000,
    cached_input_tokens: 0,
    cache_write_tokens: 0,
    cost_micro_usd: 1,
    price_version: null,
    is_estimated: 1,
  }
}
