import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from './migrations.registry.ts'
import { openDatabase } from './platform/database/database.ts'

/** Debian and Ubuntu keep each version in a folder of its own. */
const [binaries = ''] = globSync('/usr/lib/postgresql/*/bin').sort().reverse()

/** Postgres refuses to run as root; without root there is nobody to become `postgres`. */
export const canRunPostgres = existsSync(join(binaries, 'initdb')) && process.getuid?.() === 0

/** A Postgres of its own in a temporary directory, on loopback only. */
export type TestPostgres = AsyncDisposable & {
  /** The address of a new database: with the tables of the product, made once and copied, or empty. */
  makeDatabase(content?: 'migrated' | 'empty'): Promise<string>
}

export async function startPostgres(): Promise<TestPostgres> {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-postgres-'))
  await chmod(directory, 0o755)
  const data = join(directory, 'data')
  const port = await freePort()
  run('install', ['-d', '-o', 'postgres', '-m', '700', data])
  asPostgres(join(binaries, 'initdb'), ['-D', data, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'])
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`
  asPostgres(join(binaries, 'pg_ctl'), ['-D', data, '-o', options, '-l', join(data, 'log'), '-w', 'start'])
  const urlOf = (name: string) => `postgres://postgres@127.0.0.1:${port}/${name}`
  const create = async (name: string, template = 'template1') => {
    const client = new pg.Client({ connectionString: urlOf('postgres') })
    await client.connect()
    await client.query(`create database ${name} template ${template}`)
    await client.end()
    return urlOf(name)
  }
  let migrated: Promise<void> | undefined
  const makeMigrated = async () => {
    const open = openDatabase({ url: await create('migrated') })
    await migrate(open)
    await open.close()
  }
  let count = 0
  return {
    makeDatabase: async (content = 'migrated') => {
      count += 1
      if (content === 'empty') return await create(`test${count}`)
      migrated ??= makeMigrated()
      await migrated
      return await create(`test${count}`, 'migrated')
    },
    [Symbol.asyncDispose]: async () => {
      asPostgres(join(binaries, 'pg_ctl'), ['-D', data, '-m', 'immediate', '-w', 'stop'])
      await rm(directory, { recursive: true, force: true })
    },
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
