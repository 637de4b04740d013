import { lookup } from 'node:dns/promises'
import { request } from 'node:http'
import type { Check } from './checks.logic.ts'
import type { Installation } from './data-directory.ts'

const askTimeoutMs = 3000
/** A hostname in the preview domain that no thread can have: labels of threads have ten characters. */
const probeName = '1-doctor'

/**
 * Checks whether previews can be reached: the server serves names of the preview domain, and DNS resolves them.
 * `addressOf` returns the address of a name, or undefined if it doesn’t resolve.
 */
export async function previewChecks(installation: Installation, addressOf = resolve): Promise<Check[]> {
  const { THREADBOX_BASE_DOMAIN: baseDomain } = installation.environment
  const base = baseDomain || `${installation.settings.installation}.localhost`
  return [await serverCheck(installation, base), await nameCheck(base, addressOf), browserCheck(installation)]
}

/** Points to the check that only a browser can make. */
function browserCheck({ environment }: Installation): Check {
  const detail = `open ${environment.THREADBOX_ADDRESS}/settings/about to check them in your browser`
  return { id: 'preview-browser', title: 'Previews in a browser', state: 'skipped', detail, cure: '' }
}

async function serverCheck(installation: Installation, base: string): Promise<Check> {
  const { THREADBOX_PORT: port, THREADBOX_LISTEN_HOST: listenHost } = installation.environment
  const host = !listenHost || listenHost === '0.0.0.0' || listenHost === '::' ? '127.0.0.1' : listenHost
  const name = `${probeName}.${base}`
  const state = await stateUnder({ host, port: Number(port), name }).catch(() => undefined)
  const isFine = state === 'private'
  return {
    id: 'preview-door',
    title: 'Previews',
    state: isFine ? 'ok' : 'failed',
    detail: isFine ? `served at *.${base}` : `the server doesn’t serve ${name} as a preview`,
    cure: isFine ? '' : 'Run `./threadbox up`. If it happens again, check `./threadbox logs`.',
  }
}

/** The state that the server reports for a preview that doesn’t exist. */
function stateUnder(target: { host: string; port: number; name: string }): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
  const { host, port, name } = target
  const probe = request({ host, port, headers: { host: `${name}:${port}` }, timeout: askTimeoutMs }, (response) => {
    response.resume()
    resolve(response.headers['threadbox-preview'] as string | undefined)
  })
  probe.once('timeout', () => probe.destroy(new Error('no response')))
  probe.once('error', reject)
  probe.end()
  return promise
}

async function nameCheck(base: string, addressOf: typeof resolve): Promise<Check> {
  const check = { id: 'preview-names', title: 'Preview names', cure: '' }
  if (base.endsWith('.localhost')) {
    const detail = `*.${base} always means the viewer’s own computer. From another computer, use ssh -L or give the installation a domain`
    return { ...check, state: 'ok', detail }
  }
  const found = await Promise.all([`app.${base}`, `${probeName}.${base}`].map(addressOf))
  if (found.every((address) => address !== undefined)) {
    return { ...check, state: 'ok', detail: `*.${base} resolves to ${found.join(' and ')}` }
  }
  return {
    ...check,
    state: 'warning',
    detail: `*.${base} doesn’t resolve on this host`,
    cure: `Add DNS records that point app.${base} and *.${base} to this host.`,
  }
}

async function resolve(name: string): Promise<string | undefined> {
  return await lookup(name).then(
    ({ address }) => address,
    () => undefined,
  )
}
