import type { LifecyclePolicy, SandboxLimits } from '@threadbox/domain'

/**
 * Values for a sandbox that has none of its own: the installation's, overridden by those of its thread's workspace.
 * `workspace` lists the fields that come from the workspace.
 */
export type SandboxDefaults = {
  policy: LifecyclePolicy
  limits: SandboxLimits
  workspace: { policy: (keyof LifecyclePolicy)[]; limits: (keyof SandboxLimits)[] }
}

/** Defaults by thread id. */
export type DefaultsOf = (threadId: string) => SandboxDefaults

/** Reads the current values, for these threads or for all. */
export type ReadDefaults = (threadIds: readonly string[] | 'all') => Promise<DefaultsOf>
