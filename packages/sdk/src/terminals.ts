import type { OpenTerminalRequest, Terminal, TerminalsView } from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** Shells in pseudo-terminals of a thread's sandbox, which go on while nobody looks. */
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
    /** Ends what runs in it. */
    close: (threadId: string, terminalId: string) => connection.json<void>('DELETE', one(threadId, terminalId)),
    /**
     * Where a WebSocket looks at a terminal: binary messages are output, JSON messages are `TerminalServerFrame`, and
     * `TerminalClientFrame` is sent. `after` is the offset behind the last byte that is known.
     */
    socketUrl: (threadId: string, terminalId: string, after = 0) =>
      connection.url(one(threadId, terminalId, '/socket'), { after }).replace(/^http/, 'ws'),
  }
}
