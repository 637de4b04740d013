import type { ForkedSandbox } from '@threadbox/protocol/host'
import type { System } from '../../platform/system/system.ts'
import type { ServiceStore } from '../../sandboxes/services/services.store.ts'
import type { ForkSource } from '../../sandboxes/state/fork-sandbox.usecases.ts'
import type { SandboxStore } from '../../sandboxes/state/sandboxes.store.ts'
import { agentVersionNotFound } from './agents.errors.ts'
import type { EnvironmentStore } from './environments.store.ts'
import { type OwnLimits, servicesOf } from './environments.usecases.ts'

export type StartEnvironmentDependencies = {
  environments: Pick<EnvironmentStore, 'find'>
  forkSandbox: (order: {
    source: ForkSource
    snapshotId: null
    threadId: string
    cause: 'from-agent'
  }) => Promise<ForkedSandbox>
  sandboxStore: Pick<SandboxStore, 'find' | 'setMemory'>
  serviceStore: Pick<ServiceStore, 'put'>
  system: System
}

const noPolicy = {
  idle_pause_minutes: null,
  hot_hours: null,
  hot_keep: null,
  max_awake_hours: null,
  retention_days: null,
}

/** Gives a hidden thread a computer that begins as a copy of an environment, which stays as it is. */
export async function startEnvironment(
  dependencies: StartEnvironmentDependencies,
  { environmentId, threadId }: { environmentId: string; threadId: string },
): Promise<void> {
  const { sandboxStore, serviceStore, system } = dependencies
  const row = await dependencies.environments.find(environmentId)
  if (row === undefined) throw agentVersionNotFound({})
  const limits = JSON.parse(row.limits_json) as OwnLimits
  const source = { ...noPolicy, ...limits, id: row.sandbox_id }
  const forked = await dependencies.forkSandbox({ source, snapshotId: null, threadId, cause: 'from-agent' })
  const made = await sandboxStore.find(threadId)
  if (made !== undefined) {
    await sandboxStore.setMemory({ sandbox_id: made.id, manifest_json: null, rescue_json: row.rescue_json })
  }
  for (const service of servicesOf(row)) {
    // Those whose programs go on are known to the guest by their key, with the state that they had.
    const boot_id = forked.from === 'memory' ? (made?.boot_id ?? null) : null
    await serviceStore.put({ ...service, thread_id: threadId, boot_id, since: system.now(), problem_json: null })
  }
}
