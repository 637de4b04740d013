import type { GitDiff, GitLook } from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** What changed in git repositories of a thread's sandbox. It wakes nothing: of one that sleeps: `sandbox.not-awake`. */
export function gitCalls(connection: Connection) {
  const at = (threadId: string, rest = '') => `/threads/${encodeURIComponent(threadId)}/git${rest}`
  return {
    /** The repositories at, above and below `path`, and the working tree of one of them: of `repository` when it is said. */
    look: (
      threadId: string,
      path: string,
      { signal, repository }: { repository?: string | undefined; signal?: AbortSignal | undefined } = {},
    ) => connection.json<GitLook>('GET', at(threadId), { query: { path, repository }, signal }),
    /** One file against the last commit; `path` is the repository, `from` the name that the file had there. */
    diff: (
      threadId: string,
      file: { path: string; file: string; from?: string },
      options: { signal?: AbortSignal | undefined } = {},
    ) => connection.json<GitDiff>('GET', at(threadId, '/diff'), { query: { ...file }, signal: options.signal }),
  }
}
