/** A git request that can be passed on. `site` is the first part of its path, which names the server. */
export type GitTarget = {
  site: string
  /** As in the request’s path: `owner/name`, with `.git` if it was given. */
  path: string
  /** `owner/name`, without `.git`. */
  repository: string
  service: 'upload-pack' | 'receive-pack'
  /** Git’s first request, which lists the branches. */
  isAdvertisement: boolean
}

/** Regular expression of a server name in the first part of a path. */
const sitePart = '[A-Za-z0-9.:+_\\[\\]-]+'
const segment = '(?!\\.{1,2}/)[A-Za-z0-9._~+-]+'
/** Matched without decoding: no escape, no empty part, no `.` or `..`, nothing after `?` but the service. */
const targetPattern = new RegExp(
  `^/(${sitePart})/((?:${segment}/){1,30}?)(?:info/refs\\?service=git-(upload-pack|receive-pack)|git-(upload-pack|receive-pack))$`,
)
const sitePattern = new RegExp(`^${sitePart}$`)
const maxTargetCharacters = 1000

/** Returns undefined for a request that is not passed on. What is checked here is sent unchanged. */
export function targetOf(method: string, target: string): GitTarget | undefined {
  if (target.length > maxTargetCharacters) return undefined
  const [, site, folder, advertised, asked] = targetPattern.exec(target) ?? []
  const service = (advertised ?? asked) as GitTarget['service'] | undefined
  if (site === undefined || folder === undefined || service === undefined) return undefined
  const isAdvertisement = advertised !== undefined
  if (method !== (isAdvertisement ? 'GET' : 'POST')) return undefined
  const path = folder.slice(0, -1)
  return { site, path, repository: path.replace(/\.git$/, ''), service, isAdvertisement }
}

/** Path and query of the request, at its server. */
export function serverPathOf({ path, service, isAdvertisement }: GitTarget): string {
  return isAdvertisement ? `/${path}/info/refs?service=git-${service}` : `/${path}/git-${service}`
}

/** The first part of the path, which identifies the server. People see it in git’s messages. */
export function siteOf(address: string): string {
  const { protocol, host } = new URL(address)
  return protocol === 'https:' ? host : `http+${host}`
}

/** True if a request’s path can name this server. */
export function isSite(name: string): boolean {
  return sitePattern.test(name)
}

/** Compares exactly: names that are the same repository on one server are different ones on another. */
export function covers(repositories: readonly string[], repository: string): boolean {
  return repositories.some((name) =>
    name.endsWith('/*') ? repository.startsWith(name.slice(0, -1)) : name === repository,
  )
}

/**
 * Returns the credential to use of those for one server: one that names the repository precedes one for all
 * repositories, and one that can push precedes one that cannot.
 */
export function chooseCredential<Row extends { repositories: readonly string[]; access: string }>(
  rows: readonly Row[],
  repository: string,
): Row | undefined {
  const naming = rows.filter(({ repositories }) => covers(repositories, repository))
  const fitting = naming.length > 0 ? naming : rows.filter(({ repositories }) => repositories.length === 0)
  return fitting.find(({ access }) => access === 'push') ?? fitting[0]
}

const sentHeaders = ['accept', 'accept-encoding', 'content-encoding', 'content-length', 'content-type', 'git-protocol']
const answeredHeaders = ['cache-control', 'content-encoding', 'content-length', 'content-type', 'expires', 'pragma']
const maxHeaderCharacters = 500

/** The headers of a request that go to the server. The server sets the user agent. */
export function requestHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept = named(sentHeaders, headers)
  const { 'content-length': length, ...rest } = kept
  const agent = /^git\/[\w.-]+/.exec(headers['user-agent'] ?? '')?.[0]
  return {
    ...rest,
    ...(length !== undefined && /^\d{1,15}$/.test(length) ? { 'content-length': length } : {}),
    // Some servers respond only to git.
    'user-agent': agent ?? 'git/2.0',
  }
}

/** The headers of a response that go into the sandbox: none about authentication, none that would be stored. */
export function answerHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  return named(answeredHeaders, headers)
}

function named(
  names: readonly string[],
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name]
      const isFine = typeof value === 'string' && value.length <= maxHeaderCharacters && /^[\x20-\x7e]*$/.test(value)
      return isFine ? [[name, value]] : []
    }),
  )
}

/** The content type of git’s body for this request, which a page in a browser cannot send. */
export function requestTypeOf({ service }: GitTarget): string {
  return `application/x-git-${service}-request`
}

/** The content type of a Git server’s response to this request. */
export function mediaTypeOf({ service, isAdvertisement }: GitTarget): string {
  return `application/x-git-${service}-${isAdvertisement ? 'advertisement' : 'result'}`
}

/**
 * Returns the path inside the sandbox that a redirect leads to: the same request for another repository of the server,
 * which is checked again. Undefined if it leads anywhere else.
 */
export function redirectedTo(target: GitTarget, redirect: { location: string; address: string }): string | undefined {
  if (!target.isAdvertisement || redirect.location === '') return undefined
  const base = `${redirect.address}${serverPathOf(target)}`
  if (!URL.canParse(redirect.location, base)) return undefined
  const url = new URL(redirect.location, base)
  const path = `/${target.site}${url.pathname}${url.search}`
  const isFine = url.origin === redirect.address && url.hash === '' && url.username === '' && url.password === ''
  return isFine && targetOf('GET', path)?.service === target.service ? path : undefined
}
