import { once } from 'node:events'
import { createServer } from 'node:https'
import { type AddressInfo, connect, createServer as createTcp } from 'node:net'
import process from 'node:process'
import { type Authority, createAuthorityFiles, makeAuthority, makeBroker } from '@threadbox/secret-broker'
import { makeLogger } from '@threadbox/telemetry'

/** What the processes of a brokered host get as their first message. */
export type BrokeredPart = {
  name: string
  placeholder: string
  value: string
  /** For the broker: the host’s port and the certificate of its authority. */
  host?: { port: number; authority: string }
}

process.once('message', (part: BrokeredPart) => {
  void (part.host === undefined ? serveHost(part) : serveBroker(part, part.host))
})

async function newAuthority(): Promise<Authority> {
  return await makeAuthority(await createAuthorityFiles({ subject: 'bench', clock: Date.now }), { clock: Date.now })
}

/** `/bytes/N` returns N bytes, anything else a short text; a request’s body is read and forgotten. */
async function serveHost({ name }: BrokeredPart): Promise<void> {
  const authority = await newAuthority()
  const context = await authority.contextFor(name)
  const piece = Buffer.alloc(64 * 1024, 'The quick brown fox jumps over the lazy dog. ')
  const server = createServer({ SNICallback: (_, done) => done(null, context) }, (request, response) => {
    request.resume()
    let left = Number(/^\/bytes\/(\d+)$/.exec(request.url ?? '')?.[1] ?? 0)
    if (left === 0) return void request.on('end', () => response.end('ok'))
    response.writeHead(200, { 'content-length': left })
    const send = () => {
      while (left > 0) {
        const part = piece.subarray(0, left)
        left -= part.length
        if (!response.write(part)) return void response.once('drain', send)
      }
      response.end()
    }
    send()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  process.send?.({ port: (server.address() as AddressInfo).port, authority: authority.certificate })
}

async function serveBroker(
  { name, placeholder, value }: BrokeredPart,
  host: { port: number; authority: string },
): Promise<void> {
  const authority = await newAuthority()
  const rule = { methods: null, pathPrefix: null, header: null, positions: ['header' as const], hosts: [name] }
  const grants = [{ secretId: 'one', name: 'TOKEN', placeholder, value, ...rule }]
  const broker = makeBroker({
    authority,
    connect: async () => {
      const socket = connect(host.port, '127.0.0.1')
      await once(socket, 'connect')
      return socket
    },
    machineCertificates: host.authority,
    onUsed: () => undefined,
    logger: makeLogger({ process: 'broker', level: 'silent' }),
    clock: Date.now,
  })
  const { signal } = new AbortController()
  const server = createTcp({ pauseOnConnect: true }, (socket) => {
    void broker.serve({ socket, sandboxId: 'one', name, port: 443, grants: () => grants, signal })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  process.send?.({ port: (server.address() as AddressInfo).port, authority: authority.certificate })
}
