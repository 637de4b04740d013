import { shownSetting } from '@threadbox/config'
import type { ServerFacts } from '@threadbox/protocol/support'
import { migrationNames } from '../migrations.registry.ts'
import { editableSettings, isSettingName } from '../people/settings/editable-settings.ts'
import { type OpenDatabase, tablesOf } from '../platform/database/database.ts'
import { migrationsOf } from '../platform/database/set-aside.ts'

type DatabaseFacts = NonNullable<ServerFacts['database']>

/** The columns that are counted. None has what a person wrote. */
type Counted = Record<'sandboxes', { state: string }> &
  Record<'turn_runs' | 'runs', { status: string }> &
  Record<'users' | 'threads' | 'workspaces' | 'model_connections', { id: string }> & {
    operations: { kind: string; phase: string; attempts: number; created_at: number }
    settings: { name: string; json: string }
  }

/** Counts by state, and the versions of the schema. Reads only. */
export async function readDatabaseFacts(open: OpenDatabase, now: number): Promise<DatabaseFacts> {
  const database = tablesOf<Counted>(open.database)
  const total = async (table: 'users' | 'threads' | 'workspaces' | 'model_connections') => {
    const row = await database
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(row.count)
  }
  const byStatus = async (table: 'turn_runs' | 'runs') =>
    countsOf(
      await database
        .selectFrom(table)
        .select(({ fn }) => ['status as word', fn.countAll<number>().as('count')])
        .groupBy('status')
        .execute(),
    )
  const sandboxes = await database
    .selectFrom('sandboxes')
    .select(({ fn }) => ['state as word', fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute()
  return {
    kind: open.kind,
    schema: await readSchema(open),
    totals: {
      people: await total('users'),
      threads: await total('threads'),
      workspaces: await total('workspaces'),
      models: await total('model_connections'),
    },
    sandboxes: countsOf(sandboxes),
    turns: await byStatus('turn_runs'),
    runs: await byStatus('runs'),
    operations: await readOperations(open, now),
    settings: await readSettings(open),
  }
}

function countsOf(rows: readonly { word: string; count: number | string }[]): Record<string, number> {
  return Object.fromEntries(rows.map(({ word, count }) => [word, Number(count)]))
}

async function readSchema(open: OpenDatabase): Promise<DatabaseFacts['schema']> {
  const applied = await migrationsOf(open.database)
  const known = applied.filter((name) => migrationNames.includes(name))
  return {
    applied: applied.length,
    newest: known.at(-1) ?? null,
    missing: migrationNames.length - known.length,
    unknown: applied.length - known.length,
  }
}

async function readOperations(open: OpenDatabase, now: number): Promise<DatabaseFacts['operations']> {
  const rows = await tablesOf<Counted>(open.database)
    .selectFrom('operations')
    .select(({ fn }) => [
      'kind',
      'phase',
      fn.countAll<number>().as('count'),
      fn.min('created_at').as('oldest'),
      fn.max('attempts').as('attempts'),
    ])
    .groupBy(['kind', 'phase'])
    .execute()
  return rows.map(({ kind, phase, count, oldest, attempts }) => ({
    kind,
    phase,
    count: Number(count),
    oldestSeconds: Math.max(0, Math.round((now - Number(oldest)) / 1000)),
    mostAttempts: Number(attempts),
  }))
}

/** Of the settings that this release knows. */
async function readSettings(open: OpenDatabase): Promise<DatabaseFacts['settings']> {
  const rows = await tablesOf<Counted>(open.database).selectFrom('settings').select(['name', 'json']).execute()
  return Object.fromEntries(
    rows.flatMap(({ name, json }) =>
      isSettingName(name) ? [[name, shownSetting(editableSettings[name], JSON.parse(json))]] : [],
    ),
  )
}
