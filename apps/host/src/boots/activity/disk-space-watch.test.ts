import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { guestPaths, guestPort } from '@threadbox/protocol/guest'
import { makeLogger } from '@threadbox/telemetry'
import { expect, test } from 'vitest'
import { makeActiveBoots } from '../launch/active-boots.ts'
import { openGateway } from '../launch/gateway.test-utils.ts'
import { makeDiskSpaceWatch } from './disk-space-watch.ts'

async function watched() {
  const address = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.1`
  const told: unknown[] = []
  const answer = { status: 200 }
  const server = createServer(async (request, response) => {
    if (request.method === 'POST' && request.url === guestPaths.disk) told.push(await json(request))
    response.writeHead(answer.status).end('{}')
  }).listen(guestPort, address)
  await once(server, 'listening')
  const gateway = await openGateway()
  const active = makeActiveBoots({ gateway: gateway.client, onCount: () => undefined })
  await active.sendAll()
  await active.add({ bootId: 'b1', sandboxId: 's1', startedAt: 0, address, accessToken: 'token' })
  const usage = { usedBytes: 5, limitBytes: 10 }
  const asked: string[] = []
  let now = 0
  const watch = makeDiskSpaceWatch({
    active,
    gateway: gateway.client,
    disks: {
      diskUsage: async (diskId) => {
        asked.push(diskId)
        return { ...usage }
      },
    },
    diskIdOf: async (sandboxId) => `disk of ${sandboxId}`,
    clock: () => now,
    signal: new AbortController().signal,
    logger: makeLogger({ process: 'host', level: 'debug', destination: { write: () => undefined } }),
  })
  const close = async () => {
    server.close()
    await gateway.close()
  }
  const checkAll = async (afterMs = 2000) => {
    now += afterMs
    await watch.checkAll()
  }
  return { active, answer, usage, told, asked, checkAll, [Symbol.asyncDispose]: close }
}

test('a guest gets its disk’s space, and again only when that has changed', async () => {
  await using guest = await watched()
  await guest.checkAll()
  await guest.checkAll()
  expect(guest.told).toEqual([{ usedBytes: 5, limitBytes: 10 }])
  expect(guest.asked).toEqual(['disk of s1', 'disk of s1'])
  guest.usage.usedBytes = 6
  await guest.checkAll()
  guest.usage.limitBytes = 20
  await guest.checkAll()
  expect(guest.told.slice(1)).toEqual([
    { usedBytes: 6, limitBytes: 10 },
    { usedBytes: 6, limitBytes: 20 },
  ])
})

test('a guest that does not know the route is not asked at every check', async () => {
  await using guest = await watched()
  guest.answer.status = 404
  await guest.checkAll()
  await guest.checkAll()
  expect(guest.told).toHaveLength(1)
  guest.answer.status = 200
  await guest.checkAll(30_000)
  await guest.checkAll()
  expect(guest.told).toHaveLength(2)
})

test('a paused sandbox gets no reports', async () => {
  await using guest = await watched()
  await guest.active.suspend({ sandboxId: 's1', bootId: 'b1', reason: new Error('paused') })
  await guest.checkAll()
  expect(guest.told).toEqual([])
})
