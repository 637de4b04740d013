import type {
  Agent,
  AgentDetails,
  AgentOffer,
  Agents,
  CaptureEnvironment,
  CreateAgent,
  Environment,
  ImportedAgent,
  SetAgentVersion,
  StartAgent,
  Thread,
  UpdateAgent,
} from '@threadbox/protocol/public'
import type { Connection, UploadBody } from './request.ts'
import { putBytes, type UploadOptions } from './upload.ts'

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
    capture: (threadId: string, request: CaptureEnvironment = {}) =>
      connection.json<Environment>('POST', `/threads/${encodeURIComponent(threadId)}/environments`, { json: request }),
    /** Packages that this thread installed as the third one, while it is to be offered to save it. */
    offer: (threadId: string, signal?: AbortSignal) =>
      connection.json<AgentOffer>('GET', `/threads/${encodeURIComponent(threadId)}/agent-offer`, { signal }),
    /** It is not offered again for these packages. */
    closeOffer: (threadId: string) =>
      connection.json<AgentOffer>('DELETE', `/threads/${encodeURIComponent(threadId)}/agent-offer`),
    environment: (environmentId: string, signal?: AbortSignal) =>
      connection.json<Environment>('GET', `/environments/${encodeURIComponent(environmentId)}`, { signal }),
    /** Gives up a copy that no agent has. */
    discard: (environmentId: string) =>
      connection.json<Environment>('DELETE', `/environments/${encodeURIComponent(environmentId)}`),
    /** Address of a version as one file, with its skills and its computer; the browser saves it. */
    exportUrl: (agentId: string, version: number) =>
      connection.url(at(agentId, `/versions/${encodeURIComponent(version)}/export`)),
    /** Makes an agent out of such a file; says what of it there is not here. */
    import: (file: UploadBody, { workspaceId, ...options }: UploadOptions & { workspaceId?: string | null } = {}) =>
      putBytes<ImportedAgent>(connection, {
        method: 'POST',
        path: '/agents/import',
        query: { workspaceId },
        body: file,
        ...options,
      }),
    /** A new thread that has what the agent has. */
    start: (agentId: string, request: StartAgent = {}) =>
      connection.json<Thread>('POST', at(agentId, '/threads'), { json: request }),
  }
}
