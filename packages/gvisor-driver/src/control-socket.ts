import { connect } from 'node:net'
import { z } from 'zod'
import { parseJson } from './parse-json.ts'

/**
 * What became of a call. `refused`: the kernel responded with an error. `not-sent`: it got nothing of the call. `unclear`:
 * it may have received the call, and did not respond as expected.
 */
export type ControlReply =
  | { outcome: 'done'; result: unknown }
  | { outcome: 'refused' | 'not-sent' | 'unclear'; reason: string }

export type ControlCall = {
  controlSocket: string
  method: string
  argument: string | null
  /** A reply that is longer is unclear. */
  maxBytes: number
  /** Ends the call, which is then unclear if it was sent. */
  signal: AbortSignal
}

const replySchema = z.object({ success: z.boolean(), err: z.string(), result: z.unknown() })

/**
 * Calls a method of a sandbox’s own kernel over its control socket, as the commands of runsc do, without a program of
 * 50 MB. gVisor’s protocol (`pkg/urpc`): a JSON object each way. After the request this side of the connection is closed,
 * so the kernel closes the other after its reply, and what arrived until then is the reply.
 */
export async function callKernel(call: ControlCall): Promise<ControlReply> {
  const { promise, resolve } = Promise.withResolvers<ControlReply>()
  const { signal, maxBytes } = call
  let isSent = false
  let problem = 'the connection was closed without a reply'
  let bytes = 0
  const chunks: Buffer[] = []
  const socket = connect(call.controlSocket)
  const give = (reason: string) => {
    problem = reason
    socket.destroy()
  }
  const stop = () => give('there was no reply in time')
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  socket.once('connect', () => {
    isSent = true
    socket.end(JSON.stringify({ method: call.method, arg: call.argument }))
  })
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes) return give(`the reply has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  })
  socket.once('error', (error) => give(error.message))
  socket.once('end', () => {
    const reply = readReply(Buffer.concat(chunks).toString())
    if (reply !== undefined) resolve(reply)
    else if (bytes > 0) problem = 'the reply is not one of gVisor'
  })
  socket.once('close', () => {
    signal.removeEventListener('abort', stop)
    resolve({ outcome: isSent ? 'unclear' : 'not-sent', reason: problem })
  })
  return await promise
}

/** Undefined if the text isn’t a reply. */
export function readReply(text: string): ControlReply | undefined {
  const parsed = replySchema.safeParse(parseJson(text))
  if (!parsed.success) return undefined
  const { success, err, result } = parsed.data
  return success ? { outcome: 'done', result } : { outcome: 'refused', reason: err }
}
