/** Why a text is no entry of an allowlist. */
export type NameProblem = 'empty' | 'too-long' | 'address' | 'too-wide' | 'form' | 'port'

/** Names are resolved through the host, so a sandbox reaches no other DNS server that a list names. */
const namesPort = 53

/**
 * The form in which an entry of an allowlist is stored and compared: a name as {@link parseNetworkName} writes it, or with
 * a port after a colon.
 */
export function parseNetworkEntry(text: string): { entry: string } | { problem: NameProblem } {
  const [, host = text, port] = /^([^:[\]]*):(\d*)\s*$/.exec(text) ?? []
  const parsed = parseNetworkName(host)
  if ('problem' in parsed) return parsed
  if (port === undefined) return { entry: parsed.name }
  return isPort(port) && Number(port) !== namesPort ? { entry: `${parsed.name}:${port}` } : { problem: 'port' }
}

/** Whether a text is a port, in digits only. */
export function isPort(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535
}

/**
 * The form in which a name is stored and compared: lower case, without the final dot, international names in their
 * ASCII form. Addresses are refused in every notation, because no lookup names them.
 */
export function parseNetworkName(text: string): { name: string } | { problem: NameProblem } {
  const trimmed = text.trim()
  if (trimmed === '') return { problem: 'empty' }
  // Of a name: 253 characters, with a final dot 254 (RFC 1035).
  if (trimmed.length > 254) return { problem: 'too-long' }
  const isWildcard = trimmed.startsWith('*.')
  const host = asciiOf((isWildcard ? trimmed.slice(2) : trimmed).replace(/\.$/, '').toLowerCase())
  if (trimmed === '*') return { problem: 'too-wide' }
  if (host.includes(':') || /(^|\.)(0x[0-9a-f]*|\d+)$/.test(host)) return { problem: 'address' }
  if (host.length > 253) return { problem: 'too-long' }
  const labels = host.split('.')
  if (!labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))) return { problem: 'form' }
  // A single label is a name of the local network, and a wildcard below one is everything below a top-level domain.
  if (labels.length < 2) return { problem: isWildcard ? 'too-wide' : 'form' }
  return { name: isWildcard ? `*.${host}` : host }
}

/** Unchanged if it is no international name: the check of labels refuses it. */
function asciiOf(host: string): string {
  // An address has these characters at the end of its host, and drops control characters.
  if (/^[\x20-\x7e]*$/.test(host) || /[\p{Cc}\s/?#@\\:]/u.test(host)) return host
  try {
    return new URL(`http://${host}`).hostname
  } catch {
    return host
  }
}
