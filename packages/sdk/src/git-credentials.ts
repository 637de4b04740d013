import type {
  CreateGitCredential,
  GitCredential,
  ThreadGitCredential,
  UpdateGitCredential,
} from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** Tokens with which threads clone and push. One is sent once, never comes back, and is in no sandbox. */
export function gitCredentialCalls(connection: Connection) {
  const at = (credentialId: string) => `/git-credentials/${encodeURIComponent(credentialId)}`
  const inThread = (threadId: string) => `/threads/${encodeURIComponent(threadId)}/git-credentials`
  return {
    list: (signal?: AbortSignal) =>
      connection.json<{ credentials: GitCredential[] }>('GET', '/git-credentials', { signal }),
    /** No thread may use it before {@link allow}, or `workspaceIds`, says so. */
    create: (request: CreateGitCredential) =>
      connection.json<GitCredential>('POST', '/git-credentials', { json: request }),
    update: (credentialId: string, request: UpdateGitCredential) =>
      connection.json<GitCredential>('PATCH', at(credentialId), { json: request }),
    delete: (credentialId: string) => connection.json<void>('DELETE', at(credentialId)),
    /** Your credentials, and which of them the thread may use. */
    ofThread: (threadId: string, signal?: AbortSignal) =>
      connection.json<{ credentials: ThreadGitCredential[] }>('GET', inThread(threadId), { signal }),
    /** Replaces which of your credentials the thread itself may use. */
    allow: (threadId: string, credentialIds: readonly string[]) =>
      connection.json<{ credentials: ThreadGitCredential[] }>('PUT', inThread(threadId), { json: { credentialIds } }),
  }
}
