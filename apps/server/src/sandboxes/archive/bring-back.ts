import { Readable } from 'node:stream'
import { openSealedStream, sealedPartLost } from '@threadbox/backups'
import { isErrorOf } from '@threadbox/errors'
import { z } from 'zod'
import type { Sandbox } from '../state/sandbox.logic.ts'
import { asUnreachable } from './archive-place.ts'
import type { ArchivesDependencies } from './archives.dependencies.ts'
import { archiveLost } from './archives.errors.ts'
import type { ArchiveRow } from './archives.table.ts'
import { prefixOf } from './leave.ts'

const partsSchema = z.array(z.object({ sha256: z.string(), sizeBytes: z.number() }))
const limitsSchema = z.object({
  memoryBytes: z.number(),
  cpus: z.number(),
  processes: z.number(),
  diskBytes: z.number(),
})
/** Progress is shown in steps of this size. */
const shownBytes = 8 * 1024 * 1024

/** Restores an archived sandbox to a cold one. If it fails, it is archived as before. */
export async function bringBack(dependencies: ArchivesDependencies, { thread_id: threadId }: Sandbox): Promise<void> {
  const { store, sandboxes, host, state, system } = dependencies
  const startedAt = system.now()
  const row = await sandboxes.find(threadId)
  if (row?.state !== 'archived') return
  const copy = await store.current(row.id)
  const actual = await host.get(row.id)
  // The host still has the files, or has them again: a crash came before the record.
  const isOnHost = actual !== undefined && actual.isArchived !== true
  if (!isOnHost) {
    if (copy === undefined) throw archiveLost({ reason: 'This installation has no record of where they are.' })
    try {
      await receive(dependencies, { row, copy })
    } catch (error) {
      dependencies.logger.warn({ err: error, sandboxId: row.id }, 'a sandbox was not restored from the archive')
      if (isErrorOf(sealedPartLost, error)) throw archiveLost({ reason: error.message }, { cause: error })
      throw asUnreachable(error)
    }
  }
  const durationMs = isOnHost && copy?.phase !== 'stored' ? null : system.now() - startedAt
  await state.transition(row, { type: 'restored', durationMs })
  if (copy !== undefined) await store.change(copy.id, { phase: 'returned', since: system.now() })
}

async function receive(
  dependencies: ArchivesDependencies,
  { row, copy }: { row: Sandbox; copy: ArchiveRow },
): Promise<void> {
  const { host, place, state } = dependencies
  const [objects, { identity }] = await Promise.all([place.open(copy.place), place.keys()])
  const parts = partsSchema.parse(JSON.parse(copy.parts_json))
  using restoring = state.restorations.begin(row.id)
  let unshown = 0
  const onRead = (bytes: number) => {
    restoring.add(bytes)
    unshown += bytes
    if (unshown < shownBytes) return
    unshown = 0
    void dependencies.announce(row.thread_id, false)
  }
  void dependencies.announce(row.thread_id, false)
  // The host reports only that the stream broke off.
  let failure: unknown
  const content = async function* () {
    try {
      yield* openSealedStream({ prefix: prefixOf(copy), parts }, { store: objects, identity, onRead })
    } catch (error) {
      failure = error
      throw error
    }
  }
  const order = {
    usedBytes: copy.used_bytes,
    imageId: copy.image_id,
    limits: limitsSchema.parse(JSON.parse(copy.limits_json)),
  }
  const stream = Readable.from(content())
  try {
    await host.restore(row.id, order, Readable.toWeb(stream) as ReadableStream<Uint8Array>)
  } catch (error) {
    throw failure ?? error
  } finally {
    stream.destroy()
    void dependencies.announce(row.thread_id, false)
  }
}
