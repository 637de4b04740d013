import type { Socket } from 'node:net'
import type { HoldGate } from './hold-gate.ts'
import type { Inspect } from './join-sockets.ts'

/**
 * Reads what a sandbox sends until something of it passes. Then nothing more is read. Undefined: it ended before.
 */
export async function readFirst(options: {
  client: Socket
  gate: HoldGate
  inspect: Inspect
}): Promise<readonly Buffer[] | undefined> {
  const { client, gate, inspect } = options
  const { promise, resolve } = Promise.withResolvers<readonly Buffer[] | undefined>()
  const update = () => {
    if (gate.isHeld()) client.pause()
    else client.resume()
  }
  const read = (bytes: Buffer) => {
    const passed = inspect(bytes)
    if (passed.length > 0) resolve(passed)
    if (passed.length > 0) client.pause()
  }
  const ended = () => resolve(undefined)
  client.on('data', read).once('end', ended).once('close', ended)
  const stop = gate.onChange(update)
  if (client.destroyed) ended()
  update()
  return await promise.finally(() => {
    stop()
    client.off('data', read).off('end', ended).off('close', ended)
  })
}
