import { lookup } from 'node:dns/promises'
import { nameOfSecretHost } from '@threadbox/domain'
import type { HostSandbox } from '@threadbox/protocol/host'

/** Path of the certificate authorities in every sandbox; programs that bring their own list need this setting. */
const bundle = '/etc/ssl/certs/ca-certificates.crt'

/** Environment of everything that a guest with this policy starts. Never a secret. */
export type GuestEnvironment = (egress: HostSandbox['egress']) => Record<string, string>

/**
 * Only `open` reaches the proxy. With a list the addresses of names lead to the relay, which asks the proxy itself; so do
 * those of names that the sandbox has secrets for, under any policy.
 */
export function makeGuestEnvironment(settings: { sandboxProxy: string; sandboxNoProxy: string }): GuestEnvironment {
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
  return ({ kind, brokered = [] }) => {
    if (sandboxProxy === '' || kind !== 'open') return certificates
    const direct = [sandboxNoProxy, ...new Set(brokered.map(nameOfSecretHost))].filter((names) => names !== '')
    const proxies = { HTTP_PROXY: sandboxProxy, HTTPS_PROXY: sandboxProxy, NO_PROXY: direct.join(',') }
    // Programs disagree on the case, so both are set.
    const lower = Object.entries(proxies).map(([name, value]) => [name.toLowerCase(), value])
    return { ...certificates, ...proxies, ...Object.fromEntries(lower) }
  }
}

/** Addresses of the proxy that sandboxes can reach although they are private. */
export async function proxiesOf(proxyUrl: string): Promise<{ address: string; port: number }[]> {
  if (proxyUrl === '') return []
  const { hostname, port, protocol } = new URL(proxyUrl)
  const found = await lookup(hostname, { family: 4, all: true })
  const number = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
  return found.map(({ address }) => ({ address, port: number }))
}
