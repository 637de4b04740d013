import type { BeginAs } from '../../sandboxes/public.ts'
import { agentVersionNotFound } from './agents.errors.ts'
import type { EnvironmentStore } from './environments.store.ts'
import { type OwnLimits, servicesOf } from './environments.usecases.ts'

const noPolicy = {
  idle_pause_minutes: null,
  hot_hours: null,
  hot_keep: null,
  max_awake_hours: null,
  retention_days: null,
}

/** Gives a hidden thread a sandbox that starts as a copy of an environment. The environment does not change. */
export async function startEnvironment(
  { environments, beginAs }: { environments: Pick<EnvironmentStore, 'find'>; beginAs: BeginAs },
  { environmentId, threadId }: { environmentId: string; threadId: string },
): Promise<void> {
  const row = await environments.find(environmentId)
  if (row === undefined) throw agentVersionNotFound({})
  const limits = JSON.parse(row.limits_json) as OwnLimits
  const source = { ...noPolicy, ...limits, id: row.sandbox_id }
  await beginAs({ threadId, source, services: servicesOf(row), rescueJson: row.rescue_json })
}
