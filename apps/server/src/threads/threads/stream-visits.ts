import type { Logger } from '@threadbox/telemetry'
import type { CredentialCheck } from '../../people/public.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { makeOpenVisits, type OpenVisits } from '../../platform/http/open-visits.ts'
import type { System } from '../../platform/system/system.ts'

/** Sockets and requests that follow events. Each ends with the session or key that `passOf` names. */
export function makeStreamVisits(parts: { holds: CredentialCheck; system: System; logger: Logger }): OpenVisits {
  const { holds, system, logger } = parts
  const stillValid = async (passes: readonly string[]) => {
    const now = system.now()
    const checked = await Promise.all(
      passes.map(async (pass) => ((await holds(JSON.parse(pass) as Caller, now)) ? [pass] : [])),
    )
    return new Set(checked.flat())
  }
  return makeOpenVisits({ stillValid, logger })
}

export function passOf(caller: Caller): string {
  return JSON.stringify(caller)
}
