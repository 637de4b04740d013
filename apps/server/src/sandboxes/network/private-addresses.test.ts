import type { AuditEvent, Network, NetworkPolicy, PrivateAddress, PrivateAddresses } from '@threadbox/protocol/public'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TestPerson } from '../../application.test-utils.ts'
import { type LifecycleBench, makeLifecycleBench } from '../lifecycle/lifecycle.test-utils.ts'

const path = '/network/private-addresses'
const git = { name: 'git.corp.example', port: 443, range: '10.1.2.0/24' }
const ssh = { name: 'git.corp.example', port: 22, range: '10.1.2.0/24' }
const list = (...names: string[]) => ({ kind: 'allowlist', names, presets: [] }) satisfies NetworkPolicy

let bench: LifecycleBench
beforeEach(async () => {
  bench = await makeLifecycleBench()
})
afterEach(() => bench[Symbol.asyncDispose]())

type Sender = TestPerson | { headers: Record<string, string> }
async function request<Body>(method: string, at: string, body?: unknown, sender?: Sender): Promise<Body> {
  const { headers } = sender ?? bench.owner
  return (await (await bench.server.call(method, `/api/v1${at}`, { body, headers })).json()) as Body
}
const put = (...addresses: PrivateAddress[]) => request<PrivateAddresses>('PUT', path, { addresses })
const errorOf = async (addresses: unknown, sender?: Sender) =>
  (await request<{ error?: { code: string; message: string } }>('PUT', path, { addresses }, sender)).error
const stored = async () => (await request<PrivateAddresses>('GET', path)).addresses
const setPolicy = (at: string, policy: NetworkPolicy | null) => request<Network>('PUT', `${at}/network`, { policy })
const onHost = () => [...bench.host.sandboxes.values()].map(({ egress }) => egress)

const refused = [
  [{ name: '' }, 'name-invalid'],
  [{ name: 'a' }, 'name-invalid'],
  [{ name: `${'a.'.repeat(126)}org` }, 'name-invalid'],
  [{ name: '*' }, 'name-invalid'],
  [{ name: '*.com' }, 'name-invalid'],
  [{ name: '..' }, 'name-invalid'],
  [{ name: '0x7f.1' }, 'name-invalid'],
  [{ port: 0 }, 'port-invalid'],
  [{ port: 65_536 }, 'port-invalid'],
  [{ range: '::ffff:10.0.0.1' }, 'range-invalid'],
  [{ range: '0x7f.1' }, 'range-invalid'],
  [{ range: '::/0' }, 'range-invalid'],
  [{ range: '0.0.0.0/0' }, 'range-too-wide'],
  [{ range: '169.254.169.254' }, 'range-refused'],
  [{ range: '8.8.8.8/32' }, 'range-refused'],
] as const

test('G2: a list with a bad entry is refused as a whole, and the error has the entry', async () => {
  await put(git)
  for (const [part, code] of refused) {
    const bad = { ...ssh, ...part }
    const error = await errorOf([ssh, bad])
    expect(error?.code, JSON.stringify(part)).toBe(`private-address.${code}`)
    expect(error?.message).toContain(`${bad.name}:${bad.port} ${bad.range}`.slice(0, 100))
  }
  expect(await stored()).toEqual([git])
})

test('entries are limited in length and number, and malformed ones refused', async () => {
  const many = Array.from({ length: 101 }, (_, index) => ({ ...git, port: 1000 + index }))
  const wrong = [many, [{ ...git, name: 'a'.repeat(1_000_000) }], [{ ...git, port: 4.5 }], [{ name: 'a.org' }], git]
  for (const addresses of wrong) expect((await errorOf(addresses))?.code).toBe('request.invalid')
  expect((await put(...many.slice(0, 100))).addresses).toHaveLength(100)
})

test('entries are stored in one form and order, each once, and the audit log has the list before and after', async () => {
  await put(git, ssh, { name: 'GIT.corp.example.', port: 443, range: ' 10.1.2.0/24' })
  expect(await stored()).toEqual([ssh, git])
  await put(ssh, git)
  bench.server.clock.now += 1
  await put()
  const { events } = await request<{ events: AuditEvent[] }>('GET', '/audit')
  const rows = events.filter(({ action }) => action === 'private-addresses-changed')
  const both = { addresses: 'git.corp.example:22 10.1.2.0/24, git.corp.example:443 10.1.2.0/24' }
  const nothing = { addresses: '' }
  expect(rows.map(({ subject, before, after }) => ({ subject, before, after }))).toEqual([
    { subject: 'installation', before: both, after: nothing },
    { subject: 'installation', before: nothing, after: both },
  ])
})

test('G2: sandboxes get the entries that their policy allows, also running and paused ones, and no longer than they are listed', async () => {
  await bench.start()
  await bench.awake()
  await put(git, ssh)
  expect(onHost()).toEqual([{ kind: 'open', privateAddresses: [ssh, git] }])
  const threadPath = `/threads/${bench.threadId}`
  const network = await setPolicy(threadPath, list('*.corp.example', 'a.org'))
  expect(network.privateNames).toEqual(['git.corp.example:443'])
  const names = ['*.corp.example', 'a.org']
  expect(onHost()).toEqual([{ kind: 'allowlist', names, privateAddresses: [git] }])
  await request('POST', `${threadPath}/sandbox/pause`)
  await put(ssh)
  expect([await bench.state(), onHost()]).toEqual(['paused', [{ kind: 'allowlist', names }]])
  await put(git)
  await setPolicy(threadPath, { kind: 'none' })
  expect(onHost()).toEqual([{ kind: 'none' }])
  await setPolicy(threadPath, null)
  await bench.awake()
  expect(onHost()).toEqual([{ kind: 'open', privateAddresses: [git] }])
})

test('G2: the list outlives a restart of the host, and is ordered when the host is back', async () => {
  await bench.start()
  await bench.awake()
  for (let attempt = 0; attempt < 3; attempt++) bench.host.fail('change', { code: 'host.busy', kind: 'unavailable' })
  await put(git)
  expect(onHost()).toEqual([{ kind: 'open' }])
  bench.host.closeConnections()
  await expect.poll(onHost, { timeout: 5000 }).toEqual([{ kind: 'open', privateAddresses: [git] }])
})

test('people who can use a service see its name and port, and only the owner its range', async () => {
  await put(git)
  const other = await bench.server.addPerson('other')
  const seen = JSON.stringify(await request('GET', '/network', undefined, other))
  expect(seen).toContain('git.corp.example:443')
  expect(seen).not.toContain('10.1.2')
  expect(await request('GET', path, undefined, other)).toMatchObject({ error: { code: 'auth.owner-required' } })
})

test('the agent gets the reason for which a name in a private network was refused, also under open', async () => {
  await bench.start()
  await bench.awake()
  const refused = { name: 'git.corp.example:443', count: 1, isAtLeast: false, reason: 'address-out-of-range' } as const
  bench.host.snapshots.namesAsked = { knownSince: 5, names: [], refused: [refused] }
  const read = () => bench.server.areas.sandboxes.refusedNames(bench.threadId, 1000)
  expect(await read()).toEqual([])
  await put(git)
  expect(await read()).toEqual(['git.corp.example:443 (it has an address outside of the range that the policy allows)'])
})
