/** An entry of an allowlist: a name, or with `*.` everything below it, at one port. */
export type NameAtPort = { name: string; port: number }

/** Those of an entry without a port: where programs speak HTTP. */
export const webPorts: readonly number[] = [80, 443]

/** An entry in the form of `parseNetworkEntry`; `port` is undefined if it has none. */
export function splitNetworkEntry(entry: string): { name: string; port: number | undefined } {
  const [name = '', port] = entry.split(':')
  return { name, port: port === undefined ? undefined : Number(port) }
}

/** What an entry allows, one port at a time. */
export function atPorts(entry: string): NameAtPort[] {
  const { name, port } = splitNetworkEntry(entry)
  return (port === undefined ? webPorts : [port]).map((each) => ({ name, port: each }))
}

/** `*.example.com` covers everything below `example.com`, but not itself. */
export function coversName(entryName: string, name: string): boolean {
  return entryName === name || (entryName.startsWith('*.') && name.endsWith(entryName.slice(1)))
}
