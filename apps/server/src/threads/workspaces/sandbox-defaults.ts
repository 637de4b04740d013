import type { LifecyclePolicy, SandboxLimits } from '@threadbox/domain'

/**
 * What counts for a sandbox that has no value of its own: the installation's values, and over them those of the workspace
 * that its thread is in. `workspace` names the fields that come from there.
 */
export type SandboxDefaults = {
  policy: LifecyclePolicy
  limits: SandboxLimits
  workspace: { policy: (keyof LifecyclePolicy)[]; limits: (keyof SandboxLimits)[] }
}

/** By the id of the thread. */
export type DefaultsOf = (threadId: string) => SandboxDefaults

/** Reads what counts now, for these threads or for all. */
export type ReadDefaults = (threadIds: readonly string[] | 'all') => Promise<DefaultsOf>
