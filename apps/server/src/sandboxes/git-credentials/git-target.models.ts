/** A request of git as it may be passed on. `site` is the first part of its path, which names the server. */
export type GitTarget = {
  site: string
  /** As it stands in the address: `owner/name`, with `.git` where it was written so. */
  path: string
  /** `owner/name`, as people call it. */
  repository: string
  service: 'upload-pack' | 'receive-pack'
  /** What git begins with: which branches there are. */
  isAdvertisement: boolean
}

/** How a server may be called as the first part of a path, as a regular expression. */
const sitePart = '[A-Za-z0-9.:+_\\[\\]-]+'
const segment = '(?!\\.{1,2}/)[A-Za-z0-9._~+-]+'
/** Raw: no escape, no empty part, no `.` or `..`, nothing behind `?` but the service. */
const targetPattern = new RegExp(
  `^/(${sitePart})/((?:${segment}/){1,30}?)(?:info/refs\\?service=git-(upload-pack|receive-pack)|git-(upload-pack|receive-pack))$`,
)
const sitePattern = new RegExp(`^${sitePart}$`)
const maxTargetCharacters = 1000

/** Undefined: it is nothing that is passed on. Judged as it was sent, and sent as it was judged. */
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

/** What the first part of the path is called: by it the server is known, and people see it in messages of git. */
export function siteOf(address: string): string {
  const { protocol, host } = new URL(address)
  return protocol === 'https:' ? host : `http+${host}`
}

/** Whether a request could be known to be for a server of this name. */
export function isSite(name: string): boolean {
  return sitePattern.test(name)
}

/** Exactly as it is written: what one server takes for the same repository is another one elsewhere. */
export function isFor(repositories: readonly string[], repository: string): boolean {
  return repositories.some((name) =>
    name.endsWith('/*') ? repository.startsWith(name.slice(0, -1)) : name === repository,
  )
}

/**
 * Which of the credentials of a server is used: one that names the repository before one that is for all, and one that may
 * push before one that may not.
 */
export function chosen<Row extends { repositories: readonly string[]; access: string }>(
  rows: readonly Row[],
  repository: string,
): Row | undefined {
  const naming = rows.filter(({ repositories }) => isFor(repositories, repository))
  const fitting = naming.length > 0 ? naming : rows.filter(({ repositories }) => repositories.length === 0)
  return fitting.find(({ access }) => access === 'push') ?? fitting[0]
}

const sentHeaders = ['accept', 'accept-encoding', 'content-encoding', 'content-length', 'content-type', 'git-protocol']
const answeredHeaders = ['cache-control', 'content-encoding', 'content-length', 'content-type', 'expires', 'pragma']
const maxHeaderCharacters = 500

/** What of a request goes to the server. Who asks is said by us. */
export function requestHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept = named(sentHeaders, headers)
  const { 'content-length': length, ...rest } = kept
  const agent = /^git\/[\w.-]+/.exec(headers['user-agent'] ?? '')?.[0]
  return {
    ...rest,
    ...(length !== undefined && /^\d{1,15}$/.test(length) ? { 'content-length': length } : {}),
    // Servers speak to git alone.
    'user-agent': agent ?? 'git/2.0',
  }
}

/** What of an answer goes into the sandbox: nothing about logins, nothing that would be kept. */
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

/** What git calls the body of this request, and a page of a browser cannot. */
export function requestTypeOf({ service }: GitTarget): string {
  return `application/x-git-${service}-request`
}

/** What a server that speaks git calls its answers to this request. */
export function mediaTypeOf({ service, isAdvertisement }: GitTarget): string {
  return `application/x-git-${service}-${isAdvertisement ? 'advertisement' : 'result'}`
}

/**
 * Where in the sandbox a redirect of the server leads to: the same request of another repository there, which is judged
 * anew. Undefined when it leads anywhere else.
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
