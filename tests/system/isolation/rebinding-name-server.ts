import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type Answer, decode, encode, type Packet, type Question } from 'dns-packet'

const rebinding: Record<string, string> = {
  'public.test': '198.51.100.77',
  'metadata.test': '169.254.169.254',
  'loopback.test': '127.0.0.1',
}

type NameServerOptions = {
  at?: string
  port?: number
  /** Awaited before each answer over UDP. */
  beforeAnswer?: () => Promise<void>
}

export type NameServer = {
  port: number
  /** The names that it was asked for, in lower case. */
  asked: readonly string[]
  close(): Promise<void>
}

/**
 * A name server on the internet, by default one whose owner points some names at addresses of others. `addresses` can be
 * changed while it serves.
 */
export function startRebindingNameServer(
  addresses: Record<string, string | readonly string[]> = rebinding,
  options: NameServerOptions & { onAsked?: (name: string) => void } = {},
): Promise<NameServer> {
  return startNameServer(({ name }) => {
    options.onAsked?.(name)
    const found = [addresses[name.toLowerCase()] ?? []].flat()
    return found.map((data) => ({ type: 'A', name, data, ttl: 1 }))
  }, options)
}

/** Responds over UDP and TCP with what `answersTo` returns. What is too large for UDP is truncated there. */
export async function startNameServer(
  answersTo: (question: Question) => Answer[],
  { at = '127.0.0.1', port: wantedPort = 0, beforeAnswer }: NameServerOptions = {},
): Promise<NameServer> {
  const asked: string[] = []
  const responseTo = (message: Buffer): Packet => {
    const { id, questions = [] } = decode(message)
    const [question] = questions
    if (question !== undefined) asked.push(question.name.toLowerCase())
    const answers = question === undefined ? [] : answersTo(question)
    return { type: 'response', ...(id === undefined ? {} : { id }), questions, answers }
  }
  const udp = createSocket('udp4').on('message', async (message, from) => {
    await beforeAnswer?.()
    const response = responseTo(message)
    const whole = encode(response)
    const sent = whole.length <= 1232 ? whole : encode({ ...response, flags: 0x0200, answers: [] })
    udp.send(sent, from.port, from.address)
  })
  const open = new Set<Socket>()
  const tcp = createServer((socket) => {
    open.add(socket)
    let got = Buffer.alloc(0)
    socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket))
    socket.on('data', (chunk) => {
      got = Buffer.concat([got, chunk])
      if (got.length < 2 || got.length < 2 + got.readUInt16BE(0)) return
      const response = encode(responseTo(got.subarray(2)))
      socket.end(Buffer.concat([Buffer.from([response.length >> 8, response.length & 0xff]), response]))
    })
  })
  udp.bind(wantedPort, at)
  await once(udp, 'listening')
  const { port } = udp.address()
  tcp.listen(port, at)
  await once(tcp, 'listening')
  return {
    port,
    asked,
    close: async () => {
      for (const socket of open) socket.destroy()
      await Promise.all([once(udp.close(), 'close'), once(tcp.close(), 'close')])
    },
  }
}
