import type { Duplex } from 'node:stream'
import type { Logger } from '@threadbox/telemetry'
import { makeDnsForwarder } from './dns-forwarder.ts'
import { makeDnsResolver } from './dns-resolver.ts'
import type { DnsUpstream } from './dns-upstream.ts'
import { makeLineReader, type NamesOrder, type NamesReport, namesOrderSchema } from './name-channel.ts'
import type { NameSockets } from './name-sockets.ts'
import { readableName } from './names-asked.logic.ts'

/**
 * Answers the questions of sandboxes by the orders that come over the channel, from the first one on. Resolves when the
 * channel has ended.
 */
export async function serveNames(options: {
  channel: Duplex
  sockets: Promise<NameSockets>
  upstream: DnsUpstream
  logger: Logger
}): Promise<void> {
  const { channel, sockets, upstream, logger } = options
  const report = (message: NamesReport) => void channel.write(`${JSON.stringify(message)}\n`)
  const note = (type: 'answered' | 'refused', address: string, asked: string) => {
    const name = readableName(asked)
    if (name !== '') report({ type, address, name })
  }
  const virtual = makeVirtualAddresses(report)
  const resolver = makeDnsResolver({
    upstream,
    virtualAddress: virtual.ask,
    onAnswered: ({ address, name }) => note('answered', address, name),
    onRefused: ({ address, name }) => note('refused', address, name),
    logger,
    now: () => performance.now(),
  })
  const forwarder = makeDnsForwarder({ resolver, logger })
  const told = Promise.withResolvers<void>()
  const obey = (order: NamesOrder) => {
    if (order.type === 'stands-for') return virtual.settle(order)
    if (order.type === 'set') resolver.setClient(order.client)
    if (order.type === 'remove') {
      resolver.removeClient(order.address)
      forwarder.drop(order.address)
    }
    if (order.type !== 'clients') return report({ type: 'applied', sequence: order.sequence })
    for (const client of order.clients) resolver.setClient(client)
    told.resolve()
  }
  const serve = async () => {
    await told.promise
    forwarder.serve(await sockets)
    report({ type: 'serving' })
  }
  const read = makeLineReader(Number.MAX_SAFE_INTEGER)
  const follow = async () => {
    for await (const chunk of channel.setEncoding('utf8')) {
      for (const line of read(chunk)) obey(namesOrderSchema.parse(JSON.parse(line)))
    }
  }
  const ended = follow()
  await Promise.race([ended, serve()])
  await ended
}

/** Asks the host daemon for the address that stands for a name, and waits for the reply. */
function makeVirtualAddresses(report: (message: NamesReport) => void) {
  const waiting = new Map<number, { resolve: (address: string) => void; reject: (error: Error) => void }>()
  let last = 0
  return {
    ask: async ({ address, name }: { address: string; name: string }) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      const id = ++last
      waiting.set(id, { resolve, reject })
      report({ type: 'virtual', id, address, name: readableName(name) })
      return await promise
    },
    settle: ({ id, address }: { id: number; address: string | null }) => {
      const asked = waiting.get(id)
      waiting.delete(id)
      if (address === null) asked?.reject(new Error('no address stands for the name'))
      else asked?.resolve(address)
    },
  }
}
