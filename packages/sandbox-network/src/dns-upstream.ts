import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { readFile } from 'node:fs/promises'
import { connect, isIPv6 } from 'node:net'
import { makeFrameReader, toFrame } from './dns-frames.ts'
import { parseResolvers } from './dns-policy.logic.ts'

export type DnsTransport = 'udp' | 'tcp'
export type ResolverAddress = { address: string; port: number }

/**
 * Sends questions to the upstream servers. Calls `servers` each time, so that a changed network of the host is
 * followed.
 */
export type DnsUpstream = (options: { question: Buffer; transport: DnsTransport }) => Promise<Buffer>

/** Allows two servers within the time that programs wait for one response (resolv.conf(5): 5 seconds). */
const timeoutMs = 2_400

/**
 * Asks the servers one after another and returns the first response, with the ID of the question. Each question uses a
 * new port and a new ID on a connected socket, so that another sender’s packet is not accepted as the response.
 */
export function makeDnsUpstream(options: { servers: () => Promise<ResolverAddress[]> }): DnsUpstream {
  return async ({ question, transport }) => {
    const asked = Buffer.from(question)
    const id = randomBytes(2)
    id.copy(asked)
    let failure: unknown = new Error('no server is configured')
    for (const server of await options.servers()) {
      try {
        const answer = await (transport === 'udp' ? askByUdp : askByTcp)({ asked, server })
        question.copy(answer, 0, 0, 2)
        return answer
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }
}

/** The host’s own resolvers. */
export async function readHostResolvers(): Promise<ResolverAddress[]> {
  const content = await readFile('/etc/resolv.conf', 'utf8').catch(() => '')
  return parseResolvers(content).map((address) => ({ address, port: 53 }))
}

type Exchange = { asked: Buffer; server: ResolverAddress }

function askByUdp({ asked, server }: Exchange): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4')
    const timer = setTimeout(() => finish(() => reject(new Error('the server did not respond'))), timeoutMs)
    const finish = (settle: () => void) => {
      clearTimeout(timer)
      socket.removeAllListeners().on('error', () => undefined)
      socket.close()
      settle()
    }
    socket.on('error', (error) => finish(() => reject(error)))
    socket.on('message', (message) => {
      if (hasSameId({ asked, message })) finish(() => resolve(message))
    })
    socket.connect(server.port, server.address, () => socket.send(asked))
  })
}

function askByTcp({ asked, server }: Exchange): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: server.address, port: server.port })
    const read = makeFrameReader()
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('the server did not respond')))
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed the connection')))
    socket.on('connect', () => socket.write(toFrame(asked)))
    socket.on('data', (chunk) => {
      for (const message of read(chunk)) {
        if (!hasSameId({ asked, message })) continue
        resolve(Buffer.from(message))
        socket.destroy()
      }
    })
  })
}

function hasSameId(options: { asked: Buffer; message: Buffer }): boolean {
  return options.message.length >= 12 && options.message.readUInt16BE(0) === options.asked.readUInt16BE(0)
}
