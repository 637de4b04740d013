import { lookup } from 'node:dns/promises'

/** Path of the certificate authorities in every sandbox; programs that bring their own list need this setting. */
const bundle = '/etc/ssl/certs/ca-certificates.crt'

/** Environment of everything that guests start: the same for all sandboxes of a host, and never a secret. */
export function guestEnvironmentOf(settings: { sandboxProxy: string; sandboxNoProxy: string }): Record<string, string> {
  const { sandboxProxy, sandboxNoProxy } = settings
  const certificates = {
    SSL_CERT_FILE: bundle,
    REQUESTS_CA_BUNDLE: bundle,
    PIP_CERT: bundle,
    NODE_EXTRA_CA_CERTS: bundle,
    CURL_CA_BUNDLE: bundle,
    GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: bundle,
    HTTPLIB2_CA_CERTS: bundle,
  }
  if (sandboxProxy === '') return certificates
  const proxies = { HTTP_PROXY: sandboxProxy, HTTPS_PROXY: sandboxProxy, NO_PROXY: sandboxNoProxy }
  // Programs disagree on the case, so both are set.
  const lower = Object.entries(proxies).map(([name, value]) => [name.toLowerCase(), value])
  return { ...certificates, ...proxies, ...Object.fromEntries(lower) }
}

/** Addresses of the proxy that sandboxes can reach although they are private. */
export async function proxiesOf(proxyUrl: string): Promise<{ address: string; port: number }[]> {
  if (proxyUrl === '') return []
  const { hostname, port, protocol } = new URL(proxyUrl)
  const found = await lookup(hostname, { family: 4, all: true })
  const number = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
  return found.map(({ address }) => ({ address, port: number }))
}
