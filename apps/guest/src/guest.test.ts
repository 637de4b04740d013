import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestGuest, type TestGuest, testToken } from './guest.test-utils.ts'

let guest: TestGuest
beforeEach(async () => {
  guest = await startTestGuest()
})
afterEach(() => guest[Symbol.asyncDispose]())

test('before the handshake nothing but health is served', async () => {
  expect((await fetch(`${guest.url}/health`)).status).toBe(204)
  for (const path of ['/envs', '/metrics', '/activity', '/files?path=/etc/passwd', '/no-such-route']) {
    expect((await fetch(guest.url + path, { headers: { 'x-access-token': '' } })).status).toBe(401)
  }
  await expect(guest.run('true')).rejects.toThrow(/valid access token/)
})

test('a handshake that is incomplete, not JSON or too large is refused and changes nothing', async () => {
  expect((await guest.handshake({ accessToken: 'short' })).status).toBe(400)
  const send = (body: string) => fetch(`${guest.url}/init`, { method: 'POST', body })
  expect((await send('{')).status).toBe(400)
  expect((await send(`"${'x'.repeat(2_000_000)}"`)).status).toBe(400)
  expect((await fetch(`${guest.url}/envs`, { headers: { 'x-access-token': 'short' } })).status).toBe(401)
})

test('only a client that knows the token can repeat the handshake, and can change the token', async () => {
  expect(await (await guest.handshake()).json()).toMatchObject({ protocolVersion: 1, bootId: 'b1' })
  expect((await guest.handshake()).status).toBe(401)
  expect((await guest.handshake({}, 'wrong'.repeat(10))).status).toBe(401)
  const next = 'another-token-of-the-same-sandbox-0123456789'
  expect((await guest.handshake({ bootId: 'b2', accessToken: next }, testToken)).status).toBe(200)
  await expect(guest.run('true')).rejects.toThrow(/valid access token/)
  const answer = await fetch(`${guest.url}/envs`, { headers: { 'x-access-token': next } })
  expect(await answer.json()).toMatchObject({ GIVEN: 'by the host' })
})

test('metrics and activity report what was measured', async () => {
  await guest.handshake()
  const headers = { 'x-access-token': testToken }
  const metrics = (await (await fetch(`${guest.url}/metrics`, { headers })).json()) as Record<string, number>
  expect(metrics.mem_used).toBeGreaterThan(0)
  expect(metrics.disk_total).toBeGreaterThan(metrics.disk_used ?? Number.POSITIVE_INFINITY)
  const key = await guest.start('read -r line < /dev/zero')
  const activity = (await (await fetch(`${guest.url}/activity`, { headers })).json()) as { runningKeys: string[] }
  expect(activity.runningKeys).toEqual([key])
  expect(activity).not.toHaveProperty('restObstacle')
  const forRest = await (await fetch(`${guest.url}/activity?rest=1`, { headers })).json()
  expect(forRest).toMatchObject({ runningKeys: [key], restObstacle: `run ${key}` })
  await guest.runs.stop({ key })
})

test('a file is written and read with the token or a signature, and not with a wrong or late one', async () => {
  await guest.handshake()
  const path = `${guest.directory}/a b/ö.txt`
  const address = `${guest.url}/files?path=${encodeURIComponent(path)}`
  const headers = { 'x-access-token': testToken }
  const form = new FormData()
  form.append('file', new Blob(['content']), 'ignored')
  expect(await (await fetch(address, { method: 'POST', headers, body: form })).json()).toEqual([
    { path, name: 'ö.txt', type: 'file' },
  ])
  expect(await (await fetch(address, { headers })).text()).toBe('content')
  expect(await (await fetch(address, { headers: { ...headers, range: 'bytes=-3' } })).text()).toBe('ent')
  expect((await fetch(`${address}&signature=v1_wrong`)).status).toBe(401)
  const late = await fetch(`${address}&signature=v1_wrong&signature_expiration=1`)
  expect(late.status).toBe(401)
}, 60_000)
