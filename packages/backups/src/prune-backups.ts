import type { ObjectStore } from '@threadbox/object-store'
import { indexNameOf, manifestNameOf } from './manifest.ts'
import { keptBackups, type Retention } from './retention.logic.ts'
import { objectName } from './sealed-object.ts'
import { takeLease } from './store-lease.ts'
import { listBackups, readIndex } from './stored-backups.ts'

/** What an interrupted backup stored stays this long: another program’s clock can differ. */
const unreferencedMs = 24 * 3600 * 1000

export type PruneOptions = {
  store: ObjectStore
  verificationKey: string
  retention: Retention
  holder: string
  now: () => number
}

export type Pruned = { backups: string[]; objects: number; freedBytes: number; kept: number }

/**
 * Removes backups that no rule keeps, then objects that no backup needs. A backup whose index can’t be read stays, and as long as
 * there is one, so do all objects: what it needs is unknown.
 */
export async function pruneBackups(options: PruneOptions): Promise<Pruned> {
  const { store, verificationKey, now } = options
  const lease = await takeLease(options)
  try {
    const names = await listBackups(store)
    const indexes = new Map<string, Awaited<ReturnType<typeof readIndex>> | undefined>()
    for (const name of names) {
      indexes.set(name, await readIndex(store, name, verificationKey).catch(() => undefined))
    }
    const readable = names.filter((name) => indexes.get(name) !== undefined)
    const kept = keptBackups(readable, options.retention)
    const removed = readable.filter((name) => !kept.has(name))
    for (const name of removed) {
      await lease.renew()
      // The index first: without it, the backup doesn’t exist.
      await store.delete(indexNameOf(name))
      await store.delete(manifestNameOf(name))
    }
    const result = { backups: removed, kept: names.length - removed.length }
    if (readable.length < names.length) return { ...result, objects: 0, freedBytes: 0 }
    const needed = new Set<string>()
    for (const name of kept) {
      needed.add(manifestNameOf(name))
      needed.add(indexNameOf(name))
      for (const [sha256] of indexes.get(name)?.objects ?? []) needed.add(objectName(sha256))
    }
    let objects = 0
    let freedBytes = 0
    for (const prefix of ['objects/', 'backups/']) {
      for await (const { name, sizeBytes, modifiedAt } of store.list(prefix)) {
        if (needed.has(name) || now() - modifiedAt < unreferencedMs) continue
        await lease.renew()
        await store.delete(name)
        objects += 1
        freedBytes += sizeBytes
      }
    }
    return { ...result, objects, freedBytes }
  } finally {
    await lease.release().catch(() => undefined)
  }
}
