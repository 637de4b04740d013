import { type AllowedHosts, baseDomainOf, makeHostCheck } from '../../platform/http/origins.ts'

/** One port of one thread’s sandbox, as in its hostname. */
export type PreviewAddress = { port: number; label: string }

/**
 * Names and origins of previews. A `host` is the value of a Host header: a name and, if it is not the default, a port.
 */
export type PreviewNames = {
  /** True for every name under the base domain that is not the app’s, whether such a preview exists or not. */
  isPreview(host: string): boolean
  addressOf(host: string): PreviewAddress | undefined
  /** The origin of a preview for a client that reached the server under this host. */
  originOf(address: PreviewAddress, host: string): string
  /** The origin of a request under this host. */
  ownOrigin(host: string): string
  /** The origin that others can reach: the published one, or else that of a request under this host. */
  publishedOrigin(host: string): string
  /** The app’s origin for a client that reached the server under this host: previews can be framed there. */
  appOrigin(host: string): string
  /** The port of an origin that belongs to this label; undefined for every other origin. */
  portOfSibling(origin: string, options: { label: string; host: string }): number | undefined
  /** The origin that only checks use, for a client that reached the server under this host. No thread has this name. */
  checkOrigin(host: string): string
  isCheck(host: string): boolean
  /** True for an origin of the app with the scheme and port of this host. */
  isAppOrigin(origin: string, host: string): boolean
  /** `*.<base>`, as in a certificate or a DNS record for previews. */
  wildcard: string
  /** Why a page of the app that was opened under this host cannot show previews in a frame. */
  obstacle(host: string): 'other-name' | 'no-name' | undefined
  isSecure(host: string): boolean
  /** True if names are under `localhost`: development servers allow all of these names, and no other. */
  hasLocalNames: boolean
}

const addressPattern = /^([1-9]\d{0,4})-([a-z2-7]{10})$/
/** Shaped like a preview’s name, but for the label, which has ten characters there. */
const checkName = '1-doctor'
const loopbackPattern = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

export function makePreviewNames(options: AllowedHosts): PreviewNames {
  const base = baseDomainOf(options)
  const isApp = makeHostCheck(options)
  const published = options.publicUrl === '' ? undefined : new URL(options.publicUrl)
  // A client that comes through the proxy that ends TLS uses the proxy’s port.
  const schemeOf = (host: string) => (published?.port === portOf(host) ? published.protocol : 'http:')
  const withPort = (name: string, host: string) =>
    `${schemeOf(host)}//${name}${portOf(host) === '' ? '' : ':'}${portOf(host)}`
  const addressOf = (host: string) => {
    const name = nameOf(host)
    if (!name.endsWith(`.${base}`)) return undefined
    const match = addressPattern.exec(name.slice(0, -base.length - 1))
    const [, port = '', label = ''] = match ?? []
    return match === null || Number(port) > 65_535 ? undefined : { port: Number(port), label }
  }
  const ownOrigin = (host: string) => withPort(nameOf(host), host)
  return {
    isPreview: (host) => !isApp(host) && nameOf(host).endsWith(`.${base}`),
    addressOf,
    originOf: ({ port, label }, host) => withPort(`${port}-${label}.${base}`, host),
    ownOrigin,
    publishedOrigin: (host) => published?.origin ?? ownOrigin(host),
    appOrigin: (host) =>
      published !== undefined && published.port === portOf(host) ? published.origin : withPort(`app.${base}`, host),
    portOfSibling: (origin, { label, host }) => {
      const parsed = URL.canParse(origin) ? new URL(origin) : undefined
      if (parsed === undefined || parsed.protocol !== schemeOf(host) || parsed.port !== portOf(host)) return undefined
      const address = addressOf(parsed.host)
      return address?.label === label ? address.port : undefined
    },
    checkOrigin: (host) => withPort(`${checkName}.${base}`, host),
    isCheck: (host) => nameOf(host) === `${checkName}.${base}`,
    isAppOrigin: (origin, host) => {
      const parsed = URL.canParse(origin) ? new URL(origin) : undefined
      return parsed?.origin === origin && isApp(parsed.host) && withPort(nameOf(parsed.host), host) === origin
    },
    wildcard: `*.${base}`,
    obstacle: (host) => {
      const name = nameOf(host)
      if (isSameSite(name, base)) return undefined
      return base.endsWith('.localhost') && !loopbackPattern.test(name) ? 'no-name' : 'other-name'
    },
    isSecure: (host) => schemeOf(host) === 'https:',
    hasLocalNames: base.endsWith('.localhost'),
  }
}

/** Browsers know the registrable domain. Here, two names are one site if one is below the other’s parent domain. */
function isSameSite(name: string, base: string): boolean {
  if (name === base || name.endsWith(`.${base}`)) return true
  if (name.includes('.') && base.endsWith(`.${name}`)) return true
  const parent = name.slice(name.indexOf('.') + 1)
  return parent.includes('.') && (base === parent || base.endsWith(`.${parent}`))
}

function nameOf(host: string): string {
  return host.toLowerCase().replace(/:\d{1,5}$/, '')
}

function portOf(host: string): string {
  return /:(\d{1,5})$/.exec(host)?.[1] ?? ''
}
