import type { CreatedWebhook, Network, NetworkPolicy, Run, Schedule, Webhook } from '@threadbox/protocol/public'
import { Webhook as SignedWebhook } from 'standardwebhooks'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { makeRunBench, type RunBench } from './runs.test-utils.ts'

const registries = { kind: 'allowlist', names: [], presets: ['package-registries'] } satisfies NetworkPolicy
const list = (...names: string[]) => ({ kind: 'allowlist', names, presets: [] }) satisfies NetworkPolicy

onBothDatabases((target) => {
  let bench: RunBench
  beforeEach(async () => {
    bench = await makeRunBench(await target())
  })
  afterEach(() => bench[Symbol.asyncDispose]())

  const networkOf = async ({ threadId }: Pick<Run, 'threadId'>) => {
    const network = await bench.request<Network>('GET', `/threads/${threadId}/network`)
    return { kind: network.effective.kind, own: network.levels.at(-1), sources: network.sources }
  }
  const deliver = async ({ secret, url }: CreatedWebhook) => {
    const at = new Date(bench.server.clock.now)
    const headers = {
      host: 'localhost',
      'webhook-id': 'msg-1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new SignedWebhook(secret).sign('msg-1', at, '{}'),
      'content-type': 'application/json',
    }
    const request = { method: 'POST', headers, body: '{}' }
    expect((await bench.server.app.request(`http://localhost${new URL(url).pathname}`, request)).status).toBe(202)
  }
  const finished = async (wanted: Partial<Run>) => {
    const runs = await bench.finish()
    const run = runs.find(({ id, trigger }) => id === wanted.id || trigger === wanted.trigger)
    if (run === undefined) throw new Error('no run')
    return run
  }

  test('G2: an unusable name in the policy of a run, schedule or webhook is refused, and nothing is saved', async () => {
    const { agent, request, codeOf } = bench
    const schedule = await bench.schedule({})
    const hook = await request<CreatedWebhook>('POST', `/agents/${agent.id}/webhooks`, { name: 'Hook', input: 'x' })
    const network = list('*.org')
    const plan = { name: 'N', cron: '0 * * * *', timeZone: 'UTC', input: 'x', network }
    for (const [method, path, body] of [
      ['POST', `/agents/${agent.id}/runs`, { input: 'x', network }],
      ['POST', `/agents/${agent.id}/schedules`, plan],
      ['PATCH', `/schedules/${schedule.id}`, { network }],
      ['POST', `/agents/${agent.id}/webhooks`, { name: 'N', input: 'x', network }],
      ['PATCH', `/webhooks/${hook.id}`, { network }],
    ] as const) {
      expect(await codeOf(method, path, body), path).toBe('network-policy.name-invalid')
    }
    expect(await bench.runs()).toEqual([])
    const { schedules } = await request<{ schedules: Schedule[] }>('GET', `/agents/${agent.id}/schedules`)
    const { webhooks } = await request<{ webhooks: Webhook[] }>('GET', `/agents/${agent.id}/webhooks`)
    expect([...schedules, ...webhooks].map((trigger) => trigger.network)).toEqual([null, null])
  })

  test('G2: a run reaches what its own policy and its agent’s allow, from its start', async () => {
    const { agent, request, start } = bench
    const finish = async ({ id }: Run) => networkOf(await finished({ id }))
    expect(await finish(await start({ network: { kind: 'none' } }))).toMatchObject({
      kind: 'none',
      own: { level: 'thread', policy: { kind: 'none' } },
    })
    await request('PUT', `/agents/${agent.id}/network`, { policy: list('a.org') })
    expect(await finish(await start({ network: { kind: 'open' } }))).toMatchObject({
      kind: 'allowlist',
      sources: ['agent'],
    })
    expect(await finish(await start())).toMatchObject({ own: { level: 'thread', policy: null } })
  })

  test('G2: runs of a schedule and a webhook have its policy, as it was when the run was queued', async () => {
    const { agent, request, server } = bench
    const schedule = await bench.schedule({ cron: '* * * * *', timeZone: 'UTC', network: registries })
    expect(schedule.network).toEqual(registries)
    server.clock.now += 61_000
    expect((await networkOf(await finished({ trigger: 'schedule' }))).own).toEqual({
      level: 'thread',
      policy: registries,
    })
    expect(await request<Schedule>('PATCH', `/schedules/${schedule.id}`, { isEnabled: false })).toMatchObject({
      network: registries,
    })
    const hook = await request<CreatedWebhook>('POST', `/agents/${agent.id}/webhooks`, {
      name: 'Hook',
      input: 'x',
      network: list('A.org.'),
    })
    expect(hook.network).toEqual(list('a.org'))
    await deliver(hook)
    expect(await request<Webhook>('PATCH', `/webhooks/${hook.id}`, { network: null })).toMatchObject({ network: null })
    expect((await networkOf(await finished({ trigger: 'webhook' }))).own).toEqual({
      level: 'thread',
      policy: list('a.org'),
    })
  })

  test('G2: a member can’t widen the policy of a run’s thread', async () => {
    const member = await bench.server.addPerson('member')
    const agent = await bench.request<{ id: string }>('POST', '/agents', { name: 'Own' }, member)
    await bench.request('POST', `/agents/${agent.id}/runs`, { input: 'x', network: registries }, member)
    await bench.server.areas.workflows.runs.runDue()
    const { runs } = await bench.request<{ runs: Run[] }>('GET', `/agents/${agent.id}/runs`, undefined, member)
    const path = `/threads/${runs[0]?.threadId}/network`
    expect(await bench.codeOf('PUT', path, { policy: null }, member)).toBe('auth.owner-required')
    expect(await bench.codeOf('PUT', path, { policy: { kind: 'none' } }, member)).toBe('accepted')
  })
})
