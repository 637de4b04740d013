import { connect } from 'node:net'
import { z } from 'zod'
import { parseJson } from './parse-json.ts'

/**
 * How the first process of a container ended, as reported by its kernel; undefined if the kernel ended without a
 * report.
 */
export type GuestExit = { exitCode: number } | { signal: number }

const waitReplySchema = z.object({ success: z.boolean(), err: z.string(), result: z.number().int().nullable() })

/**
 * Waits until the first process of a container ends, by asking the sandbox’s own kernel over its control socket: the
 * call that `runsc wait` makes, without a process of 25 MB per sandbox. The kernel replies if the process exited or was
 * killed from inside; the connection just closes if the kernel was killed from outside.
 */
export async function watchExit(options: {
  controlSocket: string
  containerId: string
  signal: AbortSignal
}): Promise<GuestExit | undefined> {
  const { promise, resolve } = Promise.withResolvers<GuestExit | undefined>()
  const socket = connect(options.controlSocket)
  let reply = ''
  const stop = () => socket.destroy()
  if (options.signal.aborted) stop()
  options.signal.addEventListener('abort', stop, { once: true })
  socket.setEncoding('utf8')
  socket.once('connect', () => {
    socket.write(JSON.stringify({ method: 'containerManager.Wait', arg: options.containerId }))
  })
  socket.on('data', (chunk: string) => {
    reply += chunk
    const exit = parseReply(reply)
    if (exit === undefined) return
    resolve(exit)
    socket.destroy()
  })
  socket.on('error', () => socket.destroy())
  socket.once('close', () => {
    options.signal.removeEventListener('abort', stop)
    resolve(undefined)
  })
  return await promise
}

function parseReply(text: string): GuestExit | undefined {
  const parsed = waitReplySchema.safeParse(parseJson(text))
  if (!parsed.success || !parsed.data.success || parsed.data.result === null) return undefined
  const status = parsed.data.result
  const signal = status & 0x7f
  return signal === 0 ? { exitCode: (status >> 8) & 0xff } : { signal }
}
