import { type Kysely, sql } from 'kysely'
import type { JsonValue } from './shapes.ts'

/** Every table with its columns and indexes, as the migrations leave them in the embedded database. */
export async function databaseTables<Tables>(database: Kysely<Tables>): Promise<JsonValue> {
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name`.execute(database)
  const tables: Record<string, JsonValue> = {}
  for (const { name } of rows)
    tables[name] = { columns: await columnsOf(database, name), indexes: await indexesOf(database, name) }
  return tables
}

/** In the order in which a database runs them. */
export async function migrationNames<Tables>(database: Kysely<Tables>): Promise<JsonValue> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(database)
  return rows.map(({ name }) => name)
}

async function columnsOf<Tables>(database: Kysely<Tables>, table: string): Promise<JsonValue> {
  type Column = { name: string; type: string; notnull: number; dflt_value: string | null; pk: number }
  const { rows } = await sql<Column>`
    select name, type, "notnull", dflt_value, pk from pragma_table_info(${table}) order by name`.execute(database)
  return Object.fromEntries(
    rows.map((column) => {
      const facts = [
        column.type,
        column.notnull === 1 ? 'not null' : '',
        column.dflt_value === null ? '' : `default ${column.dflt_value}`,
        column.pk === 0 ? '' : `primary key ${column.pk}`,
      ]
      return [column.name, facts.filter((fact) => fact !== '').join(' ')]
    }),
  )
}

async function indexesOf<Tables>(database: Kysely<Tables>, table: string): Promise<JsonValue> {
  const { rows } = await sql<{ name: string; sql: string }>`
    select name, sql from sqlite_master
    where type = 'index' and tbl_name = ${table} and sql is not null order by name`.execute(database)
  return Object.fromEntries(rows.map((index) => [index.name, index.sql]))
}
