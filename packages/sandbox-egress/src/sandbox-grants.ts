import type { Grant, SandboxGrants } from '@threadbox/protocol/egress'

/** The grants of each sandbox, in memory only. */
export type GrantsStore = {
  /** Undefined: the server has not sent them since this process started. */
  find(sandboxId: string): readonly Grant[] | undefined
  /** Returns the revision that applies now. */
  set(order: SandboxGrants): number
  remove(sandboxId: string): void
}

export function makeGrantsStore(): GrantsStore {
  const kept = new Map<string, SandboxGrants>()
  return {
    find: (sandboxId) => kept.get(sandboxId)?.grants,
    set: (order) => {
      const before = kept.get(order.sandboxId)
      if (before !== undefined && before.revision > order.revision) return before.revision
      kept.set(order.sandboxId, order)
      return order.revision
    },
    remove: (sandboxId) => void kept.delete(sandboxId),
  }
}
