import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { accessTokenHeader, type GuestActivity, guestPort } from '@threadbox/protocol/guest'
import type { HostEvent } from '@threadbox/protocol/host'
import { makeLogger } from '@threadbox/telemetry'
import { expect, test } from 'vitest'
import { makeHostEvents } from '../../machine/events/host-events.ts'
import { makeActiveBoots } from '../launch/active-boots.ts'
import { openGateway } from '../launch/gateway.test-utils.ts'
import { makeActivityWatch } from './activity-watch.ts'

async function watched() {
  const address = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.1`
  const activity: GuestActivity = {
    runningKeys: [],
    terminalsLastInputAt: null,
    userCpuSeconds: 0,
    busiestProcess: 'make',
    listeningPorts: [],
  }
  const answer = { status: 200, asked: 0 }
  const server = createServer((request, response) => {
    answer.asked += 1
    const isAllowed = request.headers[accessTokenHeader] === 'token' && request.url === '/activity'
    response.writeHead(isAllowed ? answer.status : 401).end(JSON.stringify(activity))
  }).listen(guestPort, address)
  await once(server, 'listening')
  const gateway = await openGateway()
  const active = makeActiveBoots({ gateway: gateway.client, onCount: () => undefined })
  await active.sendAll()
  await active.add({ bootId: 'b1', sandboxId: 's1', startedAt: 0, address, accessToken: 'token' })
  const events = makeHostEvents()
  const seen: HostEvent[] = []
  events.subscribe((event) => void seen.push(event))
  const lines: Record<string, unknown>[] = []
  const write = (line: string) => void lines.push(JSON.parse(line))
  let now = 0
  const watch = makeActivityWatch({
    active,
    gateway: gateway.client,
    events,
    cpuShare: 0.05,
    clock: () => now,
    signal: new AbortController().signal,
    logger: makeLogger({ process: 'host', level: 'debug', destination: { write } }),
  })
  const close = async () => {
    server.close()
    await gateway.close()
  }
  const checkAll = async () => {
    now += 10_000
    await watch.checkAll()
  }
  return { active, activity, answer, seen, lines, checkAll, [Symbol.asyncDispose]: close }
}

test('O11: activity in a sandbox is reported with its reason and the busiest process', async () => {
  await using guest = await watched()
  await guest.checkAll()
  expect(guest.seen).toEqual([])
  guest.activity.userCpuSeconds = 4
  guest.activity.terminalsLastInputAt = 7
  await guest.checkAll()
  const event = { type: 'activity', sandboxId: 's1', bootId: 'b1', at: 20_000 }
  expect(guest.seen).toEqual([
    { ...event, reason: 'cpu', detail: 'make' },
    { ...event, reason: 'terminal' },
  ])
  await guest.checkAll()
  expect(guest.seen).toHaveLength(2)
})

test('a guest that responds with an error or nonsense counts as idle, and is asked again', async () => {
  await using guest = await watched()
  await guest.checkAll()
  guest.answer.status = 500
  guest.activity.userCpuSeconds = 4
  await guest.checkAll()
  expect(guest.seen).toEqual([])
  guest.answer.status = 200
  await guest.checkAll()
  expect(guest.seen).toHaveLength(1)
})

test('an error of the host is logged with its message and stack', async () => {
  await using guest = await watched()
  guest.answer.status = 500
  await guest.checkAll()
  expect(guest.lines).toMatchObject([{ bootId: 'b1', err: { message: expect.any(String), stack: expect.any(String) } }])
})

test('a paused sandbox is not asked', async () => {
  await using guest = await watched()
  await guest.checkAll()
  await guest.active.suspend({ sandboxId: 's1', bootId: 'b1', reason: new Error('paused') })
  await guest.checkAll()
  expect(guest.answer.asked).toBe(1)
})
