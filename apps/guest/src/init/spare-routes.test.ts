import { guestPaths } from '@threadbox/protocol/guest'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestGuest, type TestGuest, testToken } from '../guest.test-utils.ts'

let guest: TestGuest
beforeEach(async () => {
  guest = await startTestGuest()
  await guest.handshake()
})
afterEach(() => guest[Symbol.asyncDispose]())

const becomeTemplate = (token = testToken) =>
  fetch(guest.url + guestPaths.template, { method: 'POST', headers: { 'x-access-token': token } })
const status = async (path: string) =>
  (await fetch(guest.url + path, { headers: { 'x-access-token': testToken } })).status

test('a template is as before its first handshake: it serves no request and takes the token of the next handshake', async () => {
  await guest.run('cd /; export OF=before', { key: 'warm-up' })
  await guest.runs.forget({ key: 'warm-up' })
  expect((await becomeTemplate()).status).toBe(200)
  expect(await status('/envs')).toBe(401)
  expect((await becomeTemplate()).status).toBe(401)
  const accessToken = 'the-token-of-a-clone-0123456789-0123456789'
  expect((await guest.handshake({ accessToken, bootId: 'b2', origin: 'cloned' })).status).toBe(200)
  expect(await status('/envs')).toBe(401)
  expect((await fetch(`${guest.url}/envs`, { headers: { 'x-access-token': accessToken } })).status).toBe(200)
})

test('a sandbox in which something has run, or whose token is unknown, does not become a template and keeps running', async () => {
  expect((await becomeTemplate('wrong'.repeat(10))).status).toBe(401)
  await guest.run('true')
  const refused = await becomeTemplate()
  expect(refused.status).toBe(409)
  expect(await refused.json()).toMatchObject({ message: expect.stringContaining('a command was run in it') })
  expect((await guest.run('echo still here')).text).toBe('still here\n')
})
