import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { sandboxPids } from '@threadbox/testkit'
import { sandboxIdsOf, type TestInstallation } from '../stack/installation.ts'
import type { Finding } from './findings.ts'

const run = promisify(execFile)

/**
 * What an installation without a single thread still has: processes, namespaces, interfaces, cgroups, firewall rules,
 * mounts, disks and files of sandboxes; subvolumes; rows of the host’s records, which hold addresses; programs that a
 * killed daemon left running; connections in the router, and sockets in the installation’s directory.
 */
export async function findLeaks({ host, server }: TestInstallation): Promise<string[]> {
  const [left, subvolumes, programs, connections, sockets] = await Promise.all([
    host.leftovers(),
    subvolumesOf(path.join(host.diskDirectory, 'pool')),
    strayPrograms(host, [host.pid(), server.pid()]),
    connectionsIn(`tbr-${host.installation}`),
    strangeSockets(path.dirname(host.socketPath)),
  ])
  const records = recordsOf(path.join(host.dataDirectory, 'host/state.sqlite'))
  return [...left, ...subvolumes, ...programs, ...connections, ...sockets, ...records]
}

/** More than one boot of a sandbox. */
export async function findDoubleBoots(installation: TestInstallation): Promise<Finding[]> {
  const { dataDirectory } = installation.host
  const found = await Promise.all(
    (await sandboxIdsOf(installation)).map(async (sandboxId) => {
      const pids = (await sandboxPids({ dataDirectory, sandboxId })).filter(isAlive)
      return pids.length > 1 ? [`sandbox ${sandboxId} has ${pids.length} boots`] : []
    }),
  )
  return found.flat().map((what) => ({ kind: 'duplicated', what }))
}

/** All that a process holds. The kernel keeps one that was closed for another minute or two, for a sandbox that is gone. */
async function connectionsIn(namespace: string): Promise<string[]> {
  const { stdout } = await run('ip', ['netns', 'exec', namespace, 'ss', '-Htanp', 'state', 'connected'])
  return stdout.split('\n').flatMap((line) => (line.includes('users:(') ? `connection ${line}` : []))
}

/** All but one of each process. */
async function strangeSockets(directory: string): Promise<string[]> {
  const known = ['host.sock', 'gateway.sock', 'gateway-orders.sock', 'egress.sock', 'egress-orders.sock']
  return (await readdir(directory)).filter((name) => !known.includes(name)).map((name) => `socket ${name}`)
}

/** All but the base images. */
async function subvolumesOf(pool: string): Promise<string[]> {
  const { stdout } = await run('btrfs', ['subvolume', 'list', pool])
  const names = [...stdout.matchAll(/ path (.+)$/gm)].flatMap(([, name]) => name ?? [])
  return names.filter((name) => !/(^|\/)images\//.test(name)).map((name) => `subvolume ${name}`)
}

/** Rows that belong to single sandboxes; an address is in use as long as its row exists. */
function recordsOf(file: string): string[] {
  using database = new DatabaseSync(file, { readOnly: true })
  const count = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0]
  const addresses = database.prepare('select "address" from "sandboxes" union select "address" from "spares"').all()
  const tables = ['memory_images', 'pause_points', 'snapshots', 'snapshot_memories', 'forks', 'rewinds']
  const rows = tables.map((table) => ({ table, rows: count(`select count(*) from "${table}"`) }))
  const boots = count(`select count(*) from "boots" where "state" <> 'ended'`)
  return [
    ...addresses.map(({ address }) => `address ${address}`),
    ...[...rows, { table: 'boots', rows: boots }].flatMap(({ table, rows }) =>
      rows === 0 ? [] : [`${rows} rows of ${table}`],
    ),
  ]
}

/** Programs with the installation in their environment that descend from neither of its daemons. */
async function strayPrograms(
  { dataDirectory, installation }: Pick<TestInstallation['host'], 'dataDirectory' | 'installation'>,
  daemons: readonly number[],
): Promise<string[]> {
  // The DNS process knows no directory.
  const marks = [`=${dataDirectory}`, `THREADBOX_INSTALLATION=${installation}`]
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0 && pid !== process.pid)
  const all = await Promise.all(pids.map(readProgram))
  const parents = new Map(all.map(({ pid, parent }) => [pid, parent]))
  const isOfDaemon = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at)) {
      if (daemons.includes(at)) return true
    }
    return false
  }
  return all
    .filter(({ pid, environment }) => marks.some((mark) => environment.includes(mark)) && !isOfDaemon(pid))
    .map(({ pid, command }) => `program ${pid} ${command}`)
}

async function readProgram(pid: number) {
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')
  const [stat, environment, command] = await Promise.all([read('stat'), read('environ'), read('cmdline')])
  const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  return { pid, parent, environment, command: command.split('\0').join(' ').trim() }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
