import { lookup } from 'node:dns/promises'
import { request } from 'node:http'
import type { Check } from './checks.models.ts'
import type { Installation } from './data-directory.ts'

const askTimeoutMs = 3000
/** A name as previews have it, which no thread has: labels have ten characters. */
const probeName = '1-doctor'

/**
 * Whether previews can be reached: the front door answers under their names, and the names lead somewhere. `addressOf`
 * gives the address of a name, undefined when it has none.
 */
export async function previewChecks(installation: Installation, addressOf = resolve): Promise<Check[]> {
  const { THREADBOX_BASE_DOMAIN: baseDomain } = installation.environment
  const base = baseDomain || `${installation.settings.installation}.localhost`
  return [await doorCheck(installation, base), await nameCheck(base, addressOf), browserCheck(installation)]
}

/** What only a browser can find out is found out there. */
function browserCheck({ environment }: Installation): Check {
  const detail = `open ${environment.THREADBOX_ADDRESS}/settings/about to check them in your browser`
  return { id: 'preview-browser', title: 'Previews in a browser', state: 'skipped', detail, cure: '' }
}

async function doorCheck(installation: Installation, base: string): Promise<Check> {
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

/** What the front door says about a page that there is not. */
function stateUnder(target: { host: string; port: number; name: string }): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
  const { host, port, name } = target
  const asked = request({ host, port, headers: { host: `${name}:${port}` }, timeout: askTimeoutMs }, (answer) => {
    answer.resume()
    resolve(answer.headers['threadbox-preview'] as string | undefined)
  })
  asked.once('timeout', () => asked.destroy(new Error('no response')))
  asked.once('error', reject)
  asked.end()
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
