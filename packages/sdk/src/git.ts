import type { GitDiff, GitLook } from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/**
 * Changes in the git repositories of a thread’s sandbox. Calls do not wake the sandbox; they fail with
 * `sandbox.not-awake` while it is asleep.
 */
export function gitCalls(connection: Connection) {
  const at = (threadId: string, rest = '') => `/threads/${encodeURIComponent(threadId)}/git${rest}`
  return {
    /**
     * Gets the repositories at, above and below `path`, and the working tree of one of them: `repository`, if given.
     */
    look: (
      threadId: string,
      path: string,
      { signal, repository }: { repository?: string | undefined; signal?: AbortSignal | undefined } = {},
    ) => connection.json<GitLook>('GET', at(threadId), { query: { path, repository }, signal }),
    /** Compares one file with the last commit; `path` is the repository, `from` the name that the file had there. */
    diff: (
      threadId: string,
      file: { path: string; file: string; from?: string },
      options: { signal?: AbortSignal | undefined } = {},
    ) => connection.json<GitDiff>('GET', at(threadId, '/diff'), { query: { ...file }, signal: options.signal }),
  }
}
