import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { access } from 'node:fs/promises'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pLimit, waitAtMost } from '@threadbox/concurrency'
import type { DiskStore } from '@threadbox/disk-store'
import {
  type SleepingEntry,
  type SleepingPage,
  type SleepingQuestion,
  sleepingEntrySchema,
  sleepingPageSchema,
} from '@threadbox/protocol/host'
import { sandboxNotFound } from '../../machine/errors/orders.errors.ts'
import { startProgram } from '../../machine/programs/start-program.ts'
import type { BootsStore } from '../../machine/state/boots.store.ts'
import type { SandboxesStore } from '../../machine/state/sandboxes.store.ts'
import { isBootAsleep, type PausedBoots } from '../../memory/memory/paused-boots.ts'
import type { ReaderAnswer, ReaderOrder } from './read-disk/main.ts'
import {
  diskNotReadable,
  sleepingFileIsDirectory,
  sleepingFileMissing,
  sleepingFileRefused,
} from './sleeping-files.errors.ts'

export type SleepingAnswer =
  | { kind: 'list'; page: SleepingPage }
  | { kind: 'entry'; entry: SleepingEntry }
  /** Bytes that end early do so without an error: the entry states how many there are. */
  | { kind: 'content'; entry: SleepingEntry; bytes: Readable }
  /** The bytes end with an error if they are incomplete: a zip does not state its length. */
  | { kind: 'archive'; entry: SleepingEntry; bytes: Readable }

/** Reads the files of sandboxes that are paused or have no boot, without waking them. */
export type SleepingFiles = {
  /**
   * Throws `sandbox.not-found`, `disk.not-found`, `file.not-found`, `file.is-directory`, `file.refused` (also if the
   * reader fails or is too slow), and `sandbox.disk-not-readable` while the sandbox is awake, or if its pause has no
   * snapshot.
   */
  answer(sandboxId: string, question: SleepingQuestion): Promise<SleepingAnswer>
}

/** The user that owns the files of a sandbox; the image creates it. */
const sandboxUserId = 1000
/**
 * Limits of readers that run at the same time, each a process of some 40 MB: for lists and single entries, and for
 * files, which last for as long as the download.
 */
const maxMetadataReads = 4
const maxFileReads = 16
/** Each uses a processor while a client reads its bytes. */
const maxArchives = 2
/** Time between two checks of a reader. One without output since the last check is killed, to free its slot. */
const stallCheckMs = 60_000
/** Enough even for an archive: for the first line, one folder or one file is read. */
const firstLineWithinMs = 30_000
/** Room for the largest page: 10,000 entries with long names. */
const longestLineBytes = 64 * 1024 * 1024

export function makeSleepingFiles(ports: {
  sandboxes: SandboxesStore
  boots: Pick<BootsStore, 'current'>
  disks: Pick<DiskStore, 'getDisk'>
  paused: Pick<PausedBoots, 'pausedDiskPath'>
}): SleepingFiles {
  const metadataReads = pLimit(maxMetadataReads)
  const fileReads = pLimit(maxFileReads)
  const archives = pLimit(maxArchives)
  const limiterOf = { list: metadataReads, entry: metadataReads, content: fileReads, archive: archives }
  /**
   * Returns the directory to read. While the boot is paused, its disk must not even be read: that can count as a
   * change, after which the memory image no longer fits. So the snapshot of the pause is read instead. Without a boot,
   * the disk itself is read, also after a crash.
   */
  const rootOf = async (sandboxId: string): Promise<string> => {
    const sandbox = await ports.sandboxes.find(sandboxId)
    if (sandbox === undefined || sandbox.isDeleting) throw sandboxNotFound({ sandboxId })
    const boot = await ports.boots.current(sandboxId)
    if (boot === undefined) return (await ports.disks.getDisk(sandbox.placeId)).path
    const path = isBootAsleep(boot) ? await ports.paused.pausedDiskPath(sandbox) : undefined
    if (path === undefined) throw diskNotReadable({ sandboxId })
    return path
  }
  return {
    answer: async (sandboxId, question) => {
      const started = Promise.withResolvers<SleepingAnswer>()
      const work = limiterOf[question.kind](async () => {
        // Not before the wait for a slot, in which the sandbox can have started or paused.
        const root = await rootOf(sandboxId)
        const reader = startReader(root, question)
        started.resolve(readAnswer(reader, { question, root }))
        await waitForExit(reader)
      })
      work.catch(started.reject)
      return await started.promise
    },
  }
}

/** Resolves when the reader has exited. Kills it if no byte was read between two checks: reader or client is too slow. */
async function waitForExit(reader: ChildProcess): Promise<void> {
  const { stdout } = reader
  let seenBytes = -1
  const timer = setInterval(() => {
    const readBytes = stdout instanceof Socket ? stdout.bytesRead : 0
    if (readBytes === seenBytes) reader.kill('SIGKILL')
    seenBytes = readBytes
  }, stallCheckMs)
  try {
    const hasExited = () => reader.exitCode !== null || reader.signalCode !== null || reader.pid === undefined
    if (!hasExited()) await once(reader, 'exit')
  } finally {
    clearInterval(timer)
  }
}

function startReader(root: string, question: SleepingQuestion): ChildProcess {
  const reader = startProgram('read-disk', { directory: root })
  // Discards its standard error: a full pipe would block it.
  reader.stderr.resume()
  const order: ReaderOrder = { question, userId: process.getuid?.() === 0 ? sandboxUserId : null }
  reader.stdin.end(JSON.stringify(order))
  return reader
}

async function readAnswer(
  reader: ChildProcess,
  { question, root }: { question: SleepingQuestion; root: string },
): Promise<SleepingAnswer> {
  const { stdout } = reader
  const { path } = question
  const failure = () => sleepingFileRefused({ path, problem: 'reading it failed.' })
  if (stdout === null) throw failure()
  const settled = new AbortController()
  try {
    const tooLate = waitAtMost(firstLineWithinMs, { signal: settled.signal }).then(() => undefined)
    const spawnError = once(reader, 'error', { signal: settled.signal }).then(() => null)
    // Rejects with the abort below, when a line has arrived.
    spawnError.catch(() => undefined)
    const line = await Promise.race([firstLine(stdout), tooLate, spawnError])
    if (line === undefined) throw sleepingFileRefused({ path, problem: 'it could not be read in time.' })
    if (line === null) throw failure()
    const bytes = question.kind === 'archive' ? Readable.from(readToEndOrThrow(reader, { root, path })) : stdout
    // If an archive is destroyed before it is read, its generator never runs, and would not end the reader.
    bytes.once('close', () => reader.kill('SIGKILL'))
    return parseAnswer(JSON.parse(line) as ReaderAnswer, { question, bytes })
  } catch (error) {
    reader.kill('SIGKILL')
    throw error
  } finally {
    settled.abort()
  }
}

/** Throws what the reader refused. */
function parseAnswer(
  answer: ReaderAnswer,
  { question, bytes }: { question: SleepingQuestion; bytes: Readable },
): SleepingAnswer {
  const { path } = question
  if ('refusal' in answer) {
    const { reason, problem } = answer.refusal
    if (reason === 'missing') throw sleepingFileMissing({ path })
    throw reason === 'is-directory' ? sleepingFileIsDirectory({ path }) : sleepingFileRefused({ path, problem })
  }
  if (question.kind === 'list') return { kind: 'list', page: sleepingPageSchema.parse(answer.ok) }
  const entry = sleepingEntrySchema.parse(answer.ok)
  if (question.kind === 'entry') return { kind: 'entry', entry }
  if (question.kind === 'content') return { kind: 'content', entry, bytes }
  if (entry.type === 'directory') return { kind: 'archive', entry, bytes }
  throw sleepingFileRefused({ path, problem: 'it is not a folder.' })
}

/**
 * Yields the reader's output after its first line; throws if the reader failed, or if the tree that it read is gone.
 */
async function* readToEndOrThrow(
  reader: ChildProcess,
  { root, path }: { root: string; path: string },
): AsyncGenerator<Buffer> {
  if (reader.stdout === null) return
  const exited = reader.exitCode === null && reader.signalCode === null ? once(reader, 'exit') : Promise.resolve()
  yield* reader.stdout as AsyncIterable<Buffer>
  await exited
  if (reader.exitCode !== 0) throw sleepingFileRefused({ path, problem: 'it could not be read to its end.' })
  await access(root)
}

/** Reads one line; what follows it stays in the stream. Null if the line is incomplete or too long. */
async function firstLine(stream: Readable): Promise<string | null> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for (;;) {
    const chunk = stream.read() as Buffer | null
    if (chunk === null) {
      if (stream.readableEnded || stream.destroyed) return null
      await Promise.race([once(stream, 'readable'), once(stream, 'end'), once(stream, 'close')])
      continue
    }
    const end = chunk.indexOf(10)
    if (end >= 0) {
      if (end + 1 < chunk.length) stream.unshift(chunk.subarray(end + 1))
      return Buffer.concat([...chunks, chunk.subarray(0, end)]).toString()
    }
    sizeBytes += chunk.length
    if (sizeBytes > longestLineBytes) return null
    chunks.push(chunk)
  }
}
