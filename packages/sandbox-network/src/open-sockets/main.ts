import type { SendHandle } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Opens the sockets of the DNS server in the network namespace that it was started in, and hands them over to the
 * process that started it. A process can’t change its own namespace without native code. It becomes the user of that
 * process first, because what arrives in between is lost here. Arguments: address, port, user, group.
 */
const [address = '', port = '', userId = '', groupId = ''] = process.argv.slice(2)

process.setgroups?.([])
process.setgid?.(Number(groupId))
process.setuid?.(Number(userId))
// Without the process that started it, it is of no use.
process.on('disconnect', () => process.exit(1))
const tcp = createServer()
tcp.listen({ host: address, port: Number(port), exclusive: true })
await once(tcp, 'listening')
const udp = createSocket('udp4')
udp.bind({ address, port: Number(port), exclusive: true })
await once(udp, 'listening')
await send({ kind: 'tcp' }, tcp)
await send({ kind: 'udp' }, udp)
process.exit(0)

function send(message: { kind: 'tcp' | 'udp' }, handle: SendHandle): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, handle, undefined, (error) => (error === null ? resolve() : reject(error)))
  })
}
