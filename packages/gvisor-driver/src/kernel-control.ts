import path from 'node:path'
import { z } from 'zod'
import { type ControlReply, callKernel } from './control-socket.ts'
import { readTaskState, type TaskState } from './kernel-tasks.ts'

/** What a sandbox’s kernel does when it is asked over its control socket. */
export type KernelControl = {
  /** Stops all tasks. Stops are counted: each needs a `resume`. */
  pause(bootId: string): Promise<ControlReply>
  /** Ends one stop. Without a stop, gVisor’s kernel ends. */
  resume(bootId: string): Promise<ControlReply>
  /** Whether its tasks run; undefined if it did not tell. */
  tasks(bootId: string): Promise<TaskState | undefined>
}

/** A reply without a result has 42. */
const maxReplyBytes = 4096
/** A kernel with 10,000 tasks has stacks of about 10 MB. gVisor sends at most 64 MiB. */
const maxStacksBytes = 64 * 2 ** 20

/** `replyMs`: how long the kernel has for each reply; 0: it gets no call. */
export function makeKernelControl(options: { runscState: string; replyMs: number }): KernelControl {
  const { runscState, replyMs } = options
  const call = async (bootId: string, method: string, maxBytes: number): Promise<ControlReply> => {
    if (replyMs === 0) return { outcome: 'not-sent', reason: 'commands are used' }
    const signal = AbortSignal.timeout(replyMs)
    return await callKernel({
      controlSocket: controlSocketOf(runscState, bootId),
      method,
      argument: null,
      maxBytes,
      signal,
    })
  }
  return {
    pause: (bootId) => call(bootId, 'containerManager.Pause', maxReplyBytes),
    resume: (bootId) => call(bootId, 'containerManager.Resume', maxReplyBytes),
    tasks: async (bootId) => {
      const reply = await call(bootId, 'debug.Stacks', maxStacksBytes)
      const stacks = z.string().safeParse(reply.outcome === 'done' ? reply.result : undefined).data
      return stacks === undefined ? undefined : readTaskState(stacks)
    },
  }
}

/** Where runsc makes the control socket of a container. */
export function controlSocketOf(runscState: string, bootId: string): string {
  return path.join(runscState, `runsc-${bootId}.sock`)
}
