import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { toWireError } from '@threadbox/errors'
import { gatewayPaths, watchHeader } from '@threadbox/protocol/host'
import { expect, test } from 'vitest'
import { makeBootUses } from './boot-uses.ts'
import { bootEnded, type GatewayUnderTest, startGatewayUnderTest } from './gateway.test-utils.ts'

type Boot = { sandboxId: string; bootId: string }

const guestUrl = (gateway: GatewayUnderTest, { sandboxId }: Boot) =>
  `${gateway.url}${gatewayPaths.guest(sandboxId)}/stream`

const wantedOf = (gateway: GatewayUnderTest) => gateway.events.filter(({ type }) => type === 'wanted')

async function untilWanted(gateway: GatewayUnderTest): Promise<void> {
  await expect.poll(() => wantedOf(gateway).length).toBeGreaterThan(0)
}

test('C2: a request to a boot that rests waits, the host gets one event, and all that wait pass when it is roused', async () => {
  let reached = 0
  await using gateway = await startGatewayUnderTest({
    behavior: (_, response) => {
      reached += 1
      response.end('ok')
    },
  })
  const boot = await gateway.admit()
  expect(await gateway.orders.rest({ ...boot, unusedMs: 0 })).toMatchObject({ isResting: true })
  const waiting = Array.from({ length: 20 }, async () => (await fetch(guestUrl(gateway, boot))).text())
  await untilWanted(gateway)
  expect([reached, wantedOf(gateway)]).toEqual([0, [{ type: 'wanted', ...boot }]])
  await gateway.orders.rouse(boot)
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['ok']))
  expect([reached, wantedOf(gateway).length]).toEqual([20, 1])
})

test('an upload to a boot that rests arrives completely', async () => {
  await using gateway = await startGatewayUnderTest({ behavior: (request, response) => void request.pipe(response) })
  const boot = await gateway.admit()
  await gateway.orders.rest({ ...boot, unusedMs: 0 })
  const body = 'x'.repeat(300_000)
  const answer = fetch(guestUrl(gateway, boot), { method: 'POST', body })
  await untilWanted(gateway)
  await gateway.orders.rouse(boot)
  expect(await (await answer).text()).toBe(body)
})

test('a boot that was used a moment ago, that is being used, or that does not exist does not rest', async () => {
  await using gateway = await startGatewayUnderTest({ behavior: (_, response) => void response.write('x') })
  const boot = await gateway.admit()
  const other = { ...boot, bootId: 'another' }
  expect(await gateway.orders.rest({ ...other, unusedMs: 0 })).toMatchObject({ isResting: false })
  expect(await gateway.orders.rest({ ...boot, unusedMs: 60_000 })).toMatchObject({ isResting: false })
  const reading = new AbortController()
  await fetch(guestUrl(gateway, boot), { signal: reading.signal })
  expect(await gateway.orders.rest({ ...boot, unusedMs: 0 })).toEqual({ isResting: false, unusedMs: 0 })
  reading.abort()
  await expect.poll(() => gateway.orders.rest({ ...boot, unusedMs: 0 })).toMatchObject({ isResting: true })
})

test('a boot rests while a request to its guest only follows changes; the same header to a service is no excuse', async () => {
  await using gateway = await startGatewayUnderTest({ behavior: (_, response) => void response.write('x') })
  const boot = await gateway.admit()
  const open = await fetch(guestUrl(gateway, boot), { headers: { [watchHeader]: '1' } })
  expect(await gateway.orders.rest({ ...boot, unusedMs: 0 })).toMatchObject({ isResting: true })
  const waiting = fetch(guestUrl(gateway, boot), { headers: { [watchHeader]: '1' } })
  await untilWanted(gateway)
  await gateway.orders.rouse(boot)
  await Promise.all([open.body?.cancel(), (await waiting).body?.cancel()])
  const service = createServer((_, response) => void response.write('x'))
  await once(service.listen(0, gateway.guestAddress.address), 'listening')
  const { port } = service.address() as AddressInfo
  const page = await fetch(`${gateway.url}${gatewayPaths.port(boot.sandboxId, port)}/`, {
    headers: { [watchHeader]: '1' },
  })
  expect(await gateway.orders.rest({ ...boot, unusedMs: 0 })).toMatchObject({ isResting: false })
  await page.body?.cancel()
  service.close()
})

test('the host’s own request passes to a boot that rests, and a boot does not begin to rest during one', async () => {
  const asked = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  await using gateway = await startGatewayUnderTest({
    behavior: async (_, response) => {
      asked.resolve()
      await go.promise
      response.end('{}')
    },
  })
  const boot = await gateway.admit()
  const reading = gateway.orders.activity({ guest: gateway.guestAddress }).catch(() => undefined)
  await asked.promise
  expect(await gateway.orders.rest({ ...boot, unusedMs: 0 })).toMatchObject({ isResting: false })
  go.resolve()
  await reading
  expect(await gateway.orders.rest({ ...boot, unusedMs: 0 })).toMatchObject({ isResting: true })
  const again = gateway.orders.activity({ guest: gateway.guestAddress })
  await expect(again).rejects.toMatchObject({ code: 'gateway.guest-failed' })
})

test('C2: a request that waits for a boot that ends gets the reason of its end', async () => {
  await using gateway = await startGatewayUnderTest()
  const boot = await gateway.admit()
  await gateway.orders.rest({ ...boot, unusedMs: 0 })
  const answer = fetch(guestUrl(gateway, boot))
  await untilWanted(gateway)
  await gateway.orders.close({ ...boot, reason: toWireError(bootEnded), refuses: false })
  expect(await (await answer).json()).toMatchObject({ error: { code: bootEnded.code } })
})

test('C2: a host that says again which boots exist lets requests pass to those that rested', async () => {
  await using gateway = await startGatewayUnderTest()
  const boot = await gateway.admit()
  await gateway.orders.rest({ ...boot, unusedMs: 0 })
  const answer = fetch(guestUrl(gateway, boot))
  await untilWanted(gateway)
  await gateway.orders.replaceAdmissions({ boots: [{ ...boot, ...gateway.guestAddress }], refusals: [] })
  expect(await (await answer).text()).toBe('ok')
})

test('a client that leaves while it waits is not served later, and the boot can rest again', async () => {
  let reached = 0
  await using gateway = await startGatewayUnderTest({
    behavior: (_, response) => {
      reached += 1
      response.end('ok')
    },
  })
  const boot = await gateway.admit()
  await gateway.orders.rest({ ...boot, unusedMs: 0 })
  const { hostname, port, pathname } = new URL(guestUrl(gateway, boot))
  const client = connect(Number(port), hostname)
  client.write(`GET ${pathname} HTTP/1.1\r\nhost: x\r\n\r\n`)
  await untilWanted(gateway)
  client.destroy()
  await gateway.orders.rouse(boot)
  await expect.poll(() => gateway.orders.rest({ ...boot, unusedMs: 0 })).toMatchObject({ isResting: true })
  expect(reached).toBeLessThanOrEqual(1)
})

test('C2: a request that nothing lets pass is refused after the limit, and later ones tell the host again', async () => {
  let wanted = 0
  const uses = makeBootUses({
    ended: new AbortController().signal,
    onWanted: () => {
      wanted += 1
    },
    rouseMs: 20,
  })
  uses.rest(0)
  const refused = { code: 'sandbox.rest-not-ended', kind: 'unavailable' }
  await expect(uses.begin({ followsChanges: false })).rejects.toMatchObject(refused)
  await expect(uses.begin({ followsChanges: false })).rejects.toMatchObject(refused)
  expect(wanted).toBe(2)
  uses.rouse()
  using _use = await uses.begin({ followsChanges: false })
  expect(uses.rest(0)).toEqual({ isResting: false, unusedMs: 0 })
})
