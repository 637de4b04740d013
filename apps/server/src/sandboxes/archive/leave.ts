import { Buffer } from 'node:buffer'
import { mkdir } from 'node:fs/promises'
import { storeSealedStream } from '@threadbox/backups'
import { isThreadboxError } from '@threadbox/errors'
import type { Sandbox } from '../state/sandbox.logic.ts'
import { limitsOf } from '../state/sandbox-rows.ts'
import { asUnreachable } from './archive-place.ts'
import type { ArchivesDependencies } from './archives.dependencies.ts'
import { archiveNotSetUp, notArchivable } from './archives.errors.ts'
import type { ArchiveRow } from './archives.table.ts'

/** The prefix of a copy's objects in the store. */
export function prefixOf({ id, sandbox_id }: Pick<ArchiveRow, 'id' | 'sandbox_id'>): string {
  return `archives/${sandbox_id}/${id}`
}

/**
 * Stores a copy of the files and compares it, and only then has the host delete its own. Until the sandbox is recorded as
 * archived, a use of it goes ahead: then the copy is discarded. From that record on, a use waits and restores it.
 */
export async function leave(dependencies: ArchivesDependencies, row: Sandbox): Promise<void> {
  const { store, system, state } = dependencies
  const { place } = dependencies.place
  if (place === undefined) throw archiveNotSetUp({})
  await requireUnused(dependencies, row)
  const copy = await begin(dependencies, { row, place })
  try {
    await fill(dependencies, { row, copy })
  } catch (error) {
    await store.change(copy.id, { phase: 'discarded', since: system.now() })
    throw asUnreachable(error)
  }
  await state.exclusively(row.thread_id, () => exchange(dependencies, { row, copyId: copy.id }))
}

async function requireUnused({ sandboxes, state }: ArchivesDependencies, row: Sandbox): Promise<Sandbox> {
  const now = await sandboxes.find(row.thread_id)
  const isUsed = state.sandboxes.waking(row.thread_id) !== undefined || state.sandboxes.isHeld(row.thread_id)
  if (now?.id !== row.id || now.state !== 'cold' || now.has_run !== 1 || now.intent !== null || isUsed) {
    throw notArchivable({ state: now?.state ?? 'fresh' })
  }
  return now
}

async function begin(
  { store, host, system }: ArchivesDependencies,
  { row, place }: { row: Sandbox; place: string },
): Promise<ArchiveRow> {
  const { generation, usedBytes } = await host.diskContent(row.id)
  const known = await host.get(row.id)
  const copy: ArchiveRow = {
    id: Buffer.from(system.randomBytes(10)).toString('hex'),
    sandbox_id: row.id,
    phase: 'storing',
    place,
    generation,
    used_bytes: usedBytes,
    image_id: known?.imageId ?? '',
    limits_json: JSON.stringify(known?.limits ?? limitsOf(row)),
    parts_json: '[]',
    stored_bytes: 0,
    since: system.now(),
    is_shared: 0,
  }
  // Before the first object, so that a crash leaves none that no record leads to.
  await store.insert(copy)
  return copy
}

async function fill(
  dependencies: ArchivesDependencies,
  { row, copy }: { row: Sandbox; copy: ArchiveRow },
): Promise<void> {
  const { store, host, place, spoolDirectory, system } = dependencies
  const [objects, { recipient }] = await Promise.all([place.open(copy.place), place.keys()])
  await mkdir(spoolDirectory, { recursive: true, mode: 0o700 })
  const { parts } = await storeSealedStream({
    content: (await host.sendDisk(row.id, { whole: true })) as AsyncIterable<Uint8Array>,
    prefix: prefixOf(copy),
    recipient,
    store: objects,
    spoolDirectory,
    beforePart: async () => void (await requireUnused(dependencies, row)),
  })
  const storedBytes = parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const columns = { parts_json: JSON.stringify(parts), stored_bytes: storedBytes, since: system.now() }
  await store.change(copy.id, { phase: 'leaving', ...columns })
}

/** No wake begins while this runs. The record first: a crash in between leaves a sandbox that the host still has, too. */
async function exchange(
  dependencies: ArchivesDependencies,
  { row, copyId }: { row: Sandbox; copyId: string },
): Promise<void> {
  const { store, state, system } = dependencies
  const bytes = (await store.current(row.id))?.stored_bytes ?? 0
  const archived = await requireUnused(dependencies, row).then(
    (now) => state.transition(now, { type: 'archived', bytes }),
    () => undefined,
  )
  if (archived === undefined) {
    await store.change(copyId, { phase: 'discarded', since: system.now() })
    throw notArchivable({ state: 'in use' })
  }
  await removeFromHost(dependencies, { row: archived, copyId })
}

/** Called again after a crash. */
export async function removeFromHost(
  { store, host, state, system }: ArchivesDependencies,
  { row, copyId }: { row: Sandbox; copyId: string },
): Promise<void> {
  const copy = await store.current(row.id)
  if (copy?.id !== copyId) return
  try {
    await host.archive(row.id, { generation: copy.generation })
    await store.change(copyId, { phase: 'stored', since: system.now() })
  } catch (error) {
    // The host still has the files, and other ones than the copy.
    if (!isThreadboxError(error) || error.kind !== 'conflict') throw error
    await state.transition(row, { type: 'restored', durationMs: null })
    await store.change(copyId, { phase: 'discarded', since: system.now() })
    throw error
  }
}
