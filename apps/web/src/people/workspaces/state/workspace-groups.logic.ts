import type { Thread, Workspace } from '@threadbox/sdk'

export type WorkspaceThreads = { workspace: Workspace; threads: Thread[] }
export type SidebarThreads = { groups: WorkspaceThreads[]; archived: WorkspaceThreads[]; outside: Thread[] }

/** Threads by workspace, pinned first, then the latest. Threads of an unknown workspace are outside. */
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

/** The workspace before which to put a moved one, so that it takes the position of the one it was dropped on. */
export function placeOnto(order: readonly string[], moved: string, onto: string): string | null {
  const isBelow = order.indexOf(onto) > order.indexOf(moved)
  return isBelow ? (order[order.indexOf(onto) + 1] ?? null) : onto
}

/** The workspace before which to put a workspace to move it by one; undefined if it is already at that end. */
export function placeByOne(order: readonly string[], moved: string, step: -1 | 1): string | null | undefined {
  const onto = order[order.indexOf(moved) + step]
  return onto === undefined ? undefined : placeOnto(order, moved, onto)
}

/** The workspace above or below a thread’s own; null is outside, which is below all. */
export function neighbor(order: readonly string[], current: string | null, step: -1 | 1): string | null | undefined {
  const places = [...order, null]
  return places[places.indexOf(current) + step]
}
