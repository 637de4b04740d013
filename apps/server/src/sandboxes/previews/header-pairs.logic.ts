export type HeaderPair = [name: string, value: string]

/** Pairs Node’s alternating names and values, so that repeated headers stay repeated. */
export function pairsOf(rawHeaders: readonly string[]): HeaderPair[] {
  const pairs: HeaderPair[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    pairs.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? ''])
  }
  return pairs
}

const hopByHop =
  /^(connection|keep-alive|proxy-authenticate|proxy-authorization|proxy-connection|te|trailer|transfer-encoding|upgrade)$/

/** Removes the headers of a single connection (RFC 9110, 7.6.1), which must not be passed on. */
export function endToEnd(pairs: readonly HeaderPair[]): HeaderPair[] {
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((name) => name.trim().toLowerCase()))
  return pairs.filter(([name]) => !hopByHop.test(name.toLowerCase()) && !named.includes(name.toLowerCase()))
}

/** True for cookies of the app and of previews: a page neither gets nor sets them. */
export function isOwnCookie(name: string): boolean {
  return /^(__host-|__secure-)?threadbox-/i.test(name.trim())
}
