import { Resolver } from 'node:dns/promises'

/** The IPv4 addresses of a name now. Fails if it has none. */
export type ResolveName = (name: string) => Promise<readonly string[]>

/** A query is repeated once after this long; what takes longer has failed. */
const timeoutMs = 3000

/** Asks one DNS server. Neither its responses nor anything of this machine’s (`/etc/hosts`) is kept or read. */
export function makeNameResolver({ nameServer }: { nameServer: string }): ResolveName {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
  resolver.setServers([nameServer])
  return async (name) => await resolver.resolve4(name)
}
