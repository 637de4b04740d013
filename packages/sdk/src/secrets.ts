import type { CreateSecret, GrantSecret, Secret, ThreadSecrets, UpdateSecret } from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/**
 * Values that programs in sandboxes use without getting them. Creating, changing and granting require a session that was
 * confirmed recently.
 */
export function secretCalls(connection: Connection) {
  const of = (secretId: string, rest = '') => `/secrets/${encodeURIComponent(secretId)}${rest}`
  const inWorkspace = (secretId: string, workspaceId: string) =>
    of(secretId, `/workspaces/${encodeURIComponent(workspaceId)}`)
  const inThread = (threadId: string, secretId?: string) =>
    `/threads/${encodeURIComponent(threadId)}/secrets${secretId === undefined ? '' : `/${encodeURIComponent(secretId)}`}`
  return {
    /** Lists the secrets that you can manage, without their values. */
    list: (signal?: AbortSignal) => connection.json<{ secrets: Secret[] }>('GET', '/secrets', { signal }),
    create: (request: CreateSecret) => connection.json<Secret>('POST', '/secrets', { json: request }),
    update: (secretId: string, request: UpdateSecret) =>
      connection.json<Secret>('PATCH', of(secretId), { json: request }),
    delete: (secretId: string) => connection.json<void>('DELETE', of(secretId)),
    /** Lets all threads of a workspace use the secret. */
    grantToWorkspace: (secretId: string, workspaceId: string) =>
      connection.json<Secret>('PUT', inWorkspace(secretId, workspaceId)),
    /** Lists the secrets that a thread can use, those that you can let it use, and whether they are in effect. */
    ofThread: (threadId: string, signal?: AbortSignal) =>
      connection.json<ThreadSecrets>('GET', inThread(threadId), { signal }),
    grant: (threadId: string, secretId: string, request: GrantSecret = {}) =>
      connection.json<ThreadSecrets>('PUT', inThread(threadId, secretId), { json: request }),
    /** Ends a thread’s use of a secret; requests that use it have ended when this resolves. */
    revoke: (threadId: string, secretId: string) =>
      connection.json<ThreadSecrets>('DELETE', inThread(threadId, secretId)),
    revokeFromWorkspace: (secretId: string, workspaceId: string) =>
      connection.json<Secret>('DELETE', inWorkspace(secretId, workspaceId)),
  }
}
