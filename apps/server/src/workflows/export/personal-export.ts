import { isThreadboxError } from '@threadbox/errors'
import { type ZipEntry, zipStream } from '@threadbox/protocol/archive'
import type { Entry, Thread } from '@threadbox/protocol/public'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import type { ThreadLog, ThreadRows, Threads } from '../../threads/public.ts'
import { fileName } from './file-name.logic.ts'
import { markdownOf } from './markdown.ts'

/** A copy of everything that is a person’s own, as one zip. It is written while it is sent: nothing is collected first. */
export type PersonalExport = (userId: string, signal: AbortSignal) => AsyncGenerator<Buffer>

type ExportedAgent = { name: string; content: AsyncIterable<Uint8Array> }

export type PersonalExportDependencies = {
  threads: Pick<Threads, 'list'>
  rows: Pick<ThreadRows, 'findAny'>
  log: Pick<ThreadLog, 'entries'>
  blobs: BlobStore
  /** The files of a sandbox as a zip, without waking it; null if it has never run. */
  filesOf(threadId: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | null>
  agents: { ids(userId: string): Promise<{ id: string; name: string; version: number }[]> } & {
    export(userId: string, wanted: { agentId: string; version: number }): Promise<ExportedAgent>
  }
  usageCsv(userId: string): Promise<AsyncIterable<string>>
  /** The account and its settings. */
  account(userId: string): Promise<object>
  now(): number
}

/** More than any file is large: sizes are not known before a file is read. */
const unknownSize = Number.MAX_SAFE_INTEGER
const threadsPerPage = 50

export function makePersonalExport(dependencies: PersonalExportDependencies): PersonalExport {
  return (userId, signal) => zipStream(entriesOf(dependencies, userId, signal))
}

async function* entriesOf(
  dependencies: PersonalExportDependencies,
  userId: string,
  signal: AbortSignal,
): AsyncGenerator<ZipEntry> {
  const { agents, usageCsv, account, now } = dependencies
  const missing: string[] = []
  const file = (name: string, content: AsyncIterable<Uint8Array> | Buffer): ZipEntry => ({
    name: Buffer.from(name),
    mode: 0o100644,
    modifiedAt: new Date(now()),
    size: Buffer.isBuffer(content) ? content.length : unknownSize,
    content: Buffer.isBuffer(content) ? content : buffers(content),
  })
  yield file('account.json', textOf(JSON.stringify(await account(userId), null, 2)))
  yield file('usage.csv', encoded(await usageCsv(userId)))
  for (const { id, name, version } of await agents.ids(userId)) {
    try {
      const agent = await agents.export(userId, { agentId: id, version })
      yield file(`agents/${fileName(agent.name, '')}`, agent.content)
    } catch (error) {
      missing.push(`Agent “${name}”: ${reasonOf(error)}`)
    }
  }
  for await (const thread of ownThreads(dependencies, userId)) {
    if (signal.aborted) return
    yield* threadEntries(dependencies, { thread, file, missing, signal })
  }
  yield file('README.md', textOf(readme(missing)))
}

/** Those that the person has created, also in workspaces. */
async function* ownThreads({ threads, rows }: PersonalExportDependencies, userId: string): AsyncGenerator<Thread> {
  let cursor: string | undefined
  do {
    const page = await threads.list(userId, { cursor, limit: threadsPerPage })
    for (const thread of page.threads) if ((await rows.findAny(thread.id))?.user_id === userId) yield thread
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
}

type ThreadWork = {
  thread: Thread
  file: (name: string, content: AsyncIterable<Uint8Array> | Buffer) => ZipEntry
  missing: string[]
  signal: AbortSignal
}

async function* threadEntries(
  dependencies: PersonalExportDependencies,
  { thread, file, missing, signal }: ThreadWork,
): AsyncGenerator<ZipEntry> {
  const { log, blobs, filesOf } = dependencies
  const { id: threadId } = thread
  const title = thread.title === '' ? 'Thread' : thread.title
  const at = `threads/${fileName(title, threadId)}`
  const entries = await log.entries(threadId)
  yield file(`${at}/conversation.json`, textOf(JSON.stringify({ thread, entries }, null, 2)))
  yield file(`${at}/conversation.md`, encoded(markdownOf({ threadId, blobs }, { title, entries })))
  for (const { key, name } of await blobsOf(blobs, threadId, entries)) {
    const blob = await blobs.get(key)
    if (blob === undefined) missing.push(`${at}/${name}: it no longer exists.`)
    else yield file(`${at}/${name}`, blob.stream)
  }
  try {
    const files = await filesOf(threadId, signal)
    if (files !== null) yield file(`${at}/files.zip`, files)
  } catch (error) {
    missing.push(`Files of the sandbox of “${title}” (${threadId}): ${reasonOf(error)}`)
  }
}

/** What people attached, what agents shared, and the complete output of calls. */
async function blobsOf(
  blobs: BlobStore,
  threadId: string,
  entries: readonly Entry[],
): Promise<{ key: string; name: string }[]> {
  const attachments = entries.flatMap((entry) => (entry.kind === 'user-message' ? entry.attachments : []))
  const found = attachments.map(({ id, name }) => ({
    key: `attachments/${threadId}/${id}`,
    name: `attachments/${id}-${fileName(name, '')}`,
  }))
  for (const { name } of await blobs.list(`outputs/${threadId}`)) {
    found.push({ key: `outputs/${threadId}/${name}`, name: `outputs/${name}.txt` })
  }
  for (const { id } of entries.filter(({ kind }) => kind === 'tool-call')) {
    for (const { name } of await blobs.list(`results/${threadId}/${id}`)) {
      found.push({ key: `results/${threadId}/${id}/${name}`, name: `results/${id}/${name}` })
    }
  }
  return found
}

function reasonOf(error: unknown): string {
  if (!isThreadboxError(error)) throw error
  return `${error.message} ${error.remedy}`
}

function readme(missing: readonly string[]): string {
  const lines = missing.length === 0 ? ['Nothing is missing.'] : missing.map((line) => `- ${line}`)
  return `# Your data

- \`account.json\`: your account and limits.
- \`usage.csv\`: what requests to models cost.
- \`agents/\`: your agents, which you can import.
- \`threads/\`: each thread you created: the conversation as JSON and Markdown, attachments, outputs, and the files of its
  sandbox (\`files.zip\`).

Secrets, Git credentials and connections are never exported.

## Not included

${lines.join('\n')}
`
}

function textOf(text: string): Buffer {
  return Buffer.from(text)
}

async function* encoded(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece)
}

async function* buffers(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
}
