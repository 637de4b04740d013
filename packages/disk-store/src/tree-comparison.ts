import { spawn } from 'node:child_process'
import { commandFailed } from './disk-store.errors.ts'
import type { DiskChanges } from './disk-store.ts'
import { compareEntries, type Entry } from './tree-difference.models.ts'

/**
 * What differs between two trees, by looking at both: no link is followed and no file is opened. With `comparesInodes`
 * a file is the same one when number, size, owner, mode and time of change are: no program inside a sandbox can set
 * that time, so a change cannot be hidden. Without, the time of the last write decides.
 */
export async function compareTrees(options: {
  before: string
  after: string
  comparesInodes: boolean
}): Promise<DiskChanges> {
  const { comparesInodes } = options
  const [before, after] = await Promise.all(
    [options.before, options.after].map((root) => listTree({ root, comparesInodes })),
  )
  return compareEntries({ before: before ?? new Map(), after: after ?? new Map() })
}

/** A directory and everything below it on the same file system, as one text: equal texts mean equal trees. */
export async function describeTree(root: string): Promise<string> {
  const entries = await listTree({ root, comparesInodes: true, includesRoot: true })
  return [...entries]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, { identity }]) => `${identity} ${name}`)
    .join('\n')
}

/** Names are kept byte for byte (as latin1): a name need not be UTF-8. */
async function listTree(options: {
  root: string
  comparesInodes: boolean
  includesRoot?: boolean
}): Promise<Map<string, Entry>> {
  const identity = options.comparesInodes ? '%i %C@' : '%T@'
  const format = `%y %m %U %G %s ${identity}\\0%P\\0%l\\0`
  const child = spawn(
    'find',
    [options.root, '-xdev', '-mindepth', options.includesRoot === true ? '0' : '1', '-printf', format],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    },
  )
  let problem = ''
  child.stderr.on('data', (chunk: Buffer) => {
    problem = (problem + chunk.toString()).slice(-2000)
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const entries = new Map<string, Entry>()
  let rest: string[] = []
  let tail = ''
  for await (const chunk of child.stdout.setEncoding('latin1') as AsyncIterable<string>) {
    const fields = (tail + chunk).split('\0')
    tail = fields.pop() ?? ''
    rest.push(...fields)
    const whole = rest.length - (rest.length % 3)
    for (let index = 0; index < whole; index += 3) add(entries, rest.slice(index, index + 3))
    rest = rest.slice(whole)
  }
  const exitCode = await ended
  if (exitCode !== 0) throw commandFailed({ command: `find ${options.root}`, reason: problem.trim() })
  return entries
}

function add(entries: Map<string, Entry>, [facts = '', name = '', target = '']: string[]): void {
  const isDirectory = facts.startsWith('d')
  const [type, mode, user, group, size, ...identity] = facts.split(' ')
  // The size of a directory is the file system's own business.
  const parts = [type, mode, user, group, isDirectory ? '' : size, ...identity, target]
  entries.set(name, { isDirectory, identity: parts.join(' '), bytes: Number(size) })
}
