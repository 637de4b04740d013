import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from './migrations.registry.ts'
import { openDatabase } from './platform/database/database.ts'

/** Debian and Ubuntu keep each version in its own folder. */
const [binaries = ''] = globSync('/usr/lib/postgresql/*/bin').sort().reverse()

/** Postgres refuses to run as root; without root the tests can't switch to the user `postgres`. */
export const canRunPostgres = existsSync(join(binaries, 'initdb')) && process.getuid?.() === 0

/** Starts a Postgres in a temporary directory, on loopback only. */
export async function startPostgres(): Promise<AsyncDisposable & { port: number }> {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-postgres-'))
  await chmod(directory, 0o755)
  const data = join(directory, 'data')
  const port = await freePort()
  run('install', ['-d', '-o', 'postgres', '-m', '700', data])
  asPostgres(join(binaries, 'initdb'), ['-D', data, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'])
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=500',
    // Nothing of it outlives the tests.
    ...['fsync=off', 'full_page_writes=off', 'autovacuum=off', 'wal_level=minimal', 'max_wal_senders=0'],
  ]
  const options = [`-p ${port}`, ...settings.map((setting) => `-c ${setting}`)].join(' ')
  asPostgres(join(binaries, 'pg_ctl'), ['-D', data, '-o', options, '-l', join(data, 'log'), '-w', 'start'])
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      asPostgres(join(binaries, 'pg_ctl'), ['-D', data, '-m', 'immediate', '-w', 'stop'])
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Databases in a Postgres that other test files use at the same time. */
export type TestDatabases = AsyncDisposable & {
  /** The URL of a new database: with the product's tables, created once and copied, or empty. */
  make(content?: 'migrated' | 'empty'): Promise<string>
}

export async function openPostgres(port: number): Promise<TestDatabases> {
  const urlOf = (name: string) => `postgres://postgres@127.0.0.1:${port}/${name}`
  const client = new pg.Client({ connectionString: urlOf('postgres') })
  await client.connect()
  // Copying files takes a third of the time of copying block by block. It is the only way before version 15; since then
  // the other one is the default.
  const { rows } = await client.query<{ version: string }>('select current_setting($1) version', ['server_version_num'])
  const strategy = Number(rows[0]?.version) < 150_000 ? '' : 'strategy file_copy'
  const made: string[] = []
  let ready: Promise<void> | undefined
  return {
    make: async (content = 'migrated') => {
      if (content === 'migrated') {
        ready ??= ensureMigrated(client, urlOf)
        await ready
      }
      const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
      await client.query(`create database ${name} template ${content === 'empty' ? 'template1' : migrated} ${strategy}`)
      made.push(name)
      return urlOf(name)
    },
    [Symbol.asyncDispose]: async () => {
      for (const name of made) await client.query(`drop database ${name} with (force)`)
      await client.end()
    },
  }
}

const migrated = 'migrated'

/** Creates the database from which others are copied, unless another test file has. */
async function ensureMigrated(client: pg.Client, urlOf: (name: string) => string): Promise<void> {
  await client.query('select pg_advisory_lock(1)')
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [migrated])
    if (rowCount !== 0) return
    // If migrations failed in another file, they fail again here with their own error.
    await client.query('drop database if exists unfinished')
    await client.query('create database unfinished')
    const open = openDatabase({ url: urlOf('unfinished') })
    await migrate(open).finally(() => open.close())
    await client.query(`alter database unfinished rename to ${migrated}`)
  } finally {
    await client.query('select pg_advisory_unlock(1)')
  }
}

function asPostgres(command: string, args: string[]): void {
  run('setpriv', ['--reuid=postgres', '--regid=postgres', '--init-groups', command, ...args])
}

function run(command: string, args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr}`)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
