import { toWireError } from '@threadbox/errors'
import type { HostDoctor } from '@threadbox/protocol/host'

/** One check. An error that it throws is a finding too. */
export type Check = { id: string; title: string; run(): Promise<Finding> }
export type Finding = Omit<HostDoctor['checks'][number], 'id' | 'title'>

export function findingOf(error: unknown): Finding {
  const { message, remedy } = toWireError(error).error
  const own = error instanceof Error ? error.message : message
  return { state: 'failed', detail: own, cure: remedy }
}
