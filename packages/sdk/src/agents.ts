import type {
  AcceptAgentDraft,
  Agent,
  AgentDetails,
  AgentDraft,
  AgentDraftFile,
  AgentDraftSummary,
  AgentDrafts,
  AgentOffer,
  Agents,
  CaptureEnvironment,
  CreateAgent,
  Environment,
  SetAgentVersion,
  StartAgent,
  Thread,
  UpdateAgent,
} from '@threadbox/protocol/public'
import type { Connection, UploadBody } from './request.ts'
import { putBytes, type UploadOptions } from './upload.ts'

/** Agents: configured assistants that threads are started from. */
export function agentCalls(connection: Connection) {
  const at = (agentId: string, rest = '') => `/agents/${encodeURIComponent(agentId)}${rest}`
  const draftAt = (draftId: string, rest = '') => `/agent-drafts/${encodeURIComponent(draftId)}${rest}`
  return {
    list: (signal?: AbortSignal) => connection.json<Agents>('GET', '/agents', { signal }),
    create: (request: CreateAgent) => connection.json<Agent>('POST', '/agents', { json: request }),
    /** Gets an agent with all its versions. */
    get: (agentId: string, signal?: AbortSignal) => connection.json<AgentDetails>('GET', at(agentId), { signal }),
    /** Changes name and description in place; any other change creates a new version and makes it the current one. */
    update: (agentId: string, request: UpdateAgent) => connection.json<Agent>('PATCH', at(agentId), { json: request }),
    /** Sets the version that threads start from, also an earlier one. */
    setVersion: (agentId: string, request: SetAgentVersion) =>
      connection.json<Agent>('PUT', at(agentId, '/current'), { json: request }),
    /** Deletes a version other than the current one. */
    deleteVersion: (agentId: string, version: number) =>
      connection.json<AgentDetails>('DELETE', at(agentId, `/versions/${encodeURIComponent(version)}`)),
    /** Deletes an agent. Threads that were started from it are kept. */
    delete: (agentId: string) => connection.json<Agent>('DELETE', at(agentId)),
    /** Copies the sandbox of a thread, without its credentials, for use in an agent; returns what the copy includes. */
    capture: (threadId: string, request: CaptureEnvironment = {}) =>
      connection.json<Environment>('POST', `/threads/${encodeURIComponent(threadId)}/environments`, { json: request }),
    /** Gets the packages for which the app suggests saving this thread as an agent. */
    offer: (threadId: string, signal?: AbortSignal) =>
      connection.json<AgentOffer>('GET', `/threads/${encodeURIComponent(threadId)}/agent-offer`, { signal }),
    /** Dismisses the suggestion; it is not made again for these packages. */
    closeOffer: (threadId: string) =>
      connection.json<AgentOffer>('DELETE', `/threads/${encodeURIComponent(threadId)}/agent-offer`),
    environment: (environmentId: string, signal?: AbortSignal) =>
      connection.json<Environment>('GET', `/environments/${encodeURIComponent(environmentId)}`, { signal }),
    /** Deletes an environment that no agent uses. */
    discard: (environmentId: string) =>
      connection.json<Environment>('DELETE', `/environments/${encodeURIComponent(environmentId)}`),
    /** The address of a version as one file, with its skills and environment; the browser downloads it. */
    exportUrl: (agentId: string, version: number) =>
      connection.url(at(agentId, `/versions/${encodeURIComponent(version)}/export`)),
    /** Imports an exported file as a draft; it can do nothing until a person accepts it. */
    import: (file: UploadBody, { workspaceId, ...options }: UploadOptions & { workspaceId?: string | null } = {}) =>
      putBytes<AgentDraft>(connection, {
        method: 'POST',
        path: '/agents/import',
        query: { workspaceId },
        body: file,
        ...options,
      }),
    /** Lists imported files that wait for a review. */
    drafts: (signal?: AbortSignal) => connection.json<AgentDrafts>('GET', '/agent-drafts', { signal }),
    /** Gets everything in an imported file that would run or be given to a model. */
    draft: (draftId: string, signal?: AbortSignal) => connection.json<AgentDraft>('GET', draftAt(draftId), { signal }),
    /** Gets one file of a skill in an imported file. */
    draftFile: (draftId: string, skill: string, { path, signal }: { path: string; signal?: AbortSignal }) =>
      connection.json<AgentDraftFile>('GET', draftAt(draftId, `/skills/${encodeURIComponent(skill)}/file`), {
        query: { file: path },
        signal,
      }),
    /** Makes a draft an agent with what is named; it keeps the ID. */
    accept: (draftId: string, request: AcceptAgentDraft) =>
      connection.json<Agent>('POST', draftAt(draftId, '/accept'), { json: request }),
    /** Deletes a draft. */
    decline: (draftId: string) => connection.json<AgentDraftSummary>('DELETE', draftAt(draftId)),
    /** Starts a thread from an agent. */
    start: (agentId: string, request: StartAgent = {}) =>
      connection.json<Thread>('POST', at(agentId, '/threads'), { json: request }),
  }
}
