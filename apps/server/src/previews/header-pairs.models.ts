export type HeaderPair = [name: string, value: string]

/** Names and values alternate, as Node gives them, so that repeats stay repeats. */
export function pairsOf(rawHeaders: readonly string[]): HeaderPair[] {
  const pairs: HeaderPair[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    pairs.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? ''])
  }
  return pairs
}

/** Cookies of the app and of previews: a page neither gets nor sets them. */
export function isOwnCookie(name: string): boolean {
  return /^(__host-|__secure-)?threadbox-/i.test(name.trim())
}

/** Every value of a cookie. A page of another preview can plant one of the same name beside ours. */
export function cookieValues(header: string | undefined, name: string): string[] {
  return (header ?? '')
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${name}=`))
    .map((cookie) => cookie.slice(name.length + 1))
}
