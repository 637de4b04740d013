import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { guestPort } from '@threadbox/protocol/guest'
import { expect, test } from 'vitest'
import { readActivity, readManifest } from './guest-requests.ts'

const activity = {
  runningKeys: [],
  terminalsLastInputAt: null,
  userCpuSeconds: 0,
  busiestProcess: null,
  listeningPorts: [],
}

/** A guest at an address of its own on the loopback, that responds as the test says. */
async function makeGuest(respond: (response: ServerResponse) => unknown) {
  const part = () => 1 + Math.floor(Math.random() * 250)
  const address = `127.${part()}.${part()}.${part()}`
  const server = createServer((request, response) => {
    request.resume()
    request.once('end', () => respond(response))
  })
  server.listen(guestPort, address)
  await once(server, 'listening')
  const guest = { address, accessToken: 'token', connections: new Set<never>() }
  return {
    guest,
    signal: AbortSignal.timeout(10_000),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('the activity of an honest guest is read', async () => {
  await using guest = await makeGuest((response) => response.end(JSON.stringify(activity)))
  expect(await readActivity(guest.guest, { forRest: false, signal: guest.signal })).toEqual(activity)
})

test.each([
  {
    name: 'longer than 4 MiB',
    text: JSON.stringify({ ...activity, x: 'x'.repeat(4 * 1024 * 1024) }),
    says: /too long/,
  },
  {
    name: 'a list of 20,001 entries',
    text: JSON.stringify({ ...activity, runningKeys: Array.from({ length: 20_001 }, () => '') }),
    says: /too many entries/,
  },
  { name: 'nested a million times', text: `${'['.repeat(1e6)}${']'.repeat(1e6)}`, says: /nested too deeply/ },
  { name: 'not JSON', text: 'x', says: /JSON/ },
])('C9: a response of a guest that is $name is refused', async ({ text, says }) => {
  await using guest = await makeGuest((response) => response.end(text))
  await expect(readActivity(guest.guest, { forRest: false, signal: guest.signal })).rejects.toThrow(says)
  await expect(readManifest(guest.guest, { hashKey: '00', signal: guest.signal })).rejects.toThrow(says)
})

test('C9: a response of a guest that never ends is refused at 4 MiB', async () => {
  await using guest = await makeGuest((response) => {
    const more = () => {
      while (!response.destroyed && response.write(' '.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  })
  await expect(readActivity(guest.guest, { forRest: false, signal: guest.signal })).rejects.toThrow(/too long/)
})
