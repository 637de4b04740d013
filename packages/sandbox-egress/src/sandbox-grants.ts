import { isDeepStrictEqual } from 'node:util'
import type { Grant, SandboxGrants } from '@threadbox/protocol/egress'

/** The grants of each sandbox, in memory only. */
export type GrantsStore = {
  /** Undefined: the server has not sent them since this process started. */
  find(sandboxId: string): readonly Grant[] | undefined
  /** Returns the revision that applies now, and the grants that no longer do. */
  set(order: SandboxGrants): { revision: number; removed: Grant[] }
  remove(sandboxId: string): void
}

export function makeGrantsStore(): GrantsStore {
  const kept = new Map<string, SandboxGrants>()
  return {
    find: (sandboxId) => kept.get(sandboxId)?.grants,
    set: (order) => {
      const before = kept.get(order.sandboxId)
      if (before !== undefined && before.revision > order.revision) return { revision: before.revision, removed: [] }
      kept.set(order.sandboxId, order)
      const isKept = (grant: Grant) => order.grants.some((other) => isDeepStrictEqual(other, grant))
      return { revision: order.revision, removed: (before?.grants ?? []).filter((grant) => !isKept(grant)) }
    },
    remove: (sandboxId) => void kept.delete(sandboxId),
  }
}
