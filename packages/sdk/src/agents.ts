import type {
  Agent,
  AgentDetails,
  Agents,
  CreateAgent,
  Environment,
  SetAgentVersion,
  StartAgent,
  Thread,
  UpdateAgent,
} from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** Configured assistants that threads are started from. */
export function agentCalls(connection: Connection) {
  const at = (agentId: string, rest = '') => `/agents/${encodeURIComponent(agentId)}${rest}`
  return {
    list: (signal?: AbortSignal) => connection.json<Agents>('GET', '/agents', { signal }),
    create: (request: CreateAgent) => connection.json<Agent>('POST', '/agents', { json: request }),
    /** With all of its versions. */
    get: (agentId: string, signal?: AbortSignal) => connection.json<AgentDetails>('GET', at(agentId), { signal }),
    /** Name and description change; anything else makes a new version, which becomes the current one. */
    update: (agentId: string, request: UpdateAgent) => connection.json<Agent>('PATCH', at(agentId), { json: request }),
    /** Makes another version, also an earlier one, the one that threads start from. */
    setVersion: (agentId: string, request: SetAgentVersion) =>
      connection.json<Agent>('PUT', at(agentId, '/current'), { json: request }),
    /** Any version but the current one. */
    deleteVersion: (agentId: string, version: number) =>
      connection.json<AgentDetails>('DELETE', at(agentId, `/versions/${encodeURIComponent(version)}`)),
    /** Threads that were started from it go on. */
    delete: (agentId: string) => connection.json<Agent>('DELETE', at(agentId)),
    /** Copies the computer of a thread, without its credentials, so that an agent can have it; says what is in the copy. */
    capture: (threadId: string) =>
      connection.json<Environment>('POST', `/threads/${encodeURIComponent(threadId)}/environments`),
    environment: (environmentId: string, signal?: AbortSignal) =>
      connection.json<Environment>('GET', `/environments/${encodeURIComponent(environmentId)}`, { signal }),
    /** Gives up a copy that no agent has. */
    discard: (environmentId: string) =>
      connection.json<Environment>('DELETE', `/environments/${encodeURIComponent(environmentId)}`),
    /** A new thread that has what the agent has. */
    start: (agentId: string, request: StartAgent = {}) =>
      connection.json<Thread>('POST', at(agentId, '/threads'), { json: request }),
  }
}
