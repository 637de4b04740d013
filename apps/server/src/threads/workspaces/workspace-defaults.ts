import type { LifecyclePolicy, SandboxLimits } from '@threadbox/domain'
import { valuesOf, type WorkspaceValues } from '../access/workspaces.presenter.ts'
import type { WorkspaceStore } from '../access/workspaces.store.ts'
import type { ReadDefaults, SandboxDefaults } from './sandbox-defaults.ts'

/**
 * Values that sandboxes of threads inherit. They are read at each use, so that a change or a move takes effect
 * immediately.
 */
export function makeReadDefaults(options: {
  store: Pick<WorkspaceStore, 'withValues'>
  settings: { policy(): Promise<LifecyclePolicy>; limits(): Promise<SandboxLimits> }
  /** The workspaces of these threads, limited to the given workspaces, by thread. */
  workspacesOf: (threadIds: readonly string[] | 'all', workspaceIds: readonly string[]) => Promise<Map<string, string>>
}): ReadDefaults {
  const { store, settings } = options
  return async (threadIds) => {
    const policy = await settings.policy()
    const limits = await settings.limits()
    const installation: SandboxDefaults = { policy, limits, workspace: { policy: [], limits: [] } }
    const rows = await store.withValues()
    if (rows.length === 0) return () => installation
    const defaults = new Map(rows.map((row) => [row.id, over(installation, valuesOf(row))]))
    const workspaces = await options.workspacesOf(threadIds, [...defaults.keys()])
    return (threadId) => defaults.get(workspaces.get(threadId) ?? '') ?? installation
  }
}

function over(installation: SandboxDefaults, values: WorkspaceValues): SandboxDefaults {
  return {
    policy: { ...installation.policy, ...values.policy },
    limits: { ...installation.limits, ...values.limits },
    workspace: {
      policy: Object.keys(values.policy) as (keyof LifecyclePolicy)[],
      limits: Object.keys(values.limits) as (keyof SandboxLimits)[],
    },
  }
}
