import type { Caller } from '../../platform/http/caller.ts'

/** Returns whether the caller's session or key still exists and hasn't expired. */
export type CredentialCheck = (caller: Omit<Caller, 'workspaceIds'>, now: number) => Promise<boolean>
