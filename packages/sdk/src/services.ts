import type { Service, ServiceLogs, ServicesView, StartServiceRequest } from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** Programs of a thread's sandbox that answer on a port, and go on until somebody stops them. */
export function serviceCalls(connection: Connection) {
  const at = (threadId: string, rest = '') => `/threads/${encodeURIComponent(threadId)}/services${rest}`
  const one = (threadId: string, name: string, rest = '') => at(threadId, `/${encodeURIComponent(name)}${rest}`)
  return {
    list: (threadId: string, signal?: AbortSignal) => connection.json<ServicesView>('GET', at(threadId), { signal }),
    /** Resolves when its process runs; its `status` says when its port answers. Replaces one of its name or port. */
    start: (threadId: string, request: StartServiceRequest) =>
      connection.json<Service>('POST', at(threadId), { json: request }),
    stop: (threadId: string, name: string) => connection.json<Service>('POST', one(threadId, name, '/stop')),
    /** Starts it as it is stored; wakes the sandbox. */
    restart: (threadId: string, name: string) => connection.json<Service>('POST', one(threadId, name, '/restart')),
    remove: (threadId: string, name: string) => connection.json<void>('DELETE', one(threadId, name)),
    /** The end of what it printed, or the part that ends at the offset `before`. Refused while the sandbox sleeps. */
    logs: (threadId: string, name: string, options: { before?: number; signal?: AbortSignal | undefined } = {}) =>
      connection.json<ServiceLogs>('GET', one(threadId, name, '/logs'), {
        query: { before: options.before },
        signal: options.signal,
      }),
  }
}
