import type { SandboxState } from '@threadbox/domain'
import type { WorkspaceContents } from '@threadbox/protocol/public'
import type { WorkspaceThreads } from '../threads/workspace-threads.ts'

type OwnSandbox = { sandboxId: string; state: SandboxState }

/** What is kept of threads beside their conversation. */
export type ContentsDependencies = {
  threads: WorkspaceThreads
  /** Sandboxes that have something on their disk, by thread. */
  sandboxesOf: (threadIds: readonly string[]) => Promise<Map<string, OwnSandbox>>
  /** Null: the machine does not tell. */
  diskBytesOf: (sandboxId: string) => Promise<number | null>
  /** Names by thread. */
  servicesOf: (threadIds: readonly string[]) => Promise<Map<string, string[]>>
  /** Names of the connections of the workspace. */
  connectionsOf: (workspaceId: string) => Promise<string[]>
}

/** More threads than these nobody reads before they decide; the totals count all of them. */
const namedThreads = 200
/** The machine is asked about this many sandboxes at a time. */
const measuredAtOnce = 8
/** Databases take a bounded number of values in one question. */
const askedAtOnce = 1000

/** All that a delete of the workspace removes. Looking wakes nothing. */
export async function readContents(
  dependencies: ContentsDependencies,
  workspaceId: string,
): Promise<WorkspaceContents> {
  const { threads } = dependencies
  const ids = await threads.ids(workspaceId)
  const named = await threads.latest(workspaceId, namedThreads)
  const sandboxes = new Map<string, OwnSandbox>()
  const services = new Map<string, string[]>()
  for (let at = 0; at < ids.length; at += askedAtOnce) {
    const part = ids.slice(at, at + askedAtOnce)
    for (const [threadId, sandbox] of await dependencies.sandboxesOf(part)) sandboxes.set(threadId, sandbox)
    for (const [threadId, names] of await dependencies.servicesOf(part)) services.set(threadId, names)
  }
  const measured = named.flatMap(({ id }) => sandboxes.get(id) ?? [])
  const sizes = await measure(dependencies, measured)
  const known = [...sizes.values()].filter((size) => size !== null)
  return {
    threadCount: ids.length,
    sandboxCount: sandboxes.size,
    serviceCount: [...services.values()].reduce((total, names) => total + names.length, 0),
    diskBytes: known.reduce((total, size) => total + size, 0),
    unmeasuredCount: sandboxes.size - known.length,
    connections: await dependencies.connectionsOf(workspaceId),
    threads: named.map(({ id, title }) => {
      const sandbox = sandboxes.get(id)
      const shown = sandbox && { state: sandbox.state, diskBytes: sizes.get(sandbox.sandboxId) ?? null }
      return { id, title, sandbox: shown ?? null, services: services.get(id) ?? [] }
    }),
  }
}

async function measure(
  dependencies: ContentsDependencies,
  sandboxes: readonly { sandboxId: string }[],
): Promise<Map<string, number | null>> {
  const sizes = new Map<string, number | null>()
  const waiting = [...sandboxes]
  const take = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      sizes.set(next.sandboxId, await dependencies.diskBytesOf(next.sandboxId))
    }
  }
  await Promise.all(Array.from({ length: measuredAtOnce }, take))
  return sizes
}
