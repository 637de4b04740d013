import { cp, mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { defineError } from '@threadbox/errors'
import { filesystem } from '@threadbox/protocol/guest'
import { makeByteQueue } from '../ground/byte-queue.ts'
import { freshRandom } from '../ground/random.ts'
import { type DirectoryWatch, type WatchEvent, watchDirectory } from './directory-watch.ts'
import { describeEntry, listEntries, listPage, type PathBase, resolvePath } from './file-entries.ts'
import { pathInvalid, withFileErrors } from './file-errors.ts'

export const watcherUnknown = defineError<{ id: string }>({
  code: 'file.watcher-unknown',
  kind: 'not-found',
  message: ({ id }) => `Watcher ${id} not found.`,
  remedy: () => 'Create a new one.',
})

const defaultKeepAliveSeconds = 90
/** A watcher keeps this many events until a client fetches them; older ones are dropped. */
const eventsKept = 10_000

/** The Filesystem service, compatible with E2B's envd. It acts with the rights of its own process. */
export function makeFilesystemService(base: PathBase): ServiceImpl<typeof filesystem.Filesystem> {
  const watchers = new Map<string, { watch: DirectoryWatch; events: filesystem.FilesystemEvent[] }>()
  const at = (path: string) => resolvePath(path, base)
  return {
    stat: async ({ path }) => ({ entry: await describeEntry(at(path)) }),
    makeDir: async ({ path }) => ({ entry: await makeDirectory(at(path)) }),
    move: async ({ source, destination }) => ({ entry: await move({ from: at(source), to: at(destination) }) }),
    listDir: async ({ path, depth, after, limit }) => {
      await requireDirectoryAt(at(path))
      if (limit > 0) return await listPage({ path: at(path), after, limit })
      return { entries: await listEntries({ path: at(path), depth: depth === 0 ? 1 : depth }) }
    },
    remove: async ({ path }) => {
      await withFileErrors(at(path), () => rm(at(path), { recursive: true, force: true }))
      return {}
    },
    watchDir: async function* (request, context) {
      yield* streamChanges({ ...request, path: at(request.path) }, context)
    },
    createWatcher: async (request) => {
      await requireDirectoryAt(at(request.path))
      const events: filesystem.FilesystemEvent[] = []
      const onEvent = async (event: WatchEvent) => {
        events.push((await toMessage(event, request.includeEntry)) as filesystem.FilesystemEvent)
        if (events.length > eventsKept) events.shift()
      }
      const watch = await watchDirectory({
        ...request,
        path: at(request.path),
        onEvent: (event) => void onEvent(event),
      })
      const watcherId = freshRandom(12)
      watchers.set(watcherId, { watch, events })
      return { watcherId }
    },
    getWatcherEvents: ({ watcherId }) => {
      const watcher = watchers.get(watcherId)
      if (watcher === undefined) throw watcherUnknown({ id: watcherId })
      return { events: watcher.events.splice(0) }
    },
    removeWatcher: ({ watcherId }) => {
      const watcher = watchers.get(watcherId)
      if (watcher === undefined) throw watcherUnknown({ id: watcherId })
      watcher.watch.close()
      watchers.delete(watcherId)
      return {}
    },
  }
}

type ChangeMessage = {
  event: { case: 'start' | 'keepalive'; value: object } | { case: 'filesystem'; value: EventInit }
}
type EventInit = { name: string; type: filesystem.EventType; entry?: filesystem.EntryInfo }

async function* streamChanges(
  request: { path: string; recursive: boolean; includeEntry: boolean },
  context: HandlerContext,
): AsyncGenerator<ChangeMessage> {
  await requireDirectoryAt(request.path)
  const queue = makeByteQueue<ChangeMessage>(() => {})
  const onEvent = async (event: WatchEvent) =>
    queue.push({ event: { case: 'filesystem', value: await toMessage(event, request.includeEntry) } }, 0)
  const watch = await withFileErrors(request.path, () =>
    watchDirectory({ ...request, onEvent: (event) => void onEvent(event) }),
  )
  try {
    yield { event: { case: 'start', value: {} } }
    const asked = Number(context.requestHeader.get('keepalive-ping-interval') ?? defaultKeepAliveSeconds)
    const idle: ChangeMessage = { event: { case: 'keepalive', value: {} } }
    const idleMs = (asked > 0 ? asked : defaultKeepAliveSeconds) * 1000
    yield* queue.read({ signal: context.signal, idleMs, idle })
  } finally {
    watch.close()
  }
}

async function toMessage(event: WatchEvent, includeEntry: boolean): Promise<EventInit> {
  const described = [filesystem.EventType.CREATE, filesystem.EventType.WRITE, filesystem.EventType.CHMOD]
  const wanted = includeEntry && described.includes(event.type)
  const entry = wanted ? await describeEntry(event.path).catch(() => undefined) : undefined
  return { name: event.name, type: event.type, ...(entry === undefined ? {} : { entry }) }
}

async function requireDirectoryAt(path: string) {
  const stats = await withFileErrors(path, () => stat(path))
  if (!stats.isDirectory()) throw pathInvalid({ path, problem: 'it is not a directory' })
}

async function makeDirectory(path: string) {
  await withFileErrors(path, async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o755 })
    await mkdir(path, { mode: 0o755 })
  })
  return await describeEntry(path)
}

async function move(options: { from: string; to: string }) {
  await withFileErrors(options.from, async () => {
    await mkdir(dirname(options.to), { recursive: true, mode: 0o755 })
    try {
      await rename(options.from, options.to)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
      await cp(options.from, options.to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
      await rm(options.from, { recursive: true })
    }
  })
  return await describeEntry(options.to)
}
