import type { WorkspaceAction } from '@threadbox/domain'
import { isErrorOf } from '@threadbox/errors'
import { roleMissing } from '../../threads/public.ts'
import type { Agents } from '../agents/agents.usecases.ts'
import { runTriggerNotFound } from './runs.errors.ts'

/**
 * What a person needs to be allowed to do with the agent in order to change one of its runs, or what starts them: their own
 * need no more than working with it.
 */
export function actionOn(row: { user_id: string }, userId: string): WorkspaceAction {
  return row.user_id === userId ? 'work' : 'manage'
}

/** Throws `run.trigger-not-found` or `workspace.role-missing` unless the person can change the schedule or webhook. */
export async function requireTriggered(
  agents: Pick<Agents, 'resolve'>,
  { userId, row }: { userId: string; row: { agent_id: string; user_id: string } },
): Promise<void> {
  const agent = { agentId: row.agent_id, version: null, action: actionOn(row, userId) }
  await agents.resolve(userId, agent).catch((error: unknown) => {
    throw isErrorOf(roleMissing, error) ? error : runTriggerNotFound({})
  })
}
