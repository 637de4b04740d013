import { isThreadboxError, type ThreadboxError } from '@threadbox/errors'
import type { CallError, ToolResult } from '@threadbox/protocol/public'
import type { CallOutcome, ModelOutput } from '../record/turn-record.ts'

/** The outcome of a successful call. */
export function succeeded(result: ToolResult, text: string, image?: ModelOutput['image']): CallOutcome {
  return {
    status: 'succeeded',
    result,
    error: null,
    output: { text, isError: false, ...(image === undefined ? {} : { image }) },
  }
}

/** The outcome of a call that failed with a `ThreadboxError`. Undefined for an unexpected error. */
export function failedWith(
  error: unknown,
  status: 'failed' | 'stopped' | 'interrupted' = 'failed',
): CallOutcome | undefined {
  if (!isThreadboxError(error)) return undefined
  const { message, remedy } = error
  return {
    status,
    result: null,
    error: callErrorOf(error),
    output: { text: `Error: ${message} ${remedy}`, isError: true },
  }
}

/** An error as the entry of a call keeps it. */
export function callErrorOf({ code, message, remedy, details }: ThreadboxError): CallError {
  return { code, message, remedy, details }
}
