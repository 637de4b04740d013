import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../application.test-utils.ts'
import { backupStatusFile, changeBackupStatus } from './backups/backup-status.ts'
import { makeMetricsListener } from './metrics-listener.ts'
import { parsePrometheusText } from './prometheus-text.test-utils.ts'

let host: HostStandIn
let server: TestApplication
let owner: TestPerson
beforeEach(async () => {
  host = await startHostStandIn()
  server = await makeTestApplication({ hostSocket: host.socketPath })
  owner = await server.signUpOwner()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

async function scrape() {
  const response = await server.call('GET', '/api/v1/metrics', { person: owner })
  expect(response.headers.get('content-type')).toContain('text/plain')
  return parsePrometheusText(await response.text())
}
const sample = async (name: string, labels: Record<string, string> = {}) =>
  (await scrape()).samples.find(
    (each) => each.name === name && Object.entries(labels).every(([key, value]) => each.labels[key] === value),
  )?.value

test('O11: metrics are what Prometheus accepts, and begin with what runs', async () => {
  expect(await sample('threadbox_build_info')).toBe(1)
  expect(await sample('threadbox_up', { process: 'host' })).toBe(1)
  expect(await sample('threadbox_pool_bytes', { kind: 'total' })).toBeGreaterThan(0)
  expect(await sample('threadbox_event_loop_lag_seconds')).toBeGreaterThanOrEqual(0)
})

test('O11: they say when a backup was last complete and found intact', async () => {
  expect(await sample('threadbox_backup_last_success_timestamp')).toBe(0)
  const file = backupStatusFile(server.directory)
  await changeBackupStatus(file, { succeededAt: 5_000, seconds: 12, storedBytes: 700 })
  await changeBackupStatus(file, { verifiedAt: 9_000 })
  expect(await sample('threadbox_backup_last_success_timestamp')).toBe(5)
  expect(await sample('threadbox_backup_last_verify_timestamp')).toBe(9)
  expect(await sample('threadbox_backup_bytes')).toBe(700)
})

test('O11: a damaged record of backups is said as such, and not as if there had never been one', async () => {
  const file = backupStatusFile(server.directory)
  await changeBackupStatus(file, { succeededAt: 5_000 })
  expect(await sample('threadbox_backup_record_readable')).toBe(1)
  await writeFile(file, '{"succeededAt":')
  expect(await sample('threadbox_backup_record_readable')).toBe(0)
  expect(await sample('threadbox_backup_last_success_timestamp')).toBeUndefined()
  await changeBackupStatus(file, { succeededAt: 9_000 })
  expect(await sample('threadbox_backup_record_readable')).toBe(1)
  expect(await sample('threadbox_backup_last_success_timestamp')).toBe(9)
})

test('O11: they count turns, requests and sandboxes', async () => {
  const { id } = (await (await server.call('POST', '/api/v1/threads', { person: owner, body: {} })).json()) as {
    id: string
  }
  await server.call('POST', `/api/v1/threads/${id}/messages`, {
    person: owner,
    body: { text: '/help', key: 'metrics-1' },
  })
  await server.areas.turns.turns.settled(id)
  await server.areas.sandboxes.sandboxes.awake(id, { reason: 'turn' })
  expect(await sample('threadbox_sandboxes', { state: 'active' })).toBe(1)
  expect(await sample('threadbox_http_request_seconds_count', { route: 'threads', status: '2xx' })).toBe(2)
  expect(await sample('threadbox_audit_rows_total')).toBeGreaterThan(0)
})

test('O11: they measure wakes and pauses by what a sandbox continued from, and what the host measures', async () => {
  const { id } = (await (await server.call('POST', '/api/v1/threads', { person: owner, body: {} })).json()) as {
    id: string
  }
  const { lifecycle, sandboxes } = server.areas.sandboxes
  await sandboxes.awake(id, { reason: 'api' })
  await lifecycle.pause(id)
  await lifecycle.wake(id)
  expect(await sample('threadbox_pause_seconds_count')).toBe(1)
  expect(await sample('threadbox_wake_seconds_count', { way: 'memory' })).toBe(1)
  expect(await sample('threadbox_room_for_boots')).toBe(99)
  expect(await sample('threadbox_sandbox_cpu_seconds_total')).toBe(10)
  expect(await sample('threadbox_sandbox_network_bytes_total', { direction: 'sent' })).toBe(1_000_000)
  expect(await sample('threadbox_pool_metadata_bytes')).toBeGreaterThan(0)
})

test('O11: no label has what people wrote, and paths that do not exist add no series', async () => {
  const canary = 'zq7canary'
  await server.call('POST', '/api/v1/threads', { person: owner, body: { title: canary } })
  const before = (await scrape()).samples.length
  for (let each = 0; each < 50; each++) await server.call('GET', `/${canary}${each}/${canary}`)
  const after = await scrape()
  expect(JSON.stringify(after.samples)).not.toContain(canary)
  expect(after.samples.length - before).toBeLessThan(20)
  expect(after.samples.length).toBeLessThan(2000)
})

test('O11: they are for the owner, admins and keys of that scope, and without a sign-in only on a loopback address', async () => {
  const ben = await server.addPerson('Ben')
  expect((await server.call('GET', '/api/v1/metrics')).status).toBe(401)
  expect((await server.call('GET', '/api/v1/metrics', { person: ben })).status).toBe(403)
  await using listener = makeMetricsListener({
    metrics: server.areas.installation.metrics,
    logger: server.areas.platform.logger,
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  expect(parsePrometheusText(await (await fetch(`${origin}/metrics`)).text()).samples.length).toBeGreaterThan(10)
  expect((await fetch(`${origin}/`)).status).toBe(404)
  expect((await fetch(`${origin}/metrics`, { method: 'POST' })).status).toBe(404)
})

test('O11: /healthz and /readyz need no sign-in under any name; readyz names what does not respond', async () => {
  const get = (path: string) => server.call('GET', path, { headers: { host: '10.0.0.1:7717' } })
  expect(await (await get('/healthz')).json()).toEqual({ ok: true })
  expect(await (await get('/readyz')).json()).toEqual({ ok: true, parts: { database: true, host: true } })
  await host[Symbol.asyncDispose]()
  server.clock.now += 2000
  const response = await get('/readyz')
  expect([response.status, await response.json()]).toEqual([503, { ok: false, parts: { database: true, host: false } }])
})
