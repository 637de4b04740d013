/** IPv4 addresses as unsigned 32-bit numbers, and ranges of them. */
export type Ipv4Range = { base: number; prefixLength: number }

/**
 * Undefined unless the text is exactly four decimal numbers; leading zeros are rejected, because some programs read
 * them as octal.
 */
export function parseIpv4(text: string): number | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  if (match === null) return undefined
  let value = 0
  for (const part of match.slice(1)) {
    if (Number(part) > 255 || (part.length > 1 && part.startsWith('0'))) return undefined
    value = value * 256 + Number(part)
  }
  return value
}

export function formatIpv4(value: number): string {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.')
}

/** Parses `a.b.c.d/n`; undefined if it is malformed or bits beyond the prefix are set. */
export function parseIpv4Range(text: string): Ipv4Range | undefined {
  const [address = '', length = '', ...rest] = text.split('/')
  const base = parseIpv4(address)
  const prefixLength = /^\d{1,2}$/.test(length) ? Number(length) : Number.NaN
  if (base === undefined || rest.length > 0 || !(prefixLength <= 32)) return undefined
  return base % ipv4RangeSize({ prefixLength }) === 0 ? { base, prefixLength } : undefined
}

export function ipv4RangeSize(range: { prefixLength: number }): number {
  return 2 ** (32 - range.prefixLength)
}

export function containsIpv4(range: Ipv4Range, address: number): boolean {
  return address >= range.base && address < range.base + ipv4RangeSize(range)
}

export function overlapsIpv4(one: Ipv4Range, other: Ipv4Range): boolean {
  return containsIpv4(one, other.base) || containsIpv4(other, one.base)
}

export function formatIpv4Range(range: Ipv4Range): string {
  return `${formatIpv4(range.base)}/${range.prefixLength}`
}
