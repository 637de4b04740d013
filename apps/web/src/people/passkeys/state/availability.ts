/**
 * Whether passkeys work on this page. `insecure`: plain http at another name than localhost. `address`: an IP address,
 * which can’t have passkeys. `browser`: this browser has none.
 */
type PasskeyAvailability = 'available' | 'insecure' | 'address' | 'browser'

export function availabilityOf(page: {
  hostname: string
  isSecureContext: boolean
  hasApi: boolean
}): PasskeyAvailability {
  if (page.hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(page.hostname)) return 'address'
  if (!page.isSecureContext) return 'insecure'
  return page.hasApi ? 'available' : 'browser'
}

export function passkeyAvailability(): PasskeyAvailability {
  const { hostname } = location
  return availabilityOf({ hostname, isSecureContext, hasApi: typeof PublicKeyCredential === 'function' })
}
