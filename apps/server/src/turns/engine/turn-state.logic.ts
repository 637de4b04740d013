import type { TurnFailure } from '@threadbox/protocol/public'
import type { CallStatus } from '../record/turn-record.ts'

/**
 * A call as recovery needs it. `waiting` was recorded and never started; so was `awaiting-approval`, which only a
 * decision makes `waiting`; `running` may have had effects.
 */
export type CallState = { id: string; status: CallStatus }

/**
 * A step is one response of the model. `asking`: recorded without a response. `partial`: cut off, the received part is
 * kept. `discarded`: cut off and requested again. Only `finished` steps have calls.
 */
export type StepState = {
  id: string
  status: 'asking' | 'finished' | 'partial' | 'discarded'
  calls: readonly CallState[]
  /** The model ended the turn with this step. */
  isFinal: boolean
}

export type TurnState = {
  mode: 'agent' | 'direct'
  isStopRequested: boolean
  steps: readonly StepState[]
  /** Counted since the turn started or was last continued, so that continuing restores the full limits. */
  used: { steps: number; milliseconds: number; tokens: number; usd: number }
}

export type TurnLimits = { steps: number; milliseconds: number; tokens: number; usd: number | null }

/** How to bring a recorded call to its end. Ended calls get no order. */
export type CallOrder = { callId: string; how: 'start' | 'resume' | 'cancel' | 'stop' }

export type TurnAction =
  | { kind: 'discard-step'; stepId: string }
  | { kind: 'run-calls'; orders: readonly CallOrder[] }
  | { kind: 'ask-model' }
  /** Nothing can be done before a decision. */
  | { kind: 'wait' }
  | { kind: 'end'; status: 'finished' | 'stopped' }
  | { kind: 'fail'; failure: TurnFailure }

/**
 * Returns a turn's next action from its record alone. The running engine and recovery after a crash use the same
 * function: here no process is waiting for a step that is `asking`, and none is reading the output of a call that is
 * `running`.
 */
export function nextAction(state: TurnState, limits: TurnLimits): TurnAction {
  const orphan = state.steps.find((step) => step.status === 'asking')
  if (orphan !== undefined) return { kind: 'discard-step', stepId: orphan.id }
  const orders = state.steps.flatMap((step) => step.calls).flatMap((call) => orderFor(call, state.isStopRequested))
  if (orders.length > 0) return { kind: 'run-calls', orders }
  if (state.isStopRequested) return { kind: 'end', status: 'stopped' }
  if (state.steps.some((step) => step.calls.some(isAwaiting))) return { kind: 'wait' }
  if (state.mode === 'direct') return { kind: 'end', status: 'finished' }
  const last = state.steps.findLast((step) => step.status === 'finished')
  if (last?.isFinal === true && state.steps.at(-1)?.status !== 'partial') return { kind: 'end', status: 'finished' }
  const failure = exceeded(state.used, limits)
  return failure === undefined ? { kind: 'ask-model' } : { kind: 'fail', failure }
}

function isAwaiting(call: CallState): boolean {
  return call.status === 'awaiting-approval'
}

function orderFor(call: CallState, isStopRequested: boolean): CallOrder[] {
  if (call.status === 'waiting') return [{ callId: call.id, how: isStopRequested ? 'cancel' : 'start' }]
  if (isAwaiting(call)) return isStopRequested ? [{ callId: call.id, how: 'cancel' }] : []
  if (call.status === 'running') return [{ callId: call.id, how: isStopRequested ? 'stop' : 'resume' }]
  return []
}

function exceeded(used: TurnState['used'], limits: TurnLimits): TurnFailure | undefined {
  const failure = (code: TurnFailure['code'], message: string): TurnFailure => ({
    code,
    message,
    remedy: 'Continue to allow as much again, or change your instructions.',
    retryAt: null,
    actions: ['continue', 'open-settings'],
  })
  if (used.steps >= limits.steps) return failure('limit-steps', `This turn reached its limit of ${limits.steps} steps.`)
  if (used.milliseconds >= limits.milliseconds) {
    return failure('limit-time', `This turn reached its limit of ${Math.round(limits.milliseconds / 60_000)} minutes.`)
  }
  if (used.tokens >= limits.tokens)
    return failure('limit-tokens', `This turn reached its limit of ${limits.tokens} tokens.`)
  if (limits.usd !== null && used.usd >= limits.usd) {
    return failure('limit-spend', `This turn reached its spending limit of ${limits.usd.toFixed(2)} USD.`)
  }
  return undefined
}
