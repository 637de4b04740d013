import { pLimit } from '@threadbox/concurrency'
import type { SandboxState } from '@threadbox/domain'
import type { WorkspaceContents } from '@threadbox/protocol/public'
import type { WorkspaceThreads } from '../threads/workspace-threads.ts'

type OwnSandbox = { sandboxId: string; state: SandboxState }

/** One kind of what is kept of threads and workspaces beside conversations. */
export type ContentCounter =
  | {
      kind: 'sandboxes'
      /** Those that have something on their disk, by thread. */
      count: (threadIds: readonly string[]) => Promise<Map<string, OwnSandbox>>
      /** Null: the machine does not tell. */
      diskBytesOf: (sandboxId: string) => Promise<number | null>
    }
  /** Names by thread. */
  | { kind: 'services'; count: (threadIds: readonly string[]) => Promise<Map<string, string[]>> }
  /** Names of those of the workspace. */
  | { kind: 'connections'; count: (workspaceId: string) => Promise<string[]> }

export type ContentsDependencies = { threads: WorkspaceThreads; counters: () => readonly ContentCounter[] }

type Counter<Kind extends ContentCounter['kind']> = Extract<ContentCounter, { kind: Kind }>

function counterOf<Kind extends ContentCounter['kind']>(
  { counters }: ContentsDependencies,
  kind: Kind,
): Counter<Kind> | undefined {
  return counters().find((counter): counter is Counter<Kind> => counter.kind === kind)
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
  const ofSandboxes = counterOf(dependencies, 'sandboxes')
  const ofServices = counterOf(dependencies, 'services')
  const ids = await threads.ids(workspaceId)
  const named = await threads.latest(workspaceId, namedThreads)
  const sandboxes = new Map<string, OwnSandbox>()
  const services = new Map<string, string[]>()
  for (let at = 0; at < ids.length; at += askedAtOnce) {
    const part = ids.slice(at, at + askedAtOnce)
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
    threads: named.map(({ id, title }) => {
      const sandbox = sandboxes.get(id)
      const shown = sandbox && { state: sandbox.state, diskBytes: sizes.get(sandbox.sandboxId) ?? null }
      return { id, title, sandbox: shown ?? null, services: services.get(id) ?? [] }
    }),
  }
}

async function measure(
  diskBytesOf: (sandboxId: string) => Promise<number | null>,
  sandboxes: readonly { sandboxId: string }[],
): Promise<Map<string, number | null>> {
  const sizes = new Map<string, number | null>()
  const limit = pLimit(measuredAtOnce)
  const measureOne = async (sandboxId: string) => sizes.set(sandboxId, await diskBytesOf(sandboxId))
  await Promise.all(sandboxes.map(({ sandboxId }) => limit(measureOne, sandboxId)))
  return sizes
}
