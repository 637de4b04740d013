import type { Service } from '@threadbox/protocol/public'
import { serviceFailed } from '../../sandboxes/public.ts'
import type { CallOutcome } from '../record/turn-record.ts'
import { failedWith, succeeded } from './outcomes.ts'

/** The outcome of a call that was to start a service: its card, and for the model the reason if it doesn't run. */
export function startOutcome(service: Service): CallOutcome {
  const { name, port, status, problem } = service
  const result = { kind: 'service' as const, service }
  if (status === 'running') {
    const text = `The service "${name}" is running and responding on port ${port}. The user sees it in the preview next to the conversation.`
    return succeeded(result, text)
  }
  if (problem === null) return succeeded(result, `The service "${name}" on port ${port} is ${status}.`)
  const failed = failedWith(serviceFailed({ name, problem: problem.message }))
  const printed = problem.lastLines === '' ? 'It produced no output.' : `Last output:\n${problem.lastLines}`
  const text = `${failed?.output.text ?? ''}\n${printed}`
  return { status: 'failed', result, error: failed?.error ?? null, output: { text, isError: true } }
}

/** One line about a service for the model. */
export function serviceLine({ name, port, status, command, problem }: Service): string {
  const why = problem === null ? '' : `: ${problem.message}`
  return `${name}  port ${port}  ${status}${why}  (${command.replaceAll(/\s+/g, ' ').slice(0, 200)})`
}
