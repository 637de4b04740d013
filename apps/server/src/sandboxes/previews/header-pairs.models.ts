export type HeaderPair = [name: string, value: string]

/** Names and values alternate, as Node gives them, so that repeats stay repeats. */
export function pairsOf(rawHeaders: readonly string[]): HeaderPair[] {
  const pairs: HeaderPair[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    pairs.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? ''])
  }
  return pairs
}

const hopByHop =
  /^(connection|keep-alive|proxy-authenticate|proxy-authorization|proxy-connection|te|trailer|transfer-encoding|upgrade)$/

/** Without the headers of one connection (RFC 9110, 7.6.1), which is not the one that they would be passed on by. */
export function endToEnd(pairs: readonly HeaderPair[]): HeaderPair[] {
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((name) => name.trim().toLowerCase()))
  return pairs.filter(([name]) => !hopByHop.test(name.toLowerCase()) && !named.includes(name.toLowerCase()))
}

/** Cookies of the app and of previews: a page neither gets nor sets them. */
export function isOwnCookie(name: string): boolean {
  return /^(__host-|__secure-)?threadbox-/i.test(name.trim())
}
