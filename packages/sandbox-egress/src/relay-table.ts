import type { RelayedSandbox, RelayTable, VirtualName } from '@threadbox/protocol/egress'

/** What each sandbox can reach, and the names of virtual addresses. */
export type SandboxTable = {
  /** The sandbox with this address now. */
  findSandbox(address: string): RelayedSandbox | undefined
  /** The name that a virtual address stands for. */
  nameOf(address: string): string | undefined
  find(sandboxId: string): RelayedSandbox | undefined
  sandboxes(): Iterable<RelayedSandbox>
  replaceAll(table: RelayTable): void
  set(sandbox: RelayedSandbox): void
  remove(sandboxId: string): void
  addName(name: VirtualName): void
}

export function makeSandboxTable(): SandboxTable {
  const byId = new Map<string, RelayedSandbox>()
  const byAddress = new Map<string, RelayedSandbox>()
  const names = new Map<string, string>()
  const remove = (sandboxId: string) => {
    const sandbox = byId.get(sandboxId)
    if (sandbox === undefined) return
    byId.delete(sandboxId)
    byAddress.delete(sandbox.address)
  }
  const set = (sandbox: RelayedSandbox) => {
    remove(sandbox.sandboxId)
    // An address belongs to the sandbox that got it last.
    remove(byAddress.get(sandbox.address)?.sandboxId ?? '')
    byId.set(sandbox.sandboxId, sandbox)
    byAddress.set(sandbox.address, sandbox)
  }
  return {
    findSandbox: (address) => byAddress.get(address),
    nameOf: (address) => names.get(address),
    find: (sandboxId) => byId.get(sandboxId),
    sandboxes: () => byId.values(),
    replaceAll: (table) => {
      for (const map of [byId, byAddress, names]) map.clear()
      for (const sandbox of table.sandboxes) set(sandbox)
      for (const { address, name } of table.names) names.set(address, name)
    },
    set,
    remove,
    addName: ({ address, name }) => void names.set(address, name),
  }
}
