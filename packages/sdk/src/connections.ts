import type {
  ConnectionLogin,
  ConnectionPreset,
  CreateConnection,
  FinishLogin,
  Connection as McpConnection,
  ToolApproval,
  UpdateConnection,
} from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** MCP servers whose tools agents may use. A token is sent once and never comes back. */
export function connectionCalls(connection: Connection) {
  const at = (connectionId: string, rest = '') => `/connections/${encodeURIComponent(connectionId)}${rest}`
  return {
    list: (signal?: AbortSignal) =>
      connection.json<{ connections: McpConnection[] }>('GET', '/connections', { signal }),
    presets: (signal?: AbortSignal) =>
      connection.json<{ presets: ConnectionPreset[] }>('GET', '/connections/presets', { signal }),
    /**
     * Also stores one whose server cannot be reached: `status` and `failure` of the answer tell. A program (`stdio`) is
     * started after the answer: `get` it until it is no longer `starting`.
     */
    create: (request: CreateConnection) => connection.json<McpConnection>('POST', '/connections', { json: request }),
    get: (connectionId: string, signal?: AbortSignal) =>
      connection.json<McpConnection>('GET', at(connectionId), { signal }),
    update: (connectionId: string, request: UpdateConnection) =>
      connection.json<McpConnection>('PATCH', at(connectionId), { json: request }),
    delete: (connectionId: string) => connection.json<void>('DELETE', at(connectionId)),
    /** Asks its server again what it has. */
    test: (connectionId: string) => connection.json<McpConnection>('POST', at(connectionId, '/test')),
    /** Begins a login in the browser: where the person goes, and comes back from to the app's `/connections/login`. */
    startLogin: (connectionId: string) => connection.json<ConnectionLogin>('POST', at(connectionId, '/login')),
    /** Ends a login with what stands in the address that the person came back with. */
    finishLogin: (answer: FinishLogin) =>
      connection.json<McpConnection>('POST', '/connections/login', { json: answer }),
    /** Says of tools, by the names that the server gives them, whether they may be used. */
    approve: (connectionId: string, tools: Readonly<Record<string, ToolApproval>>) =>
      connection.json<McpConnection>('PATCH', at(connectionId, '/tools'), { json: { tools } }),
  }
}
