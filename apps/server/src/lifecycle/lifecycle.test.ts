import type { SandboxDetail, SurvivalReport, WakeEntry } from '@threadbox/protocol/public'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../application.test-utils.ts'
import { type HostStandIn, startHostStandIn } from '../sandboxes/host-stand-in.test-utils.ts'

let host: HostStandIn
let server: TestApplication
let owner: TestPerson
let threadId: string
beforeEach(async () => {
  host = await startHostStandIn()
  server = await makeTestApplication({ hostSocket: host.socketPath })
  owner = await server.signUpOwner()
  threadId = (await server.parts.threads.create(owner.userId, {})).id
  await server.start()
  await host.followed()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

const awake = () => server.parts.sandboxes.awake(threadId, { reason: 'turn' })
const call = async (method: string, rest = '', body?: unknown) =>
  await server.call(method, `/api/v1/threads/${threadId}/sandbox${rest}`, {
    person: owner,
    ...(body === undefined ? {} : { body }),
  })
const detail = async (method = 'GET', rest = '', body?: unknown) => {
  const response = await call(method, rest, body)
  expect(response.status).toBe(200)
  return (await response.json()) as SandboxDetail
}
const wakes = async () =>
  (await server.parts.log.entries(threadId)).filter((entry): entry is WakeEntry => entry.kind === 'wake')
const reported = async (): Promise<SurvivalReport> =>
  await vi.waitFor(async () => {
    const report = (await wakes()).at(-1)?.report
    if (report?.status !== 'complete') throw new Error('not complete yet')
    return report
  })

test('C4: a sandbox that is paused by a person sleeps with its memory and wakes as the same boot', async () => {
  const { bootId } = await awake()
  const paused = await detail('POST', '/pause')
  expect(paused.sandbox).toMatchObject({
    state: 'paused',
    asleep: { memory: 'saved' },
    detail: { code: 'paused.person' },
  })
  const woken = await detail('POST', '/wake')
  expect(woken.sandbox.state).toBe('active')
  expect((await server.parts.sandboxes.ifAwake(threadId))?.bootId).toBe(bootId)
  expect(await reported()).toMatchObject({ from: 'memory', cause: null, items: expect.any(Array) })
  expect((await detail()).log.map(({ code }) => code)).toEqual(['woken.memory', 'paused.person', 'started'])
})
