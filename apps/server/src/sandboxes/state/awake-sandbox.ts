import { Readable } from 'node:stream'
import { type Client, createClient } from '@connectrpc/connect'
import { fromWireError } from '@threadbox/errors'
import { filesystem, git, process, runs, services, terminals } from '@threadbox/protocol/guest'
import { errorHeader } from '@threadbox/protocol/host'
import type { Dispatcher } from 'undici'
import { parseJson } from '../../platform/system/parse-json.ts'
import { guestMessageLimits, readAtMost } from '../host/guest-transport.ts'
import { guestAnswerUnknown } from '../host/host.errors.ts'
import type { HostClient } from '../host/host-client.ts'
import { fileIsDirectory, fileNotFound } from './file.errors.ts'
import { isDirectoryError } from './guest-errors.ts'
import type { AwakeSandbox } from './sandbox-access.ts'
import { fileRefused, sandboxDiskFull } from './sandboxes.errors.ts'

/** A file’s bytes with their HTTP metadata, also for ranges. */
export type OpenedFile = {
  status: number
  stream: ReadableStream<Uint8Array>
  sizeBytes: number | null
  contentRange: string | null
}

/** An awake sandbox as the rest of the server sees it, with the reads that only the files feature needs. */
export type ReachableSandbox = AwakeSandbox & {
  services: Client<typeof services.Services>
  terminals: Client<typeof terminals.Terminals>
  git: Client<typeof git.Git>
  /** Returns a folder as a zip that is packed while it is read: these paths below it in `only`, or else all of it. */
  openArchive(
    path: string,
    options: { only: readonly string[]; signal: AbortSignal },
  ): Promise<ReadableStream<Uint8Array>>
  openFile(path: string, options?: { range?: string; signal?: AbortSignal }): Promise<OpenedFile>
  /** Like `upload`; with `isExecutable`, users who can read the file can also run it. */
  uploadFile(
    path: string,
    content: ReadableStream<Uint8Array> | Uint8Array,
    options: { signal?: AbortSignal | undefined; isExecutable: boolean },
  ): Promise<void>
}

/** Files belong to this user and are read as it: the app can read only what a person can read in a terminal. */
const fileUser = 'user'

export function reachSandbox(
  host: HostClient,
  target: { sandboxId: string; bootId: string },
  /** Called when a transfer begins; the result is disposed of when it ends. */
  transferring: () => Disposable,
): ReachableSandbox {
  const transport = host.transport(target)
  const openFile: ReachableSandbox['openFile'] = async (path, options = {}) => {
    const response = await host.guest(target, {
      method: 'GET',
      path: '/files',
      query: { path, username: fileUser },
      headers: { 'accept-encoding': 'identity', ...(options.range === undefined ? {} : { range: options.range }) },
      signal: options.signal,
    })
    if (response.statusCode >= 400) throw await fileError(response, path)
    const described = descriptionOf(response)
    if (described === undefined) {
      discard(response.body)
      throw guestAnswerUnknown({ problem: `HTTP status ${response.statusCode}` })
    }
    holdWhile(response.body, transferring)
    return { ...described, stream: Readable.toWeb(response.body) as ReadableStream<Uint8Array> }
  }
  const uploadFile: ReachableSandbox['uploadFile'] = async (path, content, { signal, isExecutable }) => {
    using _transfer = transferring()
    const response = await host.guest(target, {
      method: 'POST',
      path: '/files',
      query: { path, username: fileUser, ...(isExecutable ? { executable: 'true' } : {}) },
      headers: { 'content-type': 'application/octet-stream' },
      body: content instanceof Uint8Array ? content : Readable.fromWeb(content as never),
      signal,
    })
    if (response.statusCode >= 400) throw await fileError(response, path)
    discard(response.body)
  }
  return {
    ...target,
    runs: createClient(runs.Runs, host.transport(target, guestMessageLimits.run)),
    processes: createClient(process.Process, transport),
    files: createClient(filesystem.Filesystem, host.transport(target, guestMessageLimits.list)),
    services: createClient(services.Services, host.transport(target, guestMessageLimits.list)),
    terminals: createClient(terminals.Terminals, transport),
    git: createClient(git.Git, transport),
    openFile,
    openArchive: async (path, { only, signal }) => {
      const query = { path, username: fileUser, only: JSON.stringify(only) }
      const response = await host.guest(target, { method: 'GET', path: '/files/archive', query, signal })
      if (response.statusCode >= 400) throw await fileError(response, path)
      holdWhile(response.body, transferring)
      return Readable.toWeb(response.body) as ReadableStream<Uint8Array>
    },
    download: async (path, signal) => {
      const { stream, sizeBytes } = await openFile(path, signal === undefined ? {} : { signal })
      return { stream, sizeBytes }
    },
    uploadFile,
    upload: (path, content, signal) => uploadFile(path, content, { signal, isExecutable: false }),
  }
}

/** What the response is, in the words of HTTP; undefined if it is neither a file nor a part of one. */
function descriptionOf({ statusCode, headers }: Dispatcher.ResponseData): Omit<OpenedFile, 'stream'> | undefined {
  const range = String(headers['content-range'] ?? '')
  const isPart = statusCode === 206 && /^bytes \d{1,16}-\d{1,16}\/(\d{1,16}|\*)$/.test(range)
  if (statusCode !== 200 && !isPart) return undefined
  const length = Number(headers['content-length'] ?? Number.NaN)
  const sizeBytes = Number.isSafeInteger(length) ? length : null
  return { status: statusCode, sizeBytes, contentRange: isPart ? range : null }
}

/** Ends a response that isn’t read, however long it is. */
function discard(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => undefined).destroy()
}

function holdWhile(body: Readable, transferring: () => Disposable): void {
  const transfer = transferring()
  body.once('close', () => transfer[Symbol.dispose]())
}

/** An error of a guest is a sentence; the code of a sandbox can make it longer. */
const maxErrorBytes = 64 * 1024
const maxErrorCharacters = 500

/** The host responds with errors of threadbox, the guest with E2B’s: a number and a sentence. */
async function fileError(response: Dispatcher.ResponseData, path: string): Promise<Error> {
  const { text } = await readAtMost(response.body, maxErrorBytes)
  const body = parseJson(text) as { message?: unknown } | undefined
  // Only the gateway sets this header: a guest could otherwise sign people out, in the words of the server.
  const known = response.headers[errorHeader] === undefined ? undefined : fromWireError(body)
  if (known !== undefined) return known
  const problem =
    typeof body?.message === 'string' ? body.message.slice(0, maxErrorCharacters) : `status ${response.statusCode}`
  if (response.statusCode === 404) return fileNotFound({ path })
  if (response.statusCode === 507) return sandboxDiskFull({ path })
  const header = (name: string) => response.headers[name]
  if (isDirectoryError({ header, message: problem })) return fileIsDirectory({ path })
  if (response.statusCode < 500) return fileRefused({ path, problem })
  return guestAnswerUnknown({ problem: `HTTP status ${response.statusCode}` }, { cause: new Error(problem) })
}
