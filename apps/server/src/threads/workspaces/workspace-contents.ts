import { pLimit } from '@threadbox/concurrency'
import type { SandboxState } from '@threadbox/domain'
import type { WorkspaceContents } from '@threadbox/protocol/public'
import type { WorkspaceThreads } from '../threads/workspace-threads.ts'

type OwnSandbox = { sandboxId: string; state: SandboxState }

/** Counts one kind of what is stored of threads and workspaces beside conversations. */
export type ContentCounter =
  | {
      kind: 'sandboxes'
      /** Threads with something on their disk, by thread. */
      count: (threadIds: readonly string[]) => Promise<Map<string, OwnSandbox>>
      /** Null: the host doesn't report it. */
      diskBytesOf: (sandboxId: string) => Promise<number | null>
    }
  /** Names by thread. */
  | { kind: 'services'; count: (threadIds: readonly string[]) => Promise<Map<string, string[]>> }
  /** Names of the workspace's connections. */
  | { kind: 'connections'; count: (workspaceId: string) => Promise<string[]> }

export type ContentsDependencies = { threads: WorkspaceThreads; counters: () => readonly ContentCounter[] }

type Counter<Kind extends ContentCounter['kind']> = Extract<ContentCounter, { kind: Kind }>

function counterOf<Kind extends ContentCounter['kind']>(
  { counters }: ContentsDependencies,
  kind: Kind,
): Counter<Kind> | undefined {
  return counters().find((counter): counter is Counter<Kind> => counter.kind === kind)
}

/** Limit of listed threads: a longer list isn't read before a decision. The totals count all of them. */
const namedThreads = 200
/** Number of sandboxes that are measured concurrently. */
const maxConcurrentMeasurements = 8
/** Databases limit the number of values per query. */
const maxIdsPerQuery = 1000

/** Returns everything that deleting the workspace removes, without waking sandboxes. Others’ private threads have no title. */
export async function readContents(
  dependencies: ContentsDependencies,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): Promise<WorkspaceContents> {
  const { threads } = dependencies
  const ofSandboxes = counterOf(dependencies, 'sandboxes')
  const ofServices = counterOf(dependencies, 'services')
  const ids = await threads.ids(workspaceId)
  const named = await threads.latest(workspaceId, namedThreads)
  const sandboxes = new Map<string, OwnSandbox>()
  const services = new Map<string, string[]>()
  for (let at = 0; at < ids.length; at += maxIdsPerQuery) {
    const part = ids.slice(at, at + maxIdsPerQuery)
    for (const [threadId, sandbox] of (await ofSandboxes?.count(part)) ?? []) sandboxes.set(threadId, sandbox)
    for (const [threadId, names] of (await ofServices?.count(part)) ?? []) services.set(threadId, names)
  }
  const measured = named.flatMap(({ id }) => sandboxes.get(id) ?? [])
  const sizes = await measure(async (sandboxId) => (await ofSandboxes?.diskBytesOf(sandboxId)) ?? null, measured)
  const known = [...sizes.values()].filter((size) => size !== null)
  return {
    threadCount: ids.length,
    sandboxCount: sandboxes.size,
    serviceCount: [...services.values()].reduce((total, names) => total + names.length, 0),
    diskBytes: known.reduce((total, size) => total + size, 0),
    unmeasuredCount: sandboxes.size - known.length,
    connections: (await counterOf(dependencies, 'connections')?.count(workspaceId)) ?? [],
    threads: named.map(({ id, title, user_id, is_private }) => {
      const sandbox = sandboxes.get(id)
      const shown = sandbox && { state: sandbox.state, diskBytes: sizes.get(sandbox.sandboxId) ?? null }
      const isHidden = is_private === 1 && user_id !== userId
      const named = { id, title: isHidden ? '' : title, isPrivate: is_private === 1 }
      return { ...named, sandbox: shown ?? null, services: services.get(id) ?? [] }
    }),
  }
}

async function measure(
  diskBytesOf: (sandboxId: string) => Promise<number | null>,
  sandboxes: readonly { sandboxId: string }[],
): Promise<Map<string, number | null>> {
  const sizes = new Map<string, number | null>()
  const limit = pLimit(maxConcurrentMeasurements)
  const measureOne = async (sandboxId: string) => sizes.set(sandboxId, await diskBytesOf(sandboxId))
  await Promise.all(sandboxes.map(({ sandboxId }) => limit(measureOne, sandboxId)))
  return sizes
}
