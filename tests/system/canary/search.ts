import { execFile } from 'node:child_process'
import { open, readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { makeFinder } from '../../../apps/host/src/copies/environments/search-memory/find-texts.ts'
import { formsOf } from './forms.ts'

const run = promisify(execFile)

/** Finds the names of texts in bytes, in any of their forms. */
export type Search = {
  inText(text: string): Set<string>
  /** In the names and contents of files that were written since this process began. */
  inFiles(directory: string, options?: { isIncluded?(file: string): boolean; maxBytes?: number }): Promise<Set<string>>
  /** In all memory of a process that it can have written, as far as it exists. Needs root. */
  inMemory(pid: number): Promise<Set<string>>
}

const partBytes = 8 * 1024 * 1024
const pageBytes = 4096
const entryBytes = 8
/** The bits 62 and 63 of an entry of `pagemap`: the page is in memory, or swapped out. */
const existsMask = 0xc0
/** The kernel records the time of each write, also for files that were unpacked with an older one. */
const begunAtMs = performance.timeOrigin

export function makeSearch(texts: Readonly<Record<string, string>>): Search {
  const needles = Object.entries(texts).flatMap(([name, text]) =>
    formsOf(text).map((form) => ({ name, bytes: Buffer.from(form, 'latin1') })),
  )
  const find = makeFinder(needles.map(({ bytes }) => bytes))
  const overlap = Math.max(...needles.map(({ bytes }) => bytes.length)) - 1
  const searchBytes = (bytes: Buffer, found: Set<string>) =>
    find(bytes, (number) => found.add(needles[number]?.name ?? ''))
  const newReading = (): Reading => ({ part: Buffer.alloc(partBytes), overlap, searchBytes })
  return {
    inText: (text) => {
      const found = new Set<string>()
      searchBytes(Buffer.from(text), found)
      return found
    },
    inFiles: async (directory, { isIncluded = () => true, maxBytes } = {}) => {
      const found = new Set<string>()
      const reading = newReading()
      for (const file of await filesIn(directory, maxBytes)) {
        if (!isIncluded(file)) continue
        searchBytes(Buffer.from(file), found)
        await searchRange(file, { from: 0, to: Number.POSITIVE_INFINITY }, { reading, found })
      }
      return found
    },
    inMemory: async (pid) => {
      const found = new Set<string>()
      const reading = newReading()
      for (const range of await rangesOf(pid)) {
        await searchRange(`/proc/${pid}/mem`, range, { reading, found })
      }
      return found
    },
  }
}

type Range = { from: number; to: number }
type Reading = { part: Buffer; overlap: number; searchBytes(bytes: Buffer, found: Set<string>): void }

/** Each snapshot of a disk has all of its files: `find` is a hundred times faster there than this process. */
async function filesIn(directory: string, maxBytes: number | undefined): Promise<string[]> {
  const options = { maxBuffer: 256 * 1024 * 1024 }
  const size = maxBytes === undefined ? [] : ['-size', `-${maxBytes}c`]
  const newer = ['-type', 'f', ...size, '-newerct', `@${begunAtMs / 1000}`, '-print0']
  // What is removed in the meantime makes it fail at the end.
  const { stdout } = await run('find', [directory, ...newer], options).catch((error: { stdout: string }) => error)
  return stdout.split('\0').filter((file) => file !== '')
}

/** Reads in parts that overlap, so that nothing is missed at a border. What is gone in the meantime is not there. */
async function searchRange(
  file: string,
  { from, to }: Range,
  { reading, found }: { reading: Reading; found: Set<string> },
): Promise<void> {
  const { part, overlap, searchBytes } = reading
  const handle = await open(file).catch(() => undefined)
  if (handle === undefined) return
  try {
    for (let at = from; at < to; ) {
      const wanted = Math.min(part.length, to - at)
      const { bytesRead } = await handle.read(part, 0, wanted, at).catch(() => ({ bytesRead: 0 }))
      searchBytes(part.subarray(0, bytesRead), found)
      if (bytesRead < wanted) return
      at += at + bytesRead < to ? bytesRead - overlap : bytesRead
    }
  } finally {
    await handle.close()
  }
}

/** The parts of a process’s memory that exist, without what it only reads from files. */
async function rangesOf(pid: number): Promise<Range[]> {
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8').catch(() => '')
  const pagemap = await open(`/proc/${pid}/pagemap`).catch(() => undefined)
  if (pagemap === undefined) return []
  const ranges: Range[] = []
  try {
    for (const line of maps.split('\n')) {
      const parts = /^([0-9a-f]+)-([0-9a-f]+) (....) \S+ \S+ \d+ *(.*)$/.exec(line)
      if (parts === null) continue
      const [, start = '', end = '', rights = '', name = ''] = parts
      const isOfFile = name.startsWith('/') && !rights.includes('w') && !name.startsWith('/memfd')
      if (!rights.startsWith('r') || isOfFile || /^\[v(var|syscall|dso)/.test(name)) continue
      const range = { from: Number.parseInt(start, 16), to: Number.parseInt(end, 16) }
      ranges.push(...(await existingIn(pagemap, range)))
    }
  } finally {
    await pagemap.close()
  }
  return ranges
}

async function existingIn(pagemap: Awaited<ReturnType<typeof open>>, { from, to }: Range): Promise<Range[]> {
  const ranges: Range[] = []
  const entries = Buffer.alloc(1024 * 1024)
  for (let at = from; at < to; ) {
    const wanted = Math.min(entries.length, ((to - at) / pageBytes) * entryBytes)
    const { bytesRead } = await pagemap.read(entries, 0, wanted, (at / pageBytes) * entryBytes)
    for (let entry = 0; entry < bytesRead; entry += entryBytes, at += pageBytes) {
      if (((entries[entry + entryBytes - 1] ?? 0) & existsMask) === 0) continue
      const last = ranges.at(-1)
      if (last?.to === at) last.to += pageBytes
      else ranges.push({ from: at, to: at + pageBytes })
    }
    if (bytesRead < wanted || bytesRead === 0) break
  }
  return ranges
}

export type ProcessName = 'server' | 'host daemon' | 'gateway' | 'names' | 'egress' | 'sentry' | 'gofer'

/** The processes of an installation by their program, with those that they started. */
export async function processesOf(options: {
  dataDirectory: string
  /** The processes that the test started. */
  server: number
  host: number
}): Promise<Map<ProcessName, number[]>> {
  const all = await Promise.all((await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(processOf))
  const found = new Map<ProcessName, number[]>()
  const named = new Map<number, ProcessName>()
  for (const { pid, parent, command } of all.toSorted((a, b) => a.pid - b.pid)) {
    const ofRunsc = command.includes('runsc') && command.includes(options.dataDirectory)
    const isChild = parent === options.host
    const name =
      (pid === options.server && 'server') ||
      (pid === options.host && 'host daemon') ||
      (isChild && (['gateway', 'names', 'egress'] as const).find((program) => command.includes(`/${program}/`))) ||
      (ofRunsc && (/ gofer( |$)/.test(command) ? 'gofer' : 'sentry')) ||
      named.get(parent)
    if (name === undefined) continue
    named.set(pid, name)
    found.set(name, [...(found.get(name) ?? []), pid])
  }
  return found
}

async function processOf(name: string): Promise<{ pid: number; parent: number; command: string }> {
  const read = (file: string) => readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '')
  const parent = Number(/^PPid:\s+(\d+)$/m.exec(await read('status'))?.[1] ?? 0)
  return { pid: Number(name), parent, command: (await read('cmdline')).replaceAll('\0', ' ') }
}
