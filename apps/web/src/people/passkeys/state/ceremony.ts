import {
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from '@simplewebauthn/browser'
import type { NewPasskeyRequest, PasskeyAssertion, PasskeyRegistration, PasskeyRequest } from '@threadbox/sdk'

/** Why the browser returned nothing. It doesn’t tell a canceled dialog from one that timed out. */
type CeremonyFailure = 'canceled' | 'known' | 'unsupported' | 'failed'

export class CeremonyError extends Error {
  readonly failure: CeremonyFailure
  constructor(failure: CeremonyFailure, options: ErrorOptions) {
    super(`The browser returned no passkey: ${failure}.`, options)
    this.failure = failure
  }
}

/** Asks the browser for a passkey. Ends a request that is still open, such as the one of the email field. */
export async function getPasskey(request: PasskeyRequest): Promise<PasskeyAssertion> {
  return await failing(() => startAuthentication({ optionsJSON: request }))
}

export async function makePasskey(request: NewPasskeyRequest): Promise<PasskeyRegistration> {
  const { response, ...registration } = await failing(() => startRegistration({ optionsJSON: request }))
  const { clientDataJSON, attestationObject, transports } = response
  return { ...registration, response: { clientDataJSON, attestationObject, ...(transports && { transports }) } }
}

/** A request is valid for 5 minutes: the offer in the email field is renewed before. */
const renewMs = 4 * 60_000

/** Lets the browser offer passkeys in the email field, until the function that it returns is called. */
export function offerPasskeys(options: {
  request(): Promise<PasskeyRequest>
  onChosen(assertion: PasskeyAssertion): void
}): () => void {
  const ended = new AbortController()
  let renewal: ReturnType<typeof setTimeout> | undefined
  const offer = async () => {
    if (!(await browserSupportsWebAuthnAutofill())) return
    const optionsJSON = await options.request()
    if (ended.signal.aborted) return
    renewal = setTimeout(renew, renewMs)
    const assertion = await startAuthentication({ optionsJSON, useBrowserAutofill: true })
    clearTimeout(renewal)
    if (!ended.signal.aborted) options.onChosen(assertion)
  }
  // Without an offer the page still has its button, which says what is wrong.
  const renew = () => void offer().catch(() => clearTimeout(renewal))
  renew()
  return () => {
    ended.abort()
    clearTimeout(renewal)
    WebAuthnAbortService.cancelCeremony()
  }
}

const failures: Readonly<Record<string, CeremonyFailure>> = {
  NotAllowedError: 'canceled',
  AbortError: 'canceled',
  InvalidStateError: 'known',
  NotSupportedError: 'unsupported',
  ConstraintError: 'unsupported',
}

async function failing<Result>(ceremony: () => Promise<Result>): Promise<Result> {
  try {
    return await ceremony()
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    throw new CeremonyError(failures[name] ?? 'failed', { cause: error })
  }
}
