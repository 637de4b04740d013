import { createSocket } from 'node:dgram'
import { decode, encode } from 'dns-packet'

const rebinding: Record<string, string> = {
  'public.test': '198.51.100.77',
  'metadata.test': '169.254.169.254',
  'loopback.test': '127.0.0.1',
}

/** A name server on the internet, by default one whose owner points some names at addresses of others. */
export async function startRebindingNameServer(
  addresses: Record<string, string> = rebinding,
  options: { onAsked?: (name: string) => void } = {},
): Promise<{ port: number; close: () => Promise<void> }> {
  const socket = createSocket('udp4')
  socket.on('message', (message, from) => {
    const { id, questions = [] } = decode(message)
    const name = questions[0]?.name ?? ''
    options.onAsked?.(name)
    const data = addresses[name.toLowerCase()]
    const answers = data === undefined ? [] : [{ type: 'A' as const, name, data, ttl: 1 }]
    const answer = encode({ type: 'response', ...(id === undefined ? {} : { id }), questions, answers })
    socket.send(answer, from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return { port: socket.address().port, close: () => new Promise((resolve) => socket.close(resolve)) }
}
