/** A name, or with `*.` everything below it, and a port. */
export type Entry = { name: string; port: number }

/** Where programs speak HTTP: the ports of a name without one. */
const webPorts = [80, 443]
/** What no sandbox reaches, under any policy (`firewall.logic.ts`): it would send mail from this machine’s address. */
const mailPorts = [25, 465, 587]

/** The ports that an entry of a policy names. */
export function portsOf(entry: string): readonly number[] {
  const port = portIn(entry)
  return port === undefined ? webPorts : [port]
}

/** Whether one of a policy’s entries (`name`, `*.name`, `name:port`) allows this. */
export function isListed(entries: readonly string[], { name, port }: Entry): boolean {
  return entries.some((entry) => covers(nameIn(entry), name) && portsOf(entry).includes(port))
}

/** Whether a name at this port has secrets: an entry without a port means 443. */
export function isBrokered(entries: readonly string[], { name, port }: Entry): boolean {
  return entries.some((entry) => nameIn(entry) === name && (portIn(entry) ?? 443) === port)
}

/** Whether the policy allows a connection through the relay. */
export function isAllowed(
  policy: { kind: 'open' | 'allowlist' | 'none'; names: readonly string[] },
  wanted: Entry,
): boolean {
  if (mailPorts.includes(wanted.port)) return false
  return policy.kind === 'open' || (policy.kind === 'allowlist' && isListed(policy.names, wanted))
}

function covers(entryName: string, name: string): boolean {
  return entryName === name || (entryName.startsWith('*.') && name.endsWith(entryName.slice(1)))
}

function nameIn(entry: string): string {
  const colon = entry.indexOf(':')
  return colon === -1 ? entry : entry.slice(0, colon)
}

function portIn(entry: string): number | undefined {
  const colon = entry.indexOf(':')
  return colon === -1 ? undefined : Number(entry.slice(colon + 1))
}
