/** The target of a link in a terminal: a page of the sandbox, or an external page. */
export type LinkTarget = { kind: 'service'; port: number; path: string } | { kind: 'web'; url: string }

const ownNames = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/

/** Local addresses that a program prints mean the sandbox, not your device. Null if it isn’t a web address. */
export function linkTarget(address: string): LinkTarget | null {
  const url = URL.parse(address)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  if (!ownNames.test(url.hostname)) return { kind: 'web', url: url.href }
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  return { kind: 'service', port, path: url.pathname + url.search + url.hash }
}
