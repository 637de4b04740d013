import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { guestPaths } from '@threadbox/protocol/guest'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestGuest, type TestGuest, testToken } from '../guest.test-utils.ts'
import { isZombie, listProcesses } from '../processes/process-table.ts'

let guest: TestGuest
beforeEach(async () => {
  guest = await startTestGuest({ fileServerIdleMs: 300 })
  await guest.handshake()
})
afterEach(() => guest[Symbol.asyncDispose]())

const headers = { 'x-access-token': testToken }
const urlOf = (path: string) => `${guest.url}/files?path=${encodeURIComponent(path)}`

async function read(path: string): Promise<string> {
  const answer = await fetch(urlOf(path), { headers })
  return `${answer.status} ${await answer.text()}`
}

/** Its processes that are not gone. */
function fileServers(): number[] {
  const own = listProcesses().filter(({ parent, name }) => parent === process.pid && name.startsWith('threadbox-files'))
  return own.filter((entry) => !isZombie(entry)).map(({ pid }) => pid)
}

/** An upload whose body has begun and not ended. */
async function beginUpload(path: string) {
  // The one of an earlier request could still end.
  await expect.poll(fileServers, { timeout: 10_000 }).toEqual([])
  const upload = httpRequest(urlOf(path), { method: 'POST', headers })
  const ended = once(upload, 'response').then(([response]) => {
    response.resume()
    return response.statusCode as number
  })
  // Awaited by the test, unless it fails before.
  ended.catch(() => undefined)
  upload.write('first half, ')
  await expect.poll(fileServers, { timeout: 10_000 }).toHaveLength(1)
  return { upload, ended }
}

test('C5: a file is read while the file server ends for a manifest, at whichever moment of that', async () => {
  const file = join(guest.directory, 'note')
  writeFileSync(file, 'kept')
  for (let turns = 0; turns < 8; turns += 1) {
    expect(await read(file)).toBe('200 kept')
    const manifest = fetch(`${guest.url}${guestPaths.manifest}?hashKey=${'0'.repeat(64)}`, { headers })
    for (let turn = 0; turn < turns; turn += 1) await nextTurn()
    expect(await read(file)).toBe('200 kept')
    expect((await manifest).status).toBe(200)
  }
}, 120_000)

test('C5: a file can be read again soon after the file server was killed', async () => {
  const file = join(guest.directory, 'note')
  writeFileSync(file, 'kept')
  const { upload, ended } = await beginUpload(join(guest.directory, 'half'))
  const [pid] = fileServers()
  process.kill(pid!, 'SIGKILL')
  expect(await ended).toBe(503)
  upload.destroy()
  // Until the guest notices the end, a request gets the error that says to try again.
  await expect.poll(() => read(file), { timeout: 20_000 }).toBe('200 kept')
  expect(fileServers()).not.toContain(pid)
}, 60_000)

test('C5: a file server stays while a transfer is open, also over a manifest, and ends some time after its end', async () => {
  const file = join(guest.directory, 'whole')
  const { upload, ended } = await beginUpload(file)
  const [pid] = fileServers()
  const note = join(guest.directory, 'note')
  writeFileSync(note, 'kept')
  // Its end makes no server idle while the other one is in progress.
  expect(await read(note)).toBe('200 kept')
  await fetch(`${guest.url}${guestPaths.manifest}?hashKey=${'0'.repeat(64)}`, { headers })
  expect(fileServers()).toEqual([pid])
  upload.end('second half')
  expect(await ended).toBe(200)
  await expect.poll(fileServers, { timeout: 10_000 }).toEqual([])
  expect(await read(file)).toBe('200 first half, second half')
}, 60_000)

test('no file server runs until a file is requested', async () => {
  expect((await guest.run('true')).ended.exitCode).toBe(0)
  expect(fileServers()).toEqual([])
})
