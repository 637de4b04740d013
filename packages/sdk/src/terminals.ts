import type { OpenTerminalRequest, Terminal, TerminalsView } from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** Shells in pseudo-terminals of a thread’s sandbox, which keep running without a viewer. */
export function terminalCalls(connection: Connection) {
  const at = (threadId: string, rest = '') => `/threads/${encodeURIComponent(threadId)}/terminals${rest}`
  const one = (threadId: string, terminalId: string, rest = '') =>
    at(threadId, `/${encodeURIComponent(terminalId)}${rest}`)
  return {
    list: (threadId: string, signal?: AbortSignal) => connection.json<TerminalsView>('GET', at(threadId), { signal }),
    /** Wakes the sandbox. */
    open: (threadId: string, request: OpenTerminalRequest = {}) =>
      connection.json<Terminal>('POST', at(threadId), { json: request }),
    rename: (threadId: string, terminalId: string, title: string) =>
      connection.json<Terminal>('PATCH', one(threadId, terminalId), { json: { title } }),
    /** Closes a terminal and ends its processes. */
    close: (threadId: string, terminalId: string) => connection.json<void>('DELETE', one(threadId, terminalId)),
    /**
     * The address of a terminal’s WebSocket: binary messages are output, received JSON messages are
     * `TerminalServerFrame`, sent ones `TerminalClientFrame`. `after` is the offset after the last known byte.
     */
    socketUrl: (threadId: string, terminalId: string, after = 0) =>
      connection.url(one(threadId, terminalId, '/socket'), { after }).replace(/^http/, 'ws'),
  }
}
