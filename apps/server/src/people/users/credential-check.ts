import type { Caller } from '../../platform/http/api.ts'

/** Whether the session or the key with which somebody came still exists and has not expired. */
export type CredentialCheck = (caller: Caller, now: number) => Promise<boolean>
