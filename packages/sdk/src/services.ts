import type { Service, ServiceLogs, ServicesView, StartServiceRequest } from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** Programs in a thread’s sandbox that listen on a port and run until they are stopped. */
export function serviceCalls(connection: Connection) {
  const at = (threadId: string, rest = '') => `/threads/${encodeURIComponent(threadId)}/services${rest}`
  const one = (threadId: string, name: string, rest = '') => at(threadId, `/${encodeURIComponent(name)}${rest}`)
  return {
    list: (threadId: string, signal?: AbortSignal) => connection.json<ServicesView>('GET', at(threadId), { signal }),
    /**
     * Resolves when the process is running; `status` shows when the port responds. Replaces a service with the same
     * name or port.
     */
    start: (threadId: string, request: StartServiceRequest) =>
      connection.json<Service>('POST', at(threadId), { json: request }),
    stop: (threadId: string, name: string) => connection.json<Service>('POST', one(threadId, name, '/stop')),
    /** Restarts the service from its stored settings; wakes the sandbox. */
    restart: (threadId: string, name: string) => connection.json<Service>('POST', one(threadId, name, '/restart')),
    remove: (threadId: string, name: string) => connection.json<void>('DELETE', one(threadId, name)),
    /** The end of its output, or the part that ends at the offset `before`. Fails while the sandbox is asleep. */
    logs: (threadId: string, name: string, options: { before?: number; signal?: AbortSignal | undefined } = {}) =>
      connection.json<ServiceLogs>('GET', one(threadId, name, '/logs'), {
        query: { before: options.before },
        signal: options.signal,
      }),
  }
}
