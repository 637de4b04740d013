import type {
  InstallationNetwork,
  Network,
  PrivateAddresses,
  SetNetworkPolicy,
  ThreadNetwork,
} from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/**
 * What sandboxes can reach. Each level can only narrow those before it, and only the owner can widen one again, with a
 * session that was confirmed recently.
 */
export function networkCalls(connection: Connection) {
  const inWorkspace = (workspaceId: string) => `/workspaces/${encodeURIComponent(workspaceId)}/network`
  const ofAgent = (agentId: string) => `/agents/${encodeURIComponent(agentId)}/network`
  const inThread = (threadId: string, rest = '') => `/threads/${encodeURIComponent(threadId)}/network${rest}`
  return {
    /** Gets the policy of the installation, and the names in each preset. */
    get: (signal?: AbortSignal) => connection.json<InstallationNetwork>('GET', '/network', { signal }),
    set: (request: SetNetworkPolicy) => connection.json<InstallationNetwork>('PUT', '/network', { json: request }),
    /** Lists the services in private networks that policies can allow. For the owner. */
    privateAddresses: (signal?: AbortSignal) =>
      connection.json<PrivateAddresses>('GET', '/network/private-addresses', { signal }),
    /** Replaces that list. */
    setPrivateAddresses: (request: PrivateAddresses) =>
      connection.json<PrivateAddresses>('PUT', '/network/private-addresses', { json: request }),
    ofWorkspace: (workspaceId: string, signal?: AbortSignal) =>
      connection.json<Network>('GET', inWorkspace(workspaceId), { signal }),
    setForWorkspace: (workspaceId: string, request: SetNetworkPolicy) =>
      connection.json<Network>('PUT', inWorkspace(workspaceId), { json: request }),
    ofAgent: (agentId: string, signal?: AbortSignal) => connection.json<Network>('GET', ofAgent(agentId), { signal }),
    setForAgent: (agentId: string, request: SetNetworkPolicy) =>
      connection.json<Network>('PUT', ofAgent(agentId), { json: request }),
    /** Gets a thread’s policies, what its sandbox reached, and what was refused. */
    ofThread: (threadId: string, signal?: AbortSignal) =>
      connection.json<ThreadNetwork>('GET', inThread(threadId), { signal }),
    setForThread: (threadId: string, request: SetNetworkPolicy) =>
      connection.json<ThreadNetwork>('PUT', inThread(threadId), { json: request }),
    /** Adds a name to each list that keeps the thread’s sandbox from it. */
    allowName: (threadId: string, name: string) =>
      connection.json<ThreadNetwork>('POST', inThread(threadId, '/names'), { json: { name } }),
  }
}
