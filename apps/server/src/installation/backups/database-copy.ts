import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { defineError } from '@threadbox/errors'
import { copySqlite } from '@threadbox/sqlite'

export const databaseToolFailed = defineError<{ tool: string; reason: string }>({
  code: 'backup.database-tool-failed',
  kind: 'unavailable',
  message: ({ tool, reason }) => `${tool} failed: ${reason}`,
  remedy: () => 'Install the Postgres client of the version of your server, or a later one, and run the command again.',
})

export type DatabaseTarget = { file: string } | { url: string }

/** The name of the copy in a backup. */
export const databasePaths = { sqlite: 'database/server.db', postgres: 'database/server.dump' } as const

/** Copies the database as it is at one moment, while others use it. */
export async function copyDatabase(from: DatabaseTarget, to: string): Promise<void> {
  if ('file' in from) return await copySqlite(from.file, to)
  await runTool('pg_dump', ['--format=custom', '--no-owner', '--no-privileges', `--file=${to}`], from.url)
}

/** Fills an empty Postgres database with a copy. A copy of the embedded database is the database. */
export async function fillDatabase(dump: string, url: string): Promise<void> {
  const options = ['--no-owner', '--no-privileges', '--exit-on-error', '--single-transaction']
  await runTool('pg_restore', [...options, `--dbname=${new URL(url).pathname.slice(1)}`, dump], url)
}

async function runTool(tool: 'pg_dump' | 'pg_restore', options: readonly string[], url: string): Promise<void> {
  // Debian and Ubuntu keep each version in its own folder; a newer one reads what an older server has.
  const [newest = tool] = globSync(`/usr/lib/postgresql/*/bin/${tool}`).toSorted().toReversed()
  const child = spawn(newest, options, { stdio: ['ignore', 'ignore', 'pipe'], env: connectionOf(url) })
  const failed = once(child, 'error').then(([error]) => error as Error)
  const closed = once(child, 'close').then(([code]) => code as number | null)
  const said = text(child.stderr)
  const ended = await Promise.race([failed, closed])
  if (ended instanceof Error) throw databaseToolFailed({ tool, reason: ended.message })
  if (ended !== 0) throw databaseToolFailed({ tool, reason: (await said).trim().slice(-2000) })
}

/** As environment: every user of the machine can read the arguments of a program. */
function connectionOf(address: string): NodeJS.ProcessEnv {
  const url = new URL(address)
  const sslMode = url.searchParams.get('sslmode')
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    PGHOST: url.searchParams.get('host') ?? url.hostname,
    PGPORT: url.port === '' ? '5432' : url.port,
    PGUSER: decodeURIComponent(url.username),
    PGPASSWORD: decodeURIComponent(url.password),
    PGDATABASE: decodeURIComponent(url.pathname.slice(1)),
    ...(sslMode === null ? {} : { PGSSLMODE: sslMode }),
  }
}
