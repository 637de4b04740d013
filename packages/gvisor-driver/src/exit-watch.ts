import { z } from 'zod'
import { callKernel } from './control-socket.ts'

/**
 * How the first process of a container ended, as reported by its kernel; undefined if the kernel ended without a
 * report.
 */
export type GuestExit = { exitCode: number } | { signal: number }

const waitStatusSchema = z.number().int()
/** A reply to `Wait` has about 50. */
const maxReplyBytes = 4096

/**
 * Waits until the first process of a container ends: the call that `runsc wait` makes. The kernel replies if the process
 * exited or was killed from inside; the connection just closes if the kernel was killed from outside.
 */
export async function watchExit(options: {
  controlSocket: string
  containerId: string
  signal: AbortSignal
}): Promise<GuestExit | undefined> {
  const { controlSocket, containerId, signal } = options
  const method = 'containerManager.Wait'
  const reply = await callKernel({ controlSocket, method, argument: containerId, maxBytes: maxReplyBytes, signal })
  const status = waitStatusSchema.safeParse(reply.outcome === 'done' ? reply.result : undefined).data
  if (status === undefined) return undefined
  const killedBy = status & 0x7f
  return killedBy === 0 ? { exitCode: (status >> 8) & 0xff } : { signal: killedBy }
}
