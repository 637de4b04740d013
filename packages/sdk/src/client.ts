import type { ThreadEvent, UserEvent } from '@threadbox/protocol/public'
import { agentCalls } from './agents.ts'
import { connectionCalls } from './connections.ts'
import { followStream, type StreamOptions, type StreamTarget } from './event-stream.ts'
import { fileCalls } from './files.ts'
import { gitCalls } from './git.ts'
import { gitCredentialCalls } from './git-credentials.ts'
import { accountCalls, installationCalls, modelCalls } from './installation.ts'
import { leavingCalls } from './leaving.ts'
import { machineCalls } from './machine.ts'
import { networkCalls } from './network.ts'
import { passkeyCalls } from './passkeys.ts'
import { peopleCalls } from './people.ts'
import { previewCalls } from './previews.ts'
import { quotaCalls } from './quotas.ts'
import { type ClientOptions, connect } from './request.ts'
import { runCalls } from './runs.ts'
import { sandboxCalls } from './sandboxes.ts'
import { secretCalls } from './secrets.ts'
import { serviceCalls } from './services.ts'
import { signInCalls } from './sign-in-providers.ts'
import { skillCalls } from './skills.ts'
import { snapshotCalls } from './snapshots.ts'
import { makeStreamSocket } from './stream-socket.ts'
import { terminalCalls } from './terminals.ts'
import { threadCalls } from './threads.ts'
import { usageCalls } from './usage.ts'
import { workspaceCalls } from './workspaces.ts'

/**
 * A client of the public API, for browsers and Node. Calls reject with a ThreadboxError: distinguish them by `code`.
 *
 * @example
 * const threadbox = createClient({ baseUrl: 'http://127.0.0.1:7717', apiKey: process.env.THREADBOX_API_KEY })
 * const thread = await threadbox.threads.create()
 * await threadbox.threads.sendMessage(thread.id, { text: '/run uname -a', key: crypto.randomUUID() })
 */
export function createClient(options: ClientOptions = {}) {
  const connection = connect(options)
  const socket = options.streamSocket && makeStreamSocket(connection, options.streamSocket)
  const follow = <Event>(target: StreamTarget<Event>) => socket?.follow(target) ?? followStream(connection, target)
  return {
    account: accountCalls(connection),
    passkeys: passkeyCalls(connection),
    threads: threadCalls(connection),
    workspaces: workspaceCalls(connection),
    people: peopleCalls(connection),
    signIn: signInCalls(connection),
    leaving: leavingCalls(connection),
    usage: usageCalls(connection),
    machine: machineCalls(connection),
    quotas: quotaCalls(connection),
    skills: skillCalls(connection),
    agents: agentCalls(connection),
    runs: runCalls(connection),
    sandboxes: sandboxCalls(connection),
    network: networkCalls(connection),
    secrets: secretCalls(connection),
    services: serviceCalls(connection),
    snapshots: snapshotCalls(connection),
    previews: previewCalls(connection),
    terminals: terminalCalls(connection),
    files: fileCalls(connection),
    git: gitCalls(connection),
    gitCredentials: gitCredentialCalls(connection),
    models: modelCalls(connection),
    connections: connectionCalls(connection),
    installation: installationCalls(connection),
    /** Returns the address of a path from an API response (`url` of a display or a shared file). */
    urlOf: (path: string) => connection.url(path.replace(/^\/api\/v1/, '')),
    /**
     * Follows a conversation from `after` (a page’s `lastSeq`) until aborted, across lost connections, each recorded
     * event once. It ends after a `reset`: fetch the entries and follow again.
     */
    streamThread: (threadId: string, stream: StreamOptions<ThreadEvent> & { after: number }) =>
      follow<ThreadEvent>({
        ...stream,
        path: `/threads/${encodeURIComponent(threadId)}/events`,
        query: { after: stream.after },
        source: { source: 'thread', threadId, after: stream.after },
        isLast: (event) => event.type === 'reset',
      }),
    /** Follows changes in the sidebar. Nothing is replayed: list the threads again after each `open`. */
    streamUser: (stream: StreamOptions<UserEvent>) =>
      follow<UserEvent>({ ...stream, path: '/events', source: { source: 'user' } }),
    /** Closes the `streamSocket` while a page is hidden; `resumeStreams` reopens it and continues all streams. */
    suspendStreams: () => socket?.suspend(),
    resumeStreams: () => socket?.resume(),
  }
}

export type ThreadboxClient = ReturnType<typeof createClient>
