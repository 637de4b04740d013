import { notArchivable } from '../archive/archives.errors.ts'
import type { Archives } from '../archive/archives.usecases.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'
import type { Demotion } from './demotion.ts'

/** What a person can do with the files of a sleeping sandbox. */
export type ArchiveActions = {
  /**
   * Moves the files to the archive, and discards saved memory before. Does nothing to an archived sandbox. Throws
   * `archive.not-asleep`, `archive.not-set-up`, `archive.store-unreachable`.
   */
  archive(threadId: string): Promise<void>
  /** Restores archived files without a start. Does nothing to a sandbox that isn’t archived. */
  restore(threadId: string): Promise<void>
}

export function makeArchiveActions({
  store,
  archives,
  demotion,
}: {
  store: Pick<SandboxStore, 'find'>
  archives: Pick<Archives, 'leave' | 'bringBack'>
  demotion: Pick<Demotion, 'demote'>
}): ArchiveActions {
  return {
    archive: async (threadId) => {
      const before = await store.find(threadId)
      if (before?.state === 'archived') return
      if (before?.state === 'paused') await demotion.demote(before, 'time')
      const row = before && (await store.find(threadId))
      if (row === undefined) throw notArchivable({ state: 'fresh' })
      await archives.leave(row)
    },
    restore: archives.bringBack,
  }
}
