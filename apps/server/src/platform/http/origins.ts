/** The names of the app. */
export type AllowedHosts = {
  installation: string
  baseDomain: string
  publicUrl: string
  /** Separated by commas. */
  allowedHosts: string
  listenHost: string
}

/**
 * Returns a check whether a `Host` header names this app. A page elsewhere can point its own name at the app's address
 * (DNS rebinding); its requests still have that name in this header.
 */
export function makeHostCheck(options: AllowedHosts): (hostHeader: string) => boolean {
  const extra = options.allowedHosts.split(',').map((host) => host.trim().toLowerCase())
  const names = new Set(
    [
      'localhost',
      '127.0.0.1',
      '[::1]',
      `app.${baseDomainOf(options)}`,
      isWildcard(options.listenHost) ? '' : bracketed(options.listenHost),
      options.publicUrl === '' ? '' : new URL(options.publicUrl).hostname,
      ...extra.map(bracketed),
    ].filter((host) => host !== ''),
  )
  return (hostHeader) => {
    const host = hostHeader.toLowerCase()
    return names.has(host) || names.has(host.replace(/:\d{1,5}$/, ''))
  }
}

export function baseDomainOf(options: { installation: string; baseDomain: string }): string {
  return options.baseDomain === '' ? `${options.installation}.localhost` : options.baseDomain
}

/**
 * Returns whether `origin` is exactly the origin that the request was sent to: scheme, name and port. The same site
 * isn't sufficient, because previews run the user's programs on the same site.
 */
export function isSameOrigin(options: { origin: string; hostHeader: string; publicUrl: string }): boolean {
  if (options.publicUrl !== '' && options.origin === new URL(options.publicUrl).origin) {
    return new URL(options.publicUrl).host === options.hostHeader.toLowerCase()
  }
  return options.origin === `http://${options.hostHeader.toLowerCase()}`
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') && host.split(':').length > 2 ? `[${host}]` : host
}
