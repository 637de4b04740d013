import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { guestPaths } from '@threadbox/protocol/guest'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestGuest, type TestGuest, testToken } from '../guest.test-utils.ts'

let guest: TestGuest
beforeEach(async () => {
  guest = await startTestGuest()
  await guest.handshake()
})
afterEach(() => guest[Symbol.asyncDispose]())

const headers = { 'x-access-token': testToken }

test('C5: a file is read while the file server ends for a manifest, at whichever moment of that', async () => {
  const file = join(guest.directory, 'note')
  writeFileSync(file, 'kept')
  const read = async () => {
    const answer = await fetch(`${guest.url}/files?path=${encodeURIComponent(file)}`, { headers })
    return `${answer.status} ${await answer.text()}`
  }
  for (let turns = 0; turns < 8; turns += 1) {
    expect(await read()).toBe('200 kept')
    const manifest = fetch(`${guest.url}${guestPaths.manifest}?hashKey=${'0'.repeat(64)}`, { headers })
    for (let turn = 0; turn < turns; turn += 1) await nextTurn()
    expect(await read()).toBe('200 kept')
    expect((await manifest).status).toBe(200)
  }
}, 120_000)
