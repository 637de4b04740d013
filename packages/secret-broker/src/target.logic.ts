import type { Grant } from '@threadbox/protocol/egress'
import { secretNotUsableHere } from './broker.errors.ts'

/** The host of a connection, as its virtual address says. */
export type Target = { name: string; port: number }

const httpsPort = 443

/** As `Host` has it: without the port if that is the usual one. */
export function hostOf({ name, port }: Target): string {
  return port === httpsPort ? name : `${name}:${port}`
}

/** True if a `Host` or `:authority` is exactly this host. */
export function isHostOf(target: Target, text: string): boolean {
  const asked = text.toLowerCase()
  return asked === hostOf(target) || asked === `${target.name}:${target.port}`
}

/** True if the grant is for this name and port. */
export function isGrantedFor(grant: Grant, target: Target): boolean {
  return grant.hosts.some((host) => isHostOf(target, host))
}

/** True if the value can come back from this name, at any port. */
export function isKnownTo(grant: Grant, { name }: Target): boolean {
  return grant.hosts.some((host) => host.toLowerCase().replace(/:\d+$/, '') === name)
}

/** What a request asks for, as far as a grant depends on it. `path` is without the query. */
export type Purpose = { target: Target; method: string; path: string; overridesMethod: boolean }

/** The first condition of the grant that the request doesn’t meet; undefined if it meets all. */
export function unmetCondition(grant: Grant, { target, method, path, overridesMethod }: Purpose): string | undefined {
  if (!isGrantedFor(grant, target)) return 'the secret is not for this host'
  if (grant.methods !== null) {
    if (!grant.methods.includes(method)) return `the secret is not for the method ${method}`
    if (overridesMethod) return 'the secret is for some methods, and a header of the request names another'
  }
  if (grant.pathPrefix !== null && !isWithin(path, grant.pathPrefix)) return 'the secret is not for this path'
  return undefined
}

/** Throws unless the grant allows its placeholder at this position of the request. */
export function checkPosition(grant: Grant, position: Grant['positions'][number], purpose: Purpose): void {
  const condition =
    unmetCondition(grant, purpose) ??
    (grant.positions.includes(position)
      ? undefined
      : `its placeholder is not allowed in the ${positionWords[position]}`)
  if (condition !== undefined) {
    throw secretNotUsableHere({ secret: grant.name, host: hostOf(purpose.target), condition })
  }
}

const positionWords: Record<Grant['positions'][number], string> = {
  header: 'headers',
  query: 'query',
  body: 'body',
  path: 'path',
}

/**
 * True if every server reads this path as one below the prefix: it begins with it, and has no segment that leads up, in
 * whatever way that is written.
 */
export function isWithin(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false
  const rest = path.slice(prefix.length)
  if (!prefix.endsWith('/') && rest !== '' && !rest.startsWith('/')) return false
  let plain = path
  for (let rounds = 0; plain.includes('%'); rounds++) {
    // Nothing honest is encoded so often.
    if (rounds === 4) return false
    const decoded = plain.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    if (decoded === plain) break
    plain = decoded
  }
  return plain.split(/[/\\]/).every((segment) => !/^\.{1,2}(;|$)/.test(segment.replaceAll('\0', '')))
}
