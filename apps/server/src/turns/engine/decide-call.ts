import type { CallDecision } from '@threadbox/protocol/public'
import type { ThreadChange } from '../../threads/public.ts'
import type { ConnectionPlan } from '../connections/agent-connections.ts'
import { connectionCallDenied } from '../connections/connections.errors.ts'
import { writerOf } from '../record/turn-history.ts'
import type { CallRecord } from '../record/turn-record.ts'
import { failedWith } from '../tools/outcomes.ts'
import { callEntryOf, finishCall, unexpectedOutcome } from './call-end.ts'
import { connectionPlanOf } from './connection-call.ts'
import type { Recording, TurnDependencies } from './turn-dependencies.ts'
import { callNotAwaiting, callNotFound } from './turns.errors.ts'

/**
 * Records the decision on a call that waits for approval, and returns the turn if it can continue. Call it under the
 * thread's lock. The approval applies to the tool as it was described to the user: if the server has changed it since,
 * approval is requested again.
 */
export async function decideCall(
  dependencies: Recording & Pick<TurnDependencies, 'connections'>,
  options: { userId: string; threadId: string; callId: string; decision: CallDecision },
): Promise<{ id: string; threadId: string }> {
  const { store } = dependencies
  const { userId, threadId, callId, decision } = options
  const call = await store.call(threadId, callId)
  if (call === undefined) throw callNotFound({})
  const plan = connectionPlanOf(call)
  if (call.status !== 'awaiting-approval' || plan === undefined) throw callNotAwaiting({})
  if (decision === 'deny') {
    const outcome = failedWith(connectionCallDenied({ tool: plan.tool })) ?? unexpectedOutcome
    await finishCall(dependencies, { call, outcome })
  } else {
    if (decision === 'always') await dependencies.connections.allowAlways(userId, plan)
    await allow(dependencies, { call, plan })
  }
  await excludeApprovalTime(dependencies, call)
  return { id: call.turnId, threadId }
}

async function allow(
  dependencies: Pick<Recording, 'log' | 'store'>,
  { call, plan }: { call: CallRecord; plan: ConnectionPlan },
): Promise<void> {
  const { log, store } = dependencies
  const entry = await callEntryOf(dependencies, call)
  const changes: ThreadChange[] =
    entry === undefined ? [] : [{ type: 'entry-updated', entry: { ...entry, status: 'waiting' } }]
  const change = { status: 'waiting' as const, plan: { ...plan, approvedFingerprint: plan.askedFingerprint } }
  await log.append(call.threadId, changes, (transaction) => store.changeCall(call.id, change, writerOf(transaction)))
}

/** Excludes the time spent waiting for approval from the turn's time limit. */
async function excludeApprovalTime({ store, log, system }: Recording, call: CallRecord): Promise<void> {
  const turn = await store.turn(call.turnId)
  if (turn === undefined) return
  const calls = turn.steps.flatMap((step) => step.calls)
  if (calls.some((other) => other.status === 'awaiting-approval')) return
  const entry = await log.entry(call.threadId, call.id)
  const waitedMs = entry === undefined ? 0 : Math.max(0, system.now() - entry.at)
  const allowanceFrom = Math.min(system.now(), turn.allowanceFrom + waitedMs)
  await store.changeTurn(turn.id, { allowanceFrom }, store.writer)
}
