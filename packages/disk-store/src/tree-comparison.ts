import { spawn } from 'node:child_process'
import { commandFailed, tooManyFiles } from './disk-store.errors.ts'
import type { DiskChanges, DiskNaming } from './disk-store.ts'
import { compareEntries, type Entry } from './tree-difference.logic.ts'

/**
 * Limits of the names of one tree in memory and their facts: an empty file costs a sandbox nothing, but a name costs
 * the daemon some hundred bytes and its text, which is long in deep directories.
 */
type TreeLimits = { names: number; textBytes: number }
const MiB = 1024 * 1024
const defaultLimits: TreeLimits = { names: 1_000_000, textBytes: 512 * MiB }

/**
 * Returns what differs between two trees by listing both: no link is followed and no file is opened. With
 * `comparesInodes` a file is the same if inode number, size, owner, mode and change time are equal: no program inside a
 * sandbox can set the change time, so a change cannot be hidden. Otherwise the time of the last write decides. Throws
 * `disk.too-many-files`.
 */
export async function compareTrees(options: {
  before: string
  after: string
  comparesInodes: boolean
  limits?: TreeLimits
  naming?: DiskNaming | undefined
}): Promise<DiskChanges> {
  const { comparesInodes, limits = defaultLimits } = options
  const listingFailed = new AbortController()
  const list = async (root: string) => {
    try {
      return await listTree({ root, comparesInodes, limits, signal: listingFailed.signal })
    } catch (error) {
      // Stops the other listing, which is no longer needed.
      listingFailed.abort()
      throw error
    }
  }
  const [before, after] = await Promise.all([options.before, options.after].map(list))
  return compareEntries({ before: before ?? new Map(), after: after ?? new Map() }, options.naming)
}

/**
 * Describes a directory and everything below it on the same file system as one text: equal texts mean equal trees.
 * Throws `disk.too-many-files`.
 */
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
  limits?: TreeLimits
  signal?: AbortSignal
}): Promise<Map<string, Entry>> {
  const { root, limits = defaultLimits, signal } = options
  const identity = options.comparesInodes ? '%i %C@' : '%T@'
  const format = `%y %m %U %G %s ${identity}\\0%P\\0%l\\0`
  const depth = options.includesRoot === true ? '0' : '1'
  const child = spawn('find', [root, '-xdev', '-mindepth', depth, '-printf', format], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    killSignal: 'SIGKILL',
    signal,
  })
  let problem = ''
  child.stderr.on('data', (chunk: Buffer) => {
    problem = (problem + chunk.toString()).slice(-2000)
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  // If both fail, the caller gets the error of the read first.
  ended.catch(() => undefined)
  const list = makeList(limits)
  try {
    for await (const chunk of child.stdout.setEncoding('latin1') as AsyncIterable<string>) list.push(chunk)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  const exitCode = await ended
  if (exitCode !== 0) throw commandFailed({ command: `find ${root}`, reason: problem.trim() })
  return list.entries
}

/** Parses the output of `find`, three fields for each name. Throws `disk.too-many-files`. */
function makeList(limits: TreeLimits) {
  const entries = new Map<string, Entry>()
  let rest: string[] = []
  let tail = ''
  let textBytes = 0
  return {
    entries,
    push: (chunk: string) => {
      const fields = (tail + chunk).split('\0')
      tail = fields.pop() ?? ''
      textBytes += chunk.length
      rest.push(...fields)
      const whole = rest.length - (rest.length % 3)
      for (let index = 0; index < whole; index += 3) add(entries, rest.slice(index, index + 3))
      rest = rest.slice(whole)
      if (entries.size <= limits.names && textBytes <= limits.textBytes) return
      throw tooManyFiles({ mostFiles: limits.names, mostMebibytes: Math.round(limits.textBytes / MiB) })
    },
  }
}

function add(entries: Map<string, Entry>, [facts = '', name = '', target = '']: string[]): void {
  const isDirectory = facts.startsWith('d')
  const [type, mode, user, group, size, ...identity] = facts.split(' ')
  // The size of a directory is internal to the file system.
  const parts = [type, mode, user, group, isDirectory ? '' : size, ...identity, target]
  entries.set(name, { isDirectory, identity: parts.join(' '), bytes: Number(size) })
}
