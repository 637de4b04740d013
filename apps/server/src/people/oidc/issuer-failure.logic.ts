import { isErrorOf, isThreadboxError, type ThreadboxError } from '@threadbox/errors'
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import {
  connectionAddressInvalid,
  connectionAddressRefused,
  connectionAnswerTooLarge,
} from '../../platform/outbound/outbound.errors.ts'
import {
  algorithmRefused,
  audienceWrong,
  clientRefused,
  codeRefused,
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
import { signInDeclined } from './oidc.errors.ts'

type Definition = (details: Record<string, never>, options?: { cause?: unknown }) => ThreadboxError

/**
 * The coded error for what failed while talking to an issuer. An error that neither the network nor the library threw is
 * returned as it is: it is a defect of ours.
 */
export function issuerFailureOf(error: unknown): unknown {
  const chain = [...causesOf(error)]
  const known = chain.find(isThreadboxError)
  if (known !== undefined) return ofGuard(known)
  const definition = definitionOf(error, chain)
  return definition === undefined ? error : definition({}, { cause: error })
}

function ofGuard(error: ThreadboxError): ThreadboxError {
  if (isErrorOf(connectionAnswerTooLarge, error)) return issuerAnswerTooLarge({}, { cause: error })
  const isRefused = isErrorOf(connectionAddressRefused, error) || isErrorOf(connectionAddressInvalid, error)
  return isRefused ? issuerAddressRefused({}, { cause: error }) : error
}

function definitionOf(error: unknown, chain: readonly unknown[]): Definition | undefined {
  if (chain.some(isTimeout)) return issuerSlow
  if (error instanceof AuthorizationResponseError) return signInDeclined
  if (error instanceof WWWAuthenticateChallengeError) return issuerInvalid
  if (error instanceof ResponseBodyError) return ofErrorWord(error.error)
  if (error instanceof ClientError) {
    const details = [...chain, detailsOf(chain)].map(propertiesOf)
    return ofLibraryCode(error.code ?? '', Object.assign({}, ...details) as Record<string, unknown>)
  }
  // What `fetch` throws: the connection was refused or broken, or the name is unknown.
  return error instanceof TypeError ? issuerUnreachable : undefined
}

function ofErrorWord(word: string): Definition {
  if (word === 'invalid_grant') return codeRefused
  return word === 'invalid_client' || word === 'unauthorized_client' ? clientRefused : issuerInvalid
}

function ofLibraryCode(code: string, details: Record<string, unknown>): Definition {
  switch (code) {
    case 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED':
      return tokenExpired
    case 'OAUTH_JWT_CLAIM_COMPARISON_FAILED':
      return ofClaim(details.claim)
    case 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED':
      return details.attribute === 'issuer' ? issuerMixedUp : tokenInvalid
    case 'OAUTH_KEY_SELECTION_FAILED':
      return signatureWrong
    case 'OAUTH_UNSUPPORTED_OPERATION':
      return algorithmRefused
    case 'OAUTH_HTTP_REQUEST_FORBIDDEN':
    case 'OAUTH_REQUEST_PROTOCOL_FORBIDDEN':
      return issuerAddressRefused
    case 'OAUTH_INVALID_RESPONSE':
      return ofResponse(details)
    default:
      return issuerInvalid
  }
}

function ofClaim(claim: unknown): Definition {
  if (claim === 'nonce') return nonceWrong
  if (claim === 'iss') return issuerMixedUp
  return claim === 'aud' || claim === 'azp' ? audienceWrong : tokenInvalid
}

/** By what the library says of a response that it refused: which header, which parameters, or which signature. */
function ofResponse(details: Record<string, unknown>): Definition {
  if ('header' in details && 'reason' in details) return algorithmRefused
  if ('signature' in details) return signatureWrong
  return 'parameters' in details ? issuerMixedUp : tokenInvalid
}

function isTimeout(error: unknown): boolean {
  const { name, code } = propertiesOf(error) as { name?: unknown; code?: unknown }
  if (error instanceof DOMException) return error.name === 'TimeoutError'
  return name === 'TimeoutError' || (typeof code === 'string' && /TIMEOUT/.test(code))
}

function* causesOf(error: unknown): Iterable<unknown> {
  const seen = new Set<unknown>()
  for (let next = error; next instanceof Error && !seen.has(next); next = next.cause) {
    seen.add(next)
    yield next
  }
}

/** The cause of the last error: an object with what the library compared. */
function detailsOf(chain: readonly unknown[]): unknown {
  return (chain.at(-1) as Error | undefined)?.cause
}

function propertiesOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? { ...value, ...named(value) } : {}
}

function named(value: object): object {
  return 'name' in value ? { name: value.name } : {}
}
