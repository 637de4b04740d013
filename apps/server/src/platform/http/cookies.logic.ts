/**
 * All values of a cookie in a `Cookie` header. A preview's page can plant a cookie of any name for the whole domain,
 * before or after the app's.
 */
export function cookieValues(header: string | undefined, name: string): string[] {
  return pairs(header)
    .filter((cookie) => cookie.startsWith(`${name}=`))
    .map((cookie) => cookie.slice(name.length + 1))
}

/** The header with only this value of the cookie. */
export function withOnlyCookie(header: string, cookie: { name: string; value: string }): string {
  const others = pairs(header).filter((other) => !other.startsWith(`${cookie.name}=`))
  return [...others, `${cookie.name}=${cookie.value}`].join('; ')
}

function pairs(header: string | undefined): string[] {
  return (header ?? '').split(';').map((cookie) => cookie.trim())
}
