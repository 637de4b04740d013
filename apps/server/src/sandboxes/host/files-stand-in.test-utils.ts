import { mkdir, readdir, readFile, rename, rm, stat, watch } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { basename, join } from 'node:path'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect'
import { filesystem } from '@threadbox/protocol/guest'
import { type SleepingEntry, sleepingEntryHeader, sleepingQuestionSchema } from '@threadbox/protocol/host'

type WatchAnswer = MessageInitShape<typeof filesystem.WatchDirResponseSchema>

/** The guest's files as plain files of this machine. */
export function filesystemRoutes(router: ConnectRouter, real: (path: string) => string): void {
  const info = async (path: string) => {
    const found = await stat(real(path)).catch(() => undefined)
    if (found === undefined) throw new ConnectError('no such file', Code.NotFound)
    return {
      name: basename(path),
      path,
      type: found.isDirectory() ? filesystem.FileType.DIRECTORY : filesystem.FileType.FILE,
      size: BigInt(found.size),
      permissions: 'rw-r--r--',
      modifiedTime: {
        seconds: BigInt(Math.floor(found.mtimeMs / 1000)),
        nanos: Math.floor((found.mtimeMs % 1000) * 1e6),
      },
    }
  }
  router.service(filesystem.Filesystem, {
    stat: async ({ path }) => ({ entry: await info(path) }),
    listDir: async ({ path }) => {
      await info(path)
      const names = await readdir(real(path))
      return { entries: await Promise.all(names.map((name) => info(join(path, name)))) }
    },
    watchDir: async function* ({ path }, { signal }): AsyncGenerator<WatchAnswer> {
      await info(path)
      const changes = watch(real(path), { signal })
      yield { event: { case: 'start', value: {} } }
      for await (const { filename } of changes) {
        yield { event: { case: 'filesystem', value: { name: filename ?? '', type: filesystem.EventType.WRITE } } }
      }
    },
    makeDir: async ({ path }) => {
      await mkdir(real(path), { recursive: true })
      return { entry: await info(path) }
    },
    move: async ({ source, destination }) => {
      await rename(real(source), real(destination))
      return { entry: await info(destination) }
    },
    remove: async ({ path }) => {
      await rm(real(path), { recursive: true })
      return {}
    },
  })
}

/** The host's reads of a sandbox that sleeps, from plain files. */
export async function answerSleeping(
  response: ServerResponse,
  options: { query: URLSearchParams; real: (path: string) => string },
): Promise<void> {
  const question = sleepingQuestionSchema.parse(Object.fromEntries(options.query))
  const { path } = question
  const describe = async (at: string): Promise<SleepingEntry> => {
    const found = await stat(options.real(at))
    const type = found.isDirectory() ? 'directory' : 'file'
    const nanos = Math.floor((found.mtimeMs % 1000) * 1e6)
    return {
      name: basename(at),
      path: at,
      type,
      sizeBytes: found.size,
      mode: found.mode,
      linkTarget: null,
      modifiedSeconds: Math.floor(found.mtimeMs / 1000),
      modifiedNanos: nanos,
    }
  }
  if (question.kind === 'list') {
    const names = (await readdir(options.real(path))).toSorted()
    const entries = await Promise.all(names.map((name) => describe(join(path, name))))
    return void response.end(JSON.stringify({ entries, total: names.length, next: null }))
  }
  const entry = await describe(path)
  if (question.kind === 'entry') return void response.end(JSON.stringify(entry))
  const header = Buffer.from(JSON.stringify(entry)).toString('base64url')
  if (question.kind === 'archive') {
    response.writeHead(200, { 'content-type': 'application/zip', [sleepingEntryHeader]: header })
    return void response.end(`zip of ${path}: ${question.only}`)
  }
  const bytes = await readFile(options.real(path))
  const end = question.end === undefined ? bytes.length : question.end + 1
  response.writeHead(200, { [sleepingEntryHeader]: header }).end(bytes.subarray(question.start, end))
}
