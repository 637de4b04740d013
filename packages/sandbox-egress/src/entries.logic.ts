import { atPorts, coversName, splitNetworkEntry } from '@threadbox/domain'

/** A name at a port. */
export type Entry = { name: string; port: number }

/** What no sandbox reaches, under any policy (`firewall.logic.ts`): it would send mail from this machine’s address. */
const mailPorts = [25, 465, 587]

/** The ports that an entry of a policy names. */
export function portsOf(entry: string): readonly number[] {
  return atPorts(entry).map(({ port }) => port)
}

/** Whether one of a policy’s entries (`name`, `*.name`, `name:port`) allows this. */
export function isListed(entries: readonly string[], { name, port }: Entry): boolean {
  return entries.flatMap(atPorts).some((entry) => entry.port === port && coversName(entry.name, name))
}

/** Whether a name at this port has secrets: an entry without a port means 443. */
export function isBrokered(entries: readonly string[], wanted: Entry): boolean {
  return entries.map(splitNetworkEntry).some(({ name, port = 443 }) => name === wanted.name && port === wanted.port)
}

/** Whether the policy allows a connection through the relay. */
export function isAllowed(
  policy: { kind: 'open' | 'allowlist' | 'none'; names: readonly string[] },
  wanted: Entry,
): boolean {
  if (mailPorts.includes(wanted.port)) return false
  return policy.kind === 'open' || (policy.kind === 'allowlist' && isListed(policy.names, wanted))
}
