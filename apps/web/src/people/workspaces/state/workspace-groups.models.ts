import type { Thread, Workspace } from '@threadbox/sdk'

export type WorkspaceThreads = { workspace: Workspace; threads: Thread[] }
export type SidebarThreads = { groups: WorkspaceThreads[]; archived: WorkspaceThreads[]; outside: Thread[] }

/** Threads under their workspace, pinned first, then the latest. One whose workspace is not known stands outside. */
export function byWorkspace(threads: readonly Thread[], workspaces: readonly Workspace[]): SidebarThreads {
  const visible = threads.filter((thread) => thread.deletedAt === null)
  const byId = Map.groupBy(visible, (thread) => thread.workspaceId ?? '')
  const known = new Set(workspaces.map(({ id }) => id))
  const groups = workspaces.map((workspace) => ({ workspace, threads: inOrder(byId.get(workspace.id) ?? []) }))
  return {
    groups: groups.filter(({ workspace }) => workspace.archivedAt === null),
    archived: groups.filter(({ workspace }) => workspace.archivedAt !== null),
    outside: visible.filter(({ workspaceId }) => workspaceId == null || !known.has(workspaceId)),
  }
}

function inOrder(threads: readonly Thread[]): Thread[] {
  return threads.toSorted(
    (a, b) => Number(b.isPinned) - Number(a.isPinned) || b.updatedAt - a.updatedAt || a.id.localeCompare(b.id),
  )
}

/** What to put a workspace in front of, so that it takes the place of the one it was dropped on. */
export function placeOnto(order: readonly string[], moved: string, onto: string): string | null {
  const isBelow = order.indexOf(onto) > order.indexOf(moved)
  return isBelow ? (order[order.indexOf(onto) + 1] ?? null) : onto
}

/** What to put a workspace in front of, to move it by one; undefined where it is at that end already. */
export function placeByOne(order: readonly string[], moved: string, step: -1 | 1): string | null | undefined {
  const onto = order[order.indexOf(moved) + step]
  return onto === undefined ? undefined : placeOnto(order, moved, onto)
}

/** The workspace above or below the one a thread is in; null is outside, which stands below all. */
export function neighbour(order: readonly string[], current: string | null, step: -1 | 1): string | null | undefined {
  const places = [...order, null]
  return places[places.indexOf(current) + step]
}
