import { isIP } from 'node:net'
import { type AllowedHosts, baseDomainOf } from '../../platform/http/origins.ts'
import { passkeyHostUnsuitable } from './passkeys.errors.ts'

/** Where a passkey is valid: exactly this host, and only for pages of this origin. */
export type RelyingParty = { id: string; origin: string }

type Site = Pick<AllowedHosts, 'installation' | 'baseDomain' | 'publicUrl'>

/**
 * The relying party is the exact host of the app. A name above it would let the page of a preview, which is below the base
 * domain, ask for the app’s passkeys. Throws `passkey.host-unsuitable`.
 */
export function relyingPartyOf(hostHeader: string, site: Site): RelyingParty {
  const host = hostHeader.toLowerCase()
  const id = host.replace(/:\d{1,5}$/, '')
  const base = baseDomainOf(site).toLowerCase()
  // `localhost` is above the default base domain, but browsers take it for a public suffix.
  const isAbovePreviews = id !== 'localhost' && (base === id || base.endsWith(`.${id}`))
  if (id.startsWith('[') || isIP(id) !== 0 || isAbovePreviews) throw passkeyHostUnsuitable({ host: id })
  const own = site.publicUrl === '' ? undefined : new URL(site.publicUrl)
  return { id, origin: own?.host === host ? own.origin : `http://${host}` }
}
