import { isThreadboxError } from '@threadbox/errors'
import type { Logger } from '@threadbox/telemetry'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { System } from '../../platform/system/system.ts'
import type { Audit } from '../audit/audit.ts'
import type { OutsideSignIn } from '../users/outside-sign-in.ts'
import { codeRefused } from './issuer.errors.ts'
import type { Issuers } from './issuer.ts'
import { groupMissing } from './oidc.errors.ts'
import type { OidcStore } from './oidc.store.ts'
import type { OidcIdentityRow, OidcProviderRow, OidcSessionRow } from './oidc.table.ts'
import type { Admission } from './oidc-admission.ts'
import { settingsOf } from './oidc-providers.logic.ts'
import { clientOf } from './oidc-providers.usecases.ts'
import type { OidcSessionStore } from './oidc-sessions.store.ts'

/**
 * Asks providers whether people are still there. A provider that says no ends the person’s sessions with it. One that
 * doesn’t respond is asked again every few minutes; a session ends after twice the hours without a response.
 */
export type Rechecks = {
  start(): void
  stop(): Promise<void>
  /** Checks what is due. */
  run(): Promise<void>
}

export type RecheckDependencies = {
  store: Pick<OidcStore, 'identities' | 'providers'>
  sessions: OidcSessionStore
  issuers: Pick<Issuers, 'refresh'>
  admission: Pick<Admission, 'review'>
  people: Pick<OutsideSignIn, 'endSessions'>
  secretBox: SecretBox
  audit: Pick<Audit, 'record'>
  system: System
  logger: Logger
}

const runEveryMs = 15_000
const retryMs = 5 * 60_000
const hourMs = 3_600_000
/** Checks at the same time. */
const width = 8

export function makeRechecks(dependencies: RecheckDependencies): Rechecks {
  const { sessions, system, logger } = dependencies
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  const runOnce = async () => {
    const due = await sessions.due(system.now())
    for (let index = 0; index < due.length; index += width) {
      await Promise.all(due.slice(index, index + width).map((row) => check(dependencies, row)))
    }
  }
  const run = () => {
    running ??= runOnce().finally(() => {
      running = undefined
    })
    return running
  }
  return {
    run,
    start: () => {
      const turn = () => run().catch((error: unknown) => logger.error({ err: error }, 'checks of sign-ins failed'))
      timer = setInterval(() => void turn(), runEveryMs).unref()
      void turn()
    },
    stop: async () => {
      clearInterval(timer)
      await running?.catch(() => undefined)
    },
  }
}

async function check(dependencies: RecheckDependencies, row: OidcSessionRow): Promise<void> {
  const { store, sessions, system, logger } = dependencies
  const now = system.now()
  if (!(await sessions.claim(row, now + retryMs))) return
  const identity = await store.identities.byId(row.identity_id)
  const provider = identity && (await store.providers.find(identity.provider_id))
  if (identity === undefined || provider === undefined) return
  const periodMs = settingsOf(provider).recheckHours * hourMs
  const end = async (sessionIds: readonly string[], code: string) => {
    // Another check of the same account was faster.
    if (sessionIds.length === 0) return
    await dependencies.people.endSessions(sessionIds)
    const details = { provider: provider.name, code, sessions: sessionIds.length }
    await dependencies.audit.record({ userId: null, action: 'sessions-ended', subject: identity.user_id, details })
  }
  if (row.sealed_refresh === null) return await end([row.session_id], 'no-refresh-token')
  try {
    await ask(dependencies, { row, identity, provider, periodMs })
  } catch (error) {
    if (!isThreadboxError(error)) throw error
    const { code } = error
    if (code === codeRefused.code || code === groupMissing.code) {
      return await end(await sessions.ofIdentity(identity.id), code)
    }
    if (now - row.checked_at >= 2 * periodMs) return await end([row.session_id], code)
    logger.warn({ provider: provider.id, code }, 'a provider could not be asked about a session')
  }
}

async function ask(
  { sessions, issuers, admission, secretBox, system }: RecheckDependencies,
  given: { row: OidcSessionRow; identity: OidcIdentityRow; provider: OidcProviderRow; periodMs: number },
): Promise<void> {
  const { row, identity, provider, periodMs } = given
  const refreshToken = secretBox.open(row.sealed_refresh ?? '')
  const answer = await issuers.refresh(clientOf(provider, secretBox), { refreshToken, subject: identity.subject })
  const now = system.now()
  const sealed_refresh = answer.refreshToken === null ? row.sealed_refresh : secretBox.seal(answer.refreshToken)
  // Stored immediately: the provider may accept each token only once.
  await sessions.checked(row.session_id, { sealed_refresh, checked_at: row.checked_at, due_at: now + retryMs })
  await admission.review(identity, { provider, answer })
  await sessions.checked(row.session_id, { sealed_refresh, checked_at: now, due_at: now + periodMs })
}
