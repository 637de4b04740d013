import { request as httpRequest } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshRandom, mixEntropy } from '../ground/random.ts'
import { startTestGuest, type TestGuest, testToken } from '../guest.test-utils.ts'

let guest: TestGuest
beforeEach(async () => {
  guest = await startTestGuest()
  await guest.handshake()
})
afterEach(() => guest[Symbol.asyncDispose]())

/**
 * Reads an execution over its own connection until it breaks off or the execution ends; returns the output, and how it
 * ended.
 */
async function readOnce(key: string, offset: number, onOutput: (text: string) => void) {
  let text = ''
  try {
    for await (const { event } of guest.runs.read({ key, offset: BigInt(offset) })) {
      if (event.case === 'output') {
        text += Buffer.from(event.value.data).toString()
        onOutput(text)
      }
      if (event.case === 'ended') return { text, ended: true }
    }
  } catch {
    return { text, ended: false }
  }
  return { text, ended: false }
}

test.each(['resumed', 'restored', 'cloned'] as const)(
  'C5: a stream that a pause broke ends when the sandbox was %s, and reading continues where it stopped',
  async (origin) => {
    await guest.run('mkfifo fifo')
    const key = await guest.start('echo before; read -r line < fifo; echo after', 'long')
    const reached = Promise.withResolvers<void>()
    const broken = readOnce(key, 0, () => reached.resolve())
    await reached.promise
    expect((await guest.handshake({ origin, bootId: 'b1' }, testToken)).status).toBe(200)
    expect(await broken).toEqual({ text: 'before\n', ended: false })
    await guest.run('echo go > fifo')
    expect(await readOnce(key, 'before\n'.length, () => undefined)).toEqual({ text: 'after\n', ended: true })
  },
)

test('a handshake of the same boot leaves the streams of others alone', async () => {
  await guest.run('mkfifo fifo')
  const key = await guest.start('echo before; read -r line < fifo; echo after', 'long')
  const reached = Promise.withResolvers<void>()
  const whole = readOnce(key, 0, () => reached.resolve())
  await reached.promise
  expect((await guest.handshake({ origin: 'booted' }, testToken)).status).toBe(200)
  await guest.run('echo go > fifo')
  expect(await whole).toEqual({ text: 'before\nafter\n', ended: true })
})

test('a connection that a host left behind is closed by the next wake', async () => {
  const left = httpRequest(`${guest.url}/files?path=left`, { method: 'POST', headers: { 'x-access-token': testToken } })
  const closed = new Promise((resolve) => left.once('error', resolve))
  left.write('half a')
  await new Promise<void>((resolve) => left.once('socket', (socket) => socket.once('connect', () => resolve())))
  await guest.handshake({ origin: 'restored' }, testToken)
  expect(await closed).toBeInstanceOf(Error)
})

test('random values differ, also after entropy was mixed in', () => {
  mixEntropy('one')
  const values = Array.from({ length: 100 }, () => freshRandom(16))
  mixEntropy('two')
  values.push(...Array.from({ length: 100 }, () => freshRandom(16)))
  expect(new Set(values).size).toBe(200)
  expect(values.every((value) => /^[0-9a-f]{32}$/.test(value))).toBe(true)
})
