import { describe, expect, it } from 'vitest'
import type { CallStatus } from '../record/turn-record.ts'
import { nextAction, type StepState, type TurnLimits, type TurnState } from './turn-state.logic.ts'

const limits: TurnLimits = { steps: 10, milliseconds: 1000, tokens: 1000, usd: 1 }
const nothing = { steps: 0, milliseconds: 0, tokens: 0, usd: 0 }

function turn(steps: StepState[], more: Partial<TurnState> = {}): TurnState {
  return { mode: 'agent', isStopRequested: false, steps, used: nothing, ...more }
}
function step(status: StepState['status'], calls: CallStatus[] = [], isFinal = calls.length === 0): StepState {
  return { id: `p-${status}`, status, isFinal, calls: calls.map((call, index) => ({ id: `c${index}`, status: call })) }
}
const decide = (state: TurnState) => nextAction(state, limits)

describe('the next action of a turn', () => {
  it('asks the model at the start and after every call of a step has ended', () => {
    expect(decide(turn([]))).toEqual({ kind: 'ask-model' })
    const ended: CallStatus[] = ['succeeded', 'failed', 'stopped', 'interrupted']
    expect(decide(turn([step('finished', ended)]))).toEqual({ kind: 'ask-model' })
  })

  it('first discards a step whose request is no longer running', () => {
    expect(decide(turn([step('asking')]))).toEqual({ kind: 'discard-step', stepId: 'p-asking' })
    expect(decide(turn([step('asking')], { isStopRequested: true }))).toMatchObject({ kind: 'discard-step' })
  })

  it('starts calls that were not started, resumes those that were, and never touches ended ones', () => {
    const state = turn([step('finished', ['succeeded', 'waiting', 'running', 'interrupted'])])
    const orders = [
      { callId: 'c1', how: 'start' },
      { callId: 'c2', how: 'resume' },
    ]
    expect(decide(state)).toEqual({ kind: 'run-calls', orders })
  })

  it('when stopped, starts nothing, ends running calls, and then ends the turn', () => {
    const orders = [
      { callId: 'c0', how: 'cancel' },
      { callId: 'c1', how: 'stop' },
    ]
    const stopped = { isStopRequested: true }
    expect(decide(turn([step('finished', ['waiting', 'running'])], stopped))).toEqual({ kind: 'run-calls', orders })
    expect(decide(turn([step('finished', ['stopped', 'stopped'])], stopped))).toEqual({
      kind: 'end',
      status: 'stopped',
    })
  })

  it('ends after a response without calls, but continues after one that was cut off', () => {
    expect(decide(turn([step('finished')]))).toEqual({ kind: 'end', status: 'finished' })
    expect(decide(turn([step('partial')]))).toEqual({ kind: 'ask-model' })
    expect(decide(turn([step('discarded')]))).toEqual({ kind: 'ask-model' })
  })

  it('asks no model in a direct turn', () => {
    const direct = { mode: 'direct' as const }
    expect(decide(turn([step('finished', ['waiting'])], direct))).toMatchObject({ kind: 'run-calls' })
    expect(decide(turn([step('finished', ['failed'])], direct))).toEqual({ kind: 'end', status: 'finished' })
  })

  it.each([
    ['steps', 10, 'limit-steps'],
    ['milliseconds', 1000, 'limit-time'],
    ['tokens', 1000, 'limit-tokens'],
    ['usd', 1, 'limit-spend'],
  ] as const)('fails at the limit of %s, not before', (name, limit, code) => {
    const used = (value: number) => turn([], { used: { ...nothing, [name]: value } })
    expect(decide(used(limit))).toMatchObject({ kind: 'fail', failure: { code } })
    expect(decide(used(limit * 0.99))).toEqual({ kind: 'ask-model' })
    const unlimited = nextAction(used(10_000), { ...limits, usd: null })
    expect(unlimited.kind).toBe(name === 'usd' ? 'ask-model' : 'fail')
  })

  it('a limit does not cut off calls that were already requested', () => {
    const state = turn([step('finished', ['waiting'])], { used: { ...nothing, steps: 99 } })
    expect(decide(state)).toMatchObject({ kind: 'run-calls' })
  })
})
