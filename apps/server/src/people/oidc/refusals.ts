import type { ErrorDefinition } from '@threadbox/errors'
import { inviteForOther, inviteInvalid } from '../invites/invites.errors.ts'
import { accountDisabled, emailTaken } from '../users/users.errors.ts'
import {
  algorithmRefused,
  audienceWrong,
  clientRefused,
  codeRefused,
  groupsOverage,
  groupsUnreadable,
  issuerAddressRefused,
  issuerAnswerTooLarge,
  issuerInvalid,
  issuerMixedUp,
  issuerSlow,
  issuerUnreachable,
  nonceWrong,
  signatureWrong,
  tokenExpired,
  tokenInvalid,
} from './issuer.errors.ts'
import {
  accountProtected,
  domainRefused,
  emailMissing,
  emailOfOther,
  emailUnverified,
  groupMissing,
  identityTaken,
  inviteNeeded,
  joinClosed,
  providerNotFound,
  signInDeclined,
  stateForeign,
  stateUnknown,
} from './oidc.errors.ts'

/** With what a sign-in at a provider can come back. The address of the page has only the code. */
const refusals: readonly ErrorDefinition<Record<string, never>>[] = [
  ...[stateUnknown, stateForeign, signInDeclined, providerNotFound, identityTaken, accountDisabled],
  ...[joinClosed, inviteNeeded, inviteInvalid, inviteForOther, domainRefused, groupMissing],
  ...[emailMissing, emailUnverified, emailOfOther, emailTaken, accountProtected],
  ...[issuerUnreachable, issuerSlow, issuerAnswerTooLarge, issuerAddressRefused, issuerInvalid, issuerMixedUp],
  ...[clientRefused, codeRefused, nonceWrong, audienceWrong, algorithmRefused, signatureWrong],
  ...[tokenExpired, tokenInvalid, groupsOverage, groupsUnreadable],
]
const byCode = new Map(refusals.map((definition) => [definition.code, definition]))

export function refusalOf(code: string): { code: string; message: string; remedy: string } | null {
  const error = byCode.get(code)?.({})
  return error === undefined ? null : { code: error.code, message: error.message, remedy: error.remedy }
}
