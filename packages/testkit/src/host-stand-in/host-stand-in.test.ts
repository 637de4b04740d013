import { expect, test } from 'vitest'
import { hostApiSuite } from './host-api.test-suite.ts'
import { connectHostApi } from './host-api-client.ts'
import { startHostStandIn } from './host-stand-in.ts'

hostApiSuite({
  name: 'stand-in',
  setup: async () => {
    const host = await startHostStandIn()
    return { api: connectHostApi(host), close: () => host[Symbol.asyncDispose]() }
  },
})

const unknown = `s${'0'.repeat(20)}`

test('a test can make a call fail, wait or lose its reply, once for each failure', async () => {
  await using host = await startHostStandIn()
  const api = connectHostApi(host)
  host.fail('delete', { code: 'host.busy', kind: 'unavailable' })
  await expect(api.delete(unknown)).rejects.toMatchObject({ code: 'host.busy', kind: 'unavailable' })
  const release = host.hold('delete')
  let isDone = false
  const held = api.delete(unknown).then(() => {
    isDone = true
  })
  await expect.poll(() => host.asked('delete')).toBe(2)
  expect(isDone).toBe(false)
  release()
  await held
  host.loseAnswer = (name) => name === 'list'
  await expect(api.list()).rejects.toThrow()
  expect(host.asked('list')).toBe(1)
})
