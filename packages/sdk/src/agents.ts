import type {
  Agent,
  AgentDetails,
  Agents,
  CreateAgent,
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
    /** A new thread that has what the agent has. */
    start: (agentId: string, request: StartAgent = {}) =>
      connection.json<Thread>('POST', at(agentId, '/threads'), { json: request }),
  }
}
