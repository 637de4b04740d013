import type { ObjectStore } from '@threadbox/object-store'
import { z } from 'zod'
import { backupLeaseLost, backupRunning } from './backups.errors.ts'

/** The right to write backups and to prune them. */
export type StoreLease = {
  /** Keeps it; throws `backup.lease-lost` if another writer has it. Call it before what must not happen without it. */
  renew(): Promise<void>
  release(): Promise<void>
}

export type LeaseOptions = { store: ObjectStore; holder: string; now: () => number }

const schema = z.object({ holder: z.string(), until: z.number(), since: z.number() })
/** After this without a sign of life, another writer takes over. */
const lifeMs = 15 * 60 * 1000
const longestMs = 24 * 3600 * 1000

export async function takeLease({ store, holder, now }: LeaseOptions): Promise<StoreLease> {
  const since = now()
  const textUntil = (until: number) => JSON.stringify({ holder, since, until })
  const found = await store.readLease()
  const other = found === undefined ? undefined : parse(found.text)
  if (other !== undefined && other.until > since) {
    throw backupRunning({ holder: other.holder, until: new Date(other.until).toISOString() })
  }
  const write = async (until: number, over: string | undefined) => {
    const version = await store.writeLease(textUntil(until), over)
    if (version === undefined) throw backupLeaseLost({})
    return version
  }
  let version = await write(since + lifeMs, found?.version)
  let renewedAt = since
  return {
    renew: async () => {
      if (now() > since + longestMs) throw backupLeaseLost({})
      if (now() - renewedAt < lifeMs / 15 && (await store.readLease())?.version === version) return
      version = await write(now() + lifeMs, version)
      renewedAt = now()
    },
    release: async () => {
      // Another writer’s lease stays as it is.
      await store.writeLease(textUntil(0), version)
    },
  }
}

/** What can’t be read belongs to no writer. */
function parse(text: string) {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
