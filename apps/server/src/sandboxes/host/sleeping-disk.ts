import { Readable } from 'node:stream'
import { fromWireError } from '@threadbox/errors'
import {
  hostPaths,
  type SleepingEntry,
  type SleepingPage,
  type SleepingQuestion,
  sleepingEntryHeader,
  sleepingEntrySchema,
  sleepingPageSchema,
} from '@threadbox/protocol/host'
import type { Dispatcher } from 'undici'
import { parseJson } from '../../platform/system/parse-json.ts'
import { hostAnswerUnknown } from './host.errors.ts'

/** The files of a sandbox that sleeps, read by the host. Links are named and not followed. */
export type SleepingDisk = {
  list(path: string, part: { after: string; limit: number }): Promise<SleepingPage>
  entry(path: string): Promise<SleepingEntry>
  /** A range ends with its last byte. */
  open(
    path: string,
    range?: { start: number; end?: number },
  ): Promise<{ entry: SleepingEntry; stream: ReadableStream<Uint8Array> }>
  /** A folder as a zip, or of some of what is in it: `only` are paths below it. */
  archive(path: string, only: readonly string[]): Promise<ReadableStream<Uint8Array>>
}

export function makeSleepingDisk(
  send: (request: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>,
  { sandboxId, signal }: { sandboxId: string; signal: AbortSignal },
): SleepingDisk {
  const ask = async (question: SleepingQuestion) => {
    const { kind, path, ...rest } = question
    const query = {
      kind,
      path,
      ...Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, String(value)])),
    }
    const response = await send({ method: 'GET', path: hostPaths.sleepingFiles(sandboxId), query, signal })
    if (response.statusCode < 400) return response
    throw fromWireError(parseJson(await response.body.text())) ?? hostAnswerUnknown({ status: response.statusCode })
  }
  const bodyOf = async (response: Dispatcher.ResponseData) => parseJson(await response.body.text())
  return {
    list: async (path, part) => sleepingPageSchema.parse(await bodyOf(await ask({ kind: 'list', path, ...part }))),
    entry: async (path) => sleepingEntrySchema.parse(await bodyOf(await ask({ kind: 'entry', path }))),
    open: async (path, range) => {
      const response = await ask({ kind: 'content', path, start: 0, ...range })
      const header = response.headers[sleepingEntryHeader]
      // A folder is answered without bytes.
      const text = typeof header === 'string' ? Buffer.from(header, 'base64url').toString() : await response.body.text()
      const entry = sleepingEntrySchema.parse(parseJson(text))
      return { entry, stream: Readable.toWeb(response.body) as ReadableStream<Uint8Array> }
    },
    archive: async (path, only) => {
      const response = await ask({ kind: 'archive', path, only: JSON.stringify(only) })
      return Readable.toWeb(response.body) as ReadableStream<Uint8Array>
    },
  }
}
