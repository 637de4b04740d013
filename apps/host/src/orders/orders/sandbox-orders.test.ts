import { rm } from 'node:fs/promises'
import path from 'node:path'
import { defaultSandboxLimits } from '@threadbox/domain'
import { hostPaths } from '@threadbox/protocol/host'
import { expect, test } from 'vitest'
import { startHostUnderTest } from '../../host.test-utils.ts'

const order = { limits: defaultSandboxLimits, egress: { kind: 'open' } }

test('a guest that never responds is an error that says so, and leaves no boot', async () => {
  await using host = await startHostUnderTest({ isGuestListening: false })
  const sandboxId = host.newSandboxId()
  await host.request('PUT', hostPaths.get(sandboxId), order)
  const bootId = host.newBootId()
  const answer = await host.request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })
  expect(answer).toMatchObject({ status: 503, body: { error: { code: 'sandbox.guest-silent' } } })
  expect(await host.driver.list()).toEqual([])
  const state = await host.request('GET', hostPaths.get(sandboxId))
  expect(state.body).toMatchObject({ actual: 'stopped', bootId: null, lastBootEnd: null })
})

test('a guest that ends before it is ready is an error with the cause, and leaves no boot', async () => {
  await using host = await startHostUnderTest({ isGuestListening: false })
  const sandboxId = host.newSandboxId()
  await host.request('PUT', hostPaths.get(sandboxId), order)
  const bootId = host.newBootId()
  const started = host.request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })
  await expect.poll(() => host.driver.limitsOf(bootId)).toBeDefined()
  host.driver.endBoot({ bootId, cause: 'killed-inside', detail: 'it had enough' })
  const answer = await started
  expect(answer).toMatchObject({ status: 503, body: { error: { code: 'sandbox.guest-ended-early' } } })
  expect(JSON.stringify(answer.body)).toContain('it had enough')
  expect(await host.driver.list()).toEqual([])
})

test('if every address is taken, the order says so and leaves no sandbox', async () => {
  await using host = await startHostUnderTest({})
  for (const _ of [1, 2]) await host.request('PUT', hostPaths.get(host.newSandboxId()), order)
  const refused = await host.request('PUT', hostPaths.get(host.newSandboxId()), order)
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'network.no-address-left' } } })
  const { body } = await host.request('GET', hostPaths.list())
  expect((body as { sandboxes: unknown[] }).sandboxes).toHaveLength(2)
})

test('the handshake gives the guest its limits and a token that no response shows', async () => {
  await using host = await startHostUnderTest({})
  const { sandboxId, bootId } = await host.startSandbox()
  expect(host.handshakes).toMatchObject([
    { bootId, hostname: 'box', limits: { memoryBytes: defaultSandboxLimits.memoryBytes, processes: 1024 } },
  ])
  const { accessToken } = host.handshakes[0] as { accessToken: string }
  const answers = [
    await host.request('GET', hostPaths.get(sandboxId)),
    await host.request('GET', hostPaths.list()),
    await host.request('GET', hostPaths.info()),
  ]
  expect(JSON.stringify(answers)).not.toContain(accessToken)
})

test('new limits of a running sandbox reach driver and guest; for a stopped one they apply at the next start', async () => {
  await using host = await startHostUnderTest({})
  const { sandboxId, bootId } = await host.startSandbox()
  const limits = { ...defaultSandboxLimits, processes: 77 }
  await host.request('PATCH', hostPaths.get(sandboxId), { limits })
  expect(host.driver.limitsOf(bootId)).toEqual(limits)
  expect(host.handshakes.at(-1)).toMatchObject({ limits: { processes: 77 } })
  await host.request('POST', hostPaths.stop(sandboxId), { bootId })
  await host.request('PUT', hostPaths.get(sandboxId), { ...order, limits: { ...limits, processes: 78 } })
  const again = { bootId: host.newBootId(), hostname: 'box' }
  await host.request('POST', hostPaths.start(sandboxId), again)
  expect(host.handshakes.at(-1)).toMatchObject({ bootId: again.bootId, limits: { processes: 78 } })
})

test('a change of the policy gives a running guest its environment, and a guest that never responds does not hinder it', async () => {
  await using host = await startHostUnderTest({ sandboxProxy: 'http://192.0.2.1:3128' })
  const { sandboxId } = await host.startSandbox()
  const change = async (egress: object) =>
    expect(await host.request('PATCH', hostPaths.get(sandboxId), { egress })).toMatchObject({ status: 200 })
  const variables = () => (host.handshakes.at(-1) as { envVars: Record<string, string> }).envVars
  expect(variables()).toMatchObject({ HTTPS_PROXY: 'http://192.0.2.1:3128', NO_PROXY: 'localhost' })
  await change({ kind: 'open', brokered: ['api.example', 'api.example:8443'] })
  expect(variables()).toMatchObject({ https_proxy: 'http://192.0.2.1:3128', no_proxy: 'localhost,api.example' })
  await change({ kind: 'allowlist', names: ['api.example'] })
  expect(Object.keys(variables()).filter((name) => /proxy/i.test(name))).toEqual([])
  const count = host.handshakes.length
  await change({ kind: 'none' })
  expect(host.handshakes).toHaveLength(count)
  host.guest.closeAllConnections()
  host.guest.close()
  await change({ kind: 'open' })
  expect(host.links.get(sandboxId)).toMatchObject({ egress: 'open' })
})

test('C2: a shutdown names what it stopped and what it could not; one sandbox that cannot be stopped delays no other', async () => {
  await using host = await startHostUnderTest({})
  const [broken, whole] = [await host.startSandbox(), await host.startSandbox()]
  await rm(path.join(host.directory, 'disks/disks', broken.sandboxId), { recursive: true })
  const answer = await host.request('POST', hostPaths.shutdown())
  expect(answer).toMatchObject({
    status: 200,
    body: {
      stopped: [whole.sandboxId],
      failed: [{ sandboxId: broken.sandboxId, reason: expect.stringContaining('disk') }],
    },
  })
  expect((await host.driver.list()).map((boot) => boot.bootId)).toEqual([broken.bootId])
  const again = { bootId: host.newBootId(), hostname: 'box' }
  const refused = await host.request('POST', hostPaths.start(whole.sandboxId), again)
  expect(refused).toMatchObject({ status: 503, body: { error: { code: 'host.shutting-down' } } })
})

test('listeners get the events of a boot, with the cause of its end', async () => {
  await using host = await startHostUnderTest({})
  const response = await fetch(host.url + hostPaths.events())
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = (await reader.read()).value ?? ''
  const { bootId } = await host.startSandbox()
  host.driver.endBoot({ bootId, cause: 'memory-backstop', detail: 'too much' })
  while (!text.includes('boot-ended')) text += (await reader.read()).value ?? ''
  const events = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { type: string })
  expect(events.map((event) => event.type)).toEqual([
    'keepalive',
    'awake-changed',
    'boot-ready',
    'awake-changed',
    'boot-ended',
  ])
  expect(events.at(-1)).toMatchObject({ bootId, cause: 'memory-backstop', detail: 'too much' })
  await reader.cancel()
})
