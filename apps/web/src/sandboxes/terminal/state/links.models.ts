/** Where a link in a terminal leads: to a page of the sandbox, or out into the web. */
export type LinkTarget = { kind: 'service'; port: number; path: string } | { kind: 'web'; url: string }

const ownNames = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/

/** What a program prints about itself names the sandbox, not the device of the person. Null for what is no web page. */
export function linkTarget(address: string): LinkTarget | null {
  const url = URL.parse(address)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  if (!ownNames.test(url.hostname)) return { kind: 'web', url: url.href }
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  return { kind: 'service', port, path: url.pathname + url.search + url.hash }
}
