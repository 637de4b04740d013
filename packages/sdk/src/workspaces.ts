import type {
  CreateWorkspace,
  PlaceWorkspace,
  SetMember,
  UpdateWorkspace,
  Workspace,
  WorkspaceContents,
  WorkspaceMembers,
  Workspaces,
} from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** Workspaces: groups of threads, and the values that their threads inherit. */
export function workspaceCalls(connection: Connection) {
  const at = (workspaceId: string, rest = '') => `/workspaces/${encodeURIComponent(workspaceId)}${rest}`
  return {
    list: (signal?: AbortSignal) => connection.json<Workspaces>('GET', '/workspaces', { signal }),
    create: (request: CreateWorkspace) => connection.json<Workspace>('POST', '/workspaces', { json: request }),
    get: (workspaceId: string, signal?: AbortSignal) => connection.json<Workspace>('GET', at(workspaceId), { signal }),
    update: (workspaceId: string, request: UpdateWorkspace) =>
      connection.json<Workspace>('PATCH', at(workspaceId), { json: request }),
    /** Moves a workspace before another one, or to the end. */
    place: (workspaceId: string, request: PlaceWorkspace) =>
      connection.json<Workspaces>('PUT', at(workspaceId, '/position'), { json: request }),
    /** Gets what {@link delete} would delete, by name and size. */
    contents: (workspaceId: string, signal?: AbortSignal) =>
      connection.json<WorkspaceContents>('GET', at(workspaceId, '/contents'), { signal }),
    /** Deletes a workspace with its threads and their sandboxes; {@link restore} restores all of it for 30 seconds. */
    delete: (workspaceId: string) => connection.json<Workspace>('DELETE', at(workspaceId)),
    restore: (workspaceId: string) => connection.json<Workspace>('POST', at(workspaceId, '/restore')),
    members: (workspaceId: string, signal?: AbortSignal) =>
      connection.json<WorkspaceMembers>('GET', at(workspaceId, '/members'), { signal }),
    /** Adds a person, or changes their role. */
    setMember: (workspaceId: string, userId: string, request: SetMember) =>
      connection.json<WorkspaceMembers>('PUT', at(workspaceId, `/members/${encodeURIComponent(userId)}`), {
        json: request,
      }),
    removeMember: (workspaceId: string, userId: string) =>
      connection.json<WorkspaceMembers>('DELETE', at(workspaceId, `/members/${encodeURIComponent(userId)}`)),
    leave: (workspaceId: string) => connection.json<void>('POST', at(workspaceId, '/leave')),
  }
}
