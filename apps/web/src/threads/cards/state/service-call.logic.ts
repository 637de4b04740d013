import type { Service, ToolCallEntry } from '@threadbox/sdk'

/** The service that a call was to start, and what the call recorded about it. */
export type ServiceOfCall = Pick<Service, 'name' | 'port' | 'status' | 'problem'> & {
  /** True while the call still waits for the service. */
  isRunning: boolean
}

/** The service that a call starts; null for other calls, and for one that started nothing. */
export function serviceOfCall(entry: ToolCallEntry): ServiceOfCall | null {
  if (entry.tool !== 'start_service' && entry.tool !== 'restart_service') return null
  if (entry.result?.kind === 'service') {
    const { name, port, status, problem } = entry.result.service
    return { name, port, status, problem, isRunning: false }
  }
  const isRunning = entry.status === 'running' || entry.status === 'waiting'
  const { name, port } = (entry.input ?? {}) as Record<string, unknown>
  if (!isRunning || typeof name !== 'string' || typeof port !== 'number') return null
  return { name, port, status: 'starting', problem: null, isRunning }
}
