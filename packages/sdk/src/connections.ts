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

/** MCP servers whose tools agents can use. A token is sent once and never returned. */
export function connectionCalls(connection: Connection) {
  const at = (connectionId: string, rest = '') => `/connections/${encodeURIComponent(connectionId)}${rest}`
  return {
    list: (signal?: AbortSignal) =>
      connection.json<{ connections: McpConnection[] }>('GET', '/connections', { signal }),
    presets: (signal?: AbortSignal) =>
      connection.json<{ presets: ConnectionPreset[] }>('GET', '/connections/presets', { signal }),
    /**
     * Also stores a connection whose server cannot be reached: see `status` and `failure` of the response. A program
     * (`stdio`) is started after the response: poll `get` until it is no longer `starting`.
     */
    create: (request: CreateConnection) => connection.json<McpConnection>('POST', '/connections', { json: request }),
    get: (connectionId: string, signal?: AbortSignal) =>
      connection.json<McpConnection>('GET', at(connectionId), { signal }),
    update: (connectionId: string, request: UpdateConnection) =>
      connection.json<McpConnection>('PATCH', at(connectionId), { json: request }),
    delete: (connectionId: string) => connection.json<void>('DELETE', at(connectionId)),
    /** Reloads the tools from its server. */
    test: (connectionId: string) => connection.json<McpConnection>('POST', at(connectionId, '/test')),
    /**
     * Starts signing in with the browser: returns the address to visit, which later returns to the app’s
     * `/connections/login`.
     */
    startLogin: (connectionId: string) => connection.json<ConnectionLogin>('POST', at(connectionId, '/login')),
    /** Finishes signing in with the parameters of the address that the browser returned to. */
    finishLogin: (answer: FinishLogin) =>
      connection.json<McpConnection>('POST', '/connections/login', { json: answer }),
    /** Sets the permissions of tools, by the names that the server gives them. */
    approve: (connectionId: string, tools: Readonly<Record<string, ToolApproval>>) =>
      connection.json<McpConnection>('PATCH', at(connectionId, '/tools'), { json: { tools } }),
  }
}
