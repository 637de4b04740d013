import type { CreateSecret, Secret, UpdateSecret } from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/**
 * Values that programs in sandboxes use without getting them. Creating, changing and granting require a session that was
 * confirmed recently.
 */
export function secretCalls(connection: Connection) {
  const of = (secretId: string, rest = '') => `/secrets/${encodeURIComponent(secretId)}${rest}`
  const inWorkspace = (secretId: string, workspaceId: string) =>
    of(secretId, `/workspaces/${encodeURIComponent(workspaceId)}`)
  return {
    /** Lists the secrets that you can manage, without their values. */
    list: async (signal?: AbortSignal) =>
      (await connection.json<{ secrets: Secret[] }>('GET', '/secrets', { signal })).secrets,
    create: (request: CreateSecret) => connection.json<Secret>('POST', '/secrets', { json: request }),
    update: (secretId: string, request: UpdateSecret) =>
      connection.json<Secret>('PATCH', of(secretId), { json: request }),
    delete: (secretId: string) => connection.json<void>('DELETE', of(secretId)),
    /** Lets all threads of a workspace use the secret. */
    grantToWorkspace: (secretId: string, workspaceId: string) =>
      connection.json<Secret>('PUT', inWorkspace(secretId, workspaceId)),
    revokeFromWorkspace: (secretId: string, workspaceId: string) =>
      connection.json<Secret>('DELETE', inWorkspace(secretId, workspaceId)),
  }
}
