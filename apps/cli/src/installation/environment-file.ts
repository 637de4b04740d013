/**
 * Parses `threadbox.env`: `NAME=value` lines and `#` comments. No quoting and no substitution, so that systemd, the
 * launcher and the supervisor read the same values.
 */
export function parseEnvironmentFile(text: string): Record<string, string> {
  const entries = text.split('\n').flatMap((line) => {
    const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.*)$/.exec(line.trimEnd()) ?? []
    return name === undefined || value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(entries)
}
