import type { Duplex } from 'node:stream'
import type { Logger } from '@threadbox/telemetry'
import { makeDnsForwarder } from './dns-forwarder.ts'
import { makeDnsResolver } from './dns-resolver.ts'
import type { DnsUpstream } from './dns-upstream.ts'
import { makeLineReader, mostAddresses, type NamesOrder, type NamesReport, namesOrderSchema } from './name-channel.ts'
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
  const allowing = makeAllowing(report)
  const resolver = makeDnsResolver({
    upstream,
    allow: allowing.ask,
    onAnswered: ({ address, name }) => note('answered', address, name),
    onRefused: ({ address, name }) => note('refused', address, name),
    logger,
    now: () => performance.now(),
  })
  const forwarder = makeDnsForwarder({ resolver, logger })
  const told = Promise.withResolvers<void>()
  const obey = (order: NamesOrder) => {
    if (order.type === 'allowed') return allowing.settle(order)
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

/** Asks the host daemon to let a client reach what a name resolved to, and waits for the reply. */
function makeAllowing(report: (message: NamesReport) => void) {
  const waiting = new Map<number, { resolve: () => void; reject: (error: Error) => void }>()
  let last = 0
  const askOnce = async (question: { address: string; name: string; addresses: string[]; seconds: number }) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const id = ++last
    waiting.set(id, { resolve, reject })
    report({ type: 'allow', id, ...question, name: readableName(question.name) })
    await promise
  }
  return {
    ask: async (question: { address: string; name: string; addresses: string[]; seconds: number }) => {
      for (let start = 0; start < question.addresses.length; start += mostAddresses) {
        await askOnce({ ...question, addresses: question.addresses.slice(start, start + mostAddresses) })
      }
    },
    settle: ({ id, isAllowed }: { id: number; isAllowed: boolean }) => {
      const asked = waiting.get(id)
      waiting.delete(id)
      if (isAllowed) asked?.resolve()
      else asked?.reject(new Error('the host daemon did not allow the addresses'))
    },
  }
}
