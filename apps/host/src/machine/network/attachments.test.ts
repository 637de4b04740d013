import type { SandboxNetwork } from '@threadbox/sandbox-network'
import { expect, test } from 'vitest'
import { makeAttachments } from './attachments.ts'

const wanted = { placeId: 'one', address: '198.18.0.6', egress: { kind: 'open' } } as const

/** A network that only says what it was asked for. `restoring`: what restoring an address waits for. */
function listeningNetwork(restoring: Promise<void> = Promise.resolve()) {
  const asked: string[] = []
  const network = {
    attach: async ({ sandboxId, address }: { sandboxId: string; address: string }) => {
      asked.push('attach')
      return { sandboxId, address, namespacePath: '', gatewayAddress: '', mtu: 1500 }
    },
    setLink: async ({ state }: { state: string }) => void asked.push(state),
    restoreAddress: async () => {
      asked.push('address')
      await restoring
      asked.push('has address')
    },
  }
  return { attachments: makeAttachments(network as unknown as SandboxNetwork), asked }
}

test('a namespace that was prepared for a wake keeps its address for it, once', async () => {
  const { attachments, asked } = listeningNetwork()
  await attachments.prepareSilent('one')
  asked.length = 0
  await attachments.obtainSilent(wanted)
  expect(asked).toEqual(['attach', 'down'])
  asked.length = 0
  await attachments.obtainSilent(wanted)
  expect(asked).toEqual(['attach', 'down', 'address', 'has address'])
})

test.each(['obtain', 'obtainSilent'] as const)(
  'what uses a namespace waits until it is prepared: an address that came later would be the kernel’s too (%s)',
  async (use) => {
    const gate = Promise.withResolvers<void>()
    const { attachments, asked } = listeningNetwork(gate.promise)
    const prepared = attachments.prepareSilent('one')
    const used = attachments[use](wanted)
    await new Promise((resolve) => setImmediate(resolve))
    expect(asked).toEqual(['address'])
    gate.resolve()
    await Promise.all([prepared, used])
    expect(asked.slice(0, 3)).toEqual(['address', 'has address', 'attach'])
  },
)

test('a boot that starts fresh, or a namespace that is removed, leaves nothing prepared', async () => {
  const { attachments, asked } = listeningNetwork()
  await attachments.prepareSilent('one')
  await attachments.obtain(wanted)
  await attachments.prepareSilent('two')
  attachments.forget('two')
  for (const allocation of [wanted, { ...wanted, placeId: 'two' }]) {
    asked.length = 0
    await attachments.obtainSilent(allocation)
    expect(asked).toContain('address')
  }
})
