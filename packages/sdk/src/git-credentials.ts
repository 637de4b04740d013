import type {
  CreateGitCredential,
  GitCredential,
  ThreadGitCredential,
  UpdateGitCredential,
} from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** Tokens with which threads clone and push. A token is sent once, never returned, and never enters a sandbox. */
export function gitCredentialCalls(connection: Connection) {
  const at = (credentialId: string) => `/git-credentials/${encodeURIComponent(credentialId)}`
  const inThread = (threadId: string) => `/threads/${encodeURIComponent(threadId)}/git-credentials`
  return {
    list: (signal?: AbortSignal) =>
      connection.json<{ credentials: GitCredential[] }>('GET', '/git-credentials', { signal }),
    /** Creates a credential. No thread can use it until {@link allow} or `workspaceIds` permits it. */
    create: (request: CreateGitCredential) =>
      connection.json<GitCredential>('POST', '/git-credentials', { json: request }),
    update: (credentialId: string, request: UpdateGitCredential) =>
      connection.json<GitCredential>('PATCH', at(credentialId), { json: request }),
    delete: (credentialId: string) => connection.json<void>('DELETE', at(credentialId)),
    /** Lists your credentials, and which of them the thread can use. */
    ofThread: (threadId: string, signal?: AbortSignal) =>
      connection.json<{ credentials: ThreadGitCredential[] }>('GET', inThread(threadId), { signal }),
    /** Sets which of your credentials the thread itself can use. */
    allow: (threadId: string, credentialIds: readonly string[]) =>
      connection.json<{ credentials: ThreadGitCredential[] }>('PUT', inThread(threadId), { json: { credentialIds } }),
  }
}
