import { type AllowedHosts, baseDomainOf, makeHostCheck } from '../../platform/http/origins.ts'

/** Whether a name leads to this app or to one of its previews. */
export function makeOwnNames(hosts: AllowedHosts): (name: string) => boolean {
  const isApp = makeHostCheck(hosts)
  const base = baseDomainOf(hosts).toLowerCase()
  return (name) =>
    isApp(name) || name === base || name.endsWith(`.${base}`) || name === 'localhost' || name.endsWith('.localhost')
}
