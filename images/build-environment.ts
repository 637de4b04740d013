import { existsSync } from 'node:fs'

type Environment = Record<string, string | undefined>

const passedOn = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'PIP_INDEX_URL',
  'PIP_EXTRA_INDEX_URL',
  'UV_DEFAULT_INDEX',
]

/** The file with the roots that this machine trusts, a company's own included; undefined where there is none. */
export function certificateBundle(environment: Environment): string | undefined {
  return [environment.SSL_CERT_FILE, '/etc/ssl/certs/ca-certificates.crt'].find((file) => file && existsSync(file))
}

/**
 * What the build inside the new root filesystem may know of this machine: its proxy, its package index and its
 * certificates, as environment only, so that none of it stays in the image.
 */
export function buildEnvironment(environment: Environment, options: { temporary: string }): Record<string, string> {
  const bundle = certificateBundle(environment) === undefined ? {} : certificatesAt('/run/recipe/certificates.pem')
  const index = environment.UV_DEFAULT_INDEX ?? environment.PIP_INDEX_URL
  const passed = passedOn.flatMap((name) => {
    const value = environment[name]
    return value ? [[name, value] as const] : []
  })
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    LC_ALL: 'C.UTF-8',
    DEBIAN_FRONTEND: 'noninteractive',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    PIP_ROOT_USER_ACTION: 'ignore',
    TMPDIR: options.temporary,
    ...Object.fromEntries(passed),
    ...(index ? { UV_DEFAULT_INDEX: index } : {}),
    ...bundle,
  }
}

function certificatesAt(file: string): Record<string, string> {
  return { SSL_CERT_FILE: file, PIP_CERT: file, REQUESTS_CA_BUNDLE: file, NODE_EXTRA_CA_CERTS: file }
}
