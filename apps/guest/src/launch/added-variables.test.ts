import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestGuest, type TestGuest, testToken } from '../guest.test-utils.ts'

let guest: TestGuest
beforeEach(async () => {
  guest = await startTestGuest()
  await guest.handshake()
})
afterEach(() => guest[Symbol.asyncDispose]())

const set = async (variables: unknown, token = testToken) =>
  (
    await fetch(`${guest.url}/variables`, {
      method: 'PUT',
      headers: { 'x-access-token': token },
      body: JSON.stringify({ variables }),
    })
  ).status
const seen = async (session = '') => (await guest.run('echo "$FIRST_TOKEN|$SECOND_TOKEN"', { session })).text.trim()

test('variables without the token, or under a name that is none, are refused and change nothing', async () => {
  expect(await set({ FIRST_TOKEN: 'a' }, 'a wrong token')).toBe(401)
  expect(await set({ 'FIRST TOKEN': 'a' })).toBe(400)
  expect(await set({ FIRST_TOKEN: 'a\0b' })).toBe(400)
  expect(await set(null)).toBe(400)
  expect(await seen()).toBe('|')
})

test('the next command of each shell has the variables, and loses those that are taken away', async () => {
  expect([await seen(), await seen('named')]).toEqual(['|', '|'])
  expect(await set({ FIRST_TOKEN: 'one', SECOND_TOKEN: 'two' })).toBe(200)
  expect([await seen(), await seen('named'), await seen('new')]).toEqual(['one|two', 'one|two', 'one|two'])
  expect(await set({ SECOND_TOKEN: 'changed' })).toBe(200)
  expect([await seen(), await seen('named')]).toEqual(['|changed', '|changed'])
})

test('what a shell exported itself stays, except under the name of a variable that is set', async () => {
  await guest.run('export OWN=mine')
  await set({ FIRST_TOKEN: 'one' })
  await guest.run('export FIRST_TOKEN=own')
  await set({ FIRST_TOKEN: 'two' })
  expect((await guest.run('echo $OWN $FIRST_TOKEN')).text.trim()).toBe('mine two')
  expect(await seen('another')).toBe('two|')
})

test('a program that runs keeps its environment', async () => {
  const key = await guest.start('read -t 1 < <(sleep 2); echo "$FIRST_TOKEN|"')
  await set({ FIRST_TOKEN: 'one' })
  expect((await guest.read(key)).text.trim()).toBe('|')
})

test('a handshake of the same sandbox keeps the variables, and a copy begins without them', async () => {
  await set({ FIRST_TOKEN: 'one' })
  await guest.handshake({ origin: 'resumed' }, testToken)
  expect(await seen()).toBe('one|')
  await guest.handshake({ origin: 'forked' }, testToken)
  expect(await seen()).toBe('|')
})
