import type { SendHandle } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'

/**
 * Opens the sockets of the DNS forwarder in the network namespace that it was started in, and hands them over to the
 * process that started it. A process can’t change its own namespace without native code. Arguments: address, port; 0 and a
 * port in use mean any port.
 */
const [address = '', port = '0'] = process.argv.slice(2)

const tcp = createServer()
await listen(tcp, Number(port)).catch(() => listen(tcp, 0))
const chosen = (tcp.address() as AddressInfo).port
const udp = createSocket('udp4')
udp.bind({ address, port: chosen, exclusive: true })
await once(udp, 'listening')
await send({ kind: 'tcp', port: chosen }, tcp)
await send({ kind: 'udp', port: chosen }, udp)
process.disconnect()
process.exit(0)

async function listen(server: Server, wanted: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ host: address, port: wanted, exclusive: true }, resolve)
  await promise
  server.off('error', reject)
}

function send(message: { kind: 'tcp' | 'udp'; port: number }, handle: SendHandle): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, handle, undefined, (error) => (error === null ? resolve() : reject(error)))
  })
}
