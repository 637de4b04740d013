import { isErrorOf } from '@threadbox/errors'
import { type AllowedAddresses, parseAllowedUrl } from '../../platform/outbound/addresses.logic.ts'
import { connectionAddressInvalid, connectionAddressRefused } from '../../platform/outbound/outbound.errors.ts'
import { gitAddressInvalid, gitAddressRefused } from './git-credentials.errors.ts'
import { isSite, siteOf } from './git-target.logic.ts'

/**
 * Returns the origin of a Git server, given as `github.com` or as an address. Throws `git-credential.address-invalid`
 * and `git-credential.address-refused`.
 */
export function gitAddressOf(text: string, allowed: AllowedAddresses): string {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`
  if (!URL.canParse(address)) throw gitAddressInvalid({ problem: 'it is not a server name.' })
  const { protocol, pathname, search } = new URL(address)
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw gitAddressInvalid({ problem: 'it must use HTTPS.' })
  }
  if (pathname !== '/' || search !== '') throw gitAddressInvalid({ problem: 'it contains more than a server name.' })
  const origin = requireReachable(address, allowed)
  if (!isSite(siteOf(origin))) throw gitAddressInvalid({ problem: 'the server name contains invalid characters.' })
  return origin
}

/**
 * Checks the address without resolving its name. An address that was allowed when it was entered can be refused now.
 */
export function requireReachable(address: string, allowed: AllowedAddresses): string {
  try {
    return parseAllowedUrl(address, allowed).origin
  } catch (error) {
    throw asGitError(error)
  }
}

/**
 * Git servers have the address rules of connections. Returns an error of those rules as the corresponding git error.
 */
export function asGitError(error: unknown): unknown {
  if (isErrorOf(connectionAddressRefused, error)) {
    return gitAddressRefused({ host: String(error.details.host) }, { cause: error })
  }
  if (isErrorOf(connectionAddressInvalid, error)) {
    return gitAddressInvalid({ problem: String(error.details.problem) }, { cause: error })
  }
  return error
}
