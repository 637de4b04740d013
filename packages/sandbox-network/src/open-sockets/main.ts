import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Opens the sockets of the DNS server in the network namespace that it was started in, and hands them over to the
 * process that started it. A process can’t change its own namespace without native code. It becomes the user of that
 * process first, because what it accepts in between is lost. Arguments: address, port, user, group.
 */
const [address = '', port = '', userId = '', groupId = ''] = process.argv.slice(2)

process.setgroups?.([])
process.setgid?.(Number(groupId))
process.setuid?.(Number(userId))
// Without the process that started it, it is of no use. While a socket is handed over, Node does not emit the event.
process.on('disconnect', () => process.exit(1))
setInterval(() => process.connected || process.exit(1), 1000).unref()
await handOverUdp()
const tcp = createServer()
tcp.listen({ host: address, port: Number(port), exclusive: true })
await once(tcp, 'listening')
await new Promise<void>((resolve, reject) => {
  process.send?.({ kind: 'tcp' }, tcp, undefined, (error) => (error === null ? resolve() : reject(error)))
})
process.exit(0)

/**
 * Node reads a socket from the moment it is bound, but not before this event has ended. By then it is sent and closed
 * here, so the first question waits in it for the process that answers. A client waits seconds for one that is lost.
 */
function handOverUdp(): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const udp = createSocket('udp4')
  udp.once('error', reject)
  udp.once('listening', () => {
    process.send?.({ kind: 'udp' }, udp, undefined, (error) => (error === null ? resolve() : reject(error)))
    udp.close()
  })
  udp.bind({ address, port: Number(port), exclusive: true })
  return promise
}
