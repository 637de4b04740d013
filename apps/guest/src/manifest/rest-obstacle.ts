import { maxRestObstacle } from '@threadbox/protocol/guest'
import { z } from 'zod'
import type { Context } from '../kernels/context.ts'
import type { Kernel } from '../kernels/kernel.ts'
import { readDescriptors, socketInode } from '../processes/descriptors.ts'
import { roleOf, userProcesses } from './processes.ts'
import { readSocketTable } from './sockets.ts'

/** A kernel that runs nothing responds within milliseconds. */
const kernelAnswerMs = 900
const atWorkSchema = z.object({ threads: z.number().int(), tasks: z.number().int() })

/**
 * Returns the first thing of the user’s that runs in this sandbox; null if nothing does. A shell or a kernel that only waits
 * for its next command is nothing, whatever it holds in memory. What can’t be found out counts as running.
 */
export function makeRestObstacle(dependencies: {
  contexts(): Context[]
  terminalPids(): number[]
  /** Keys of the commands and cells that have not ended. */
  runningKeys(): string[]
}): () => Promise<string | null> {
  const find = async (): Promise<string | null> => {
    const [key] = dependencies.runningKeys()
    if (key !== undefined) return `run ${key}`
    const contexts = dependencies.contexts()
    if (contexts.some((context) => context.isBusy())) return 'cell'
    const kernels = contexts.flatMap((context) => context.kernel() ?? [])
    const runtimeProcesses = {
      kernels: new Set(kernels.map(({ pid }) => pid)),
      terminals: new Set(dependencies.terminalPids()),
    }
    for (const entry of userProcesses().users) {
      const role = roleOf(entry, runtimeProcesses)
      if (role !== 'shell' && role !== 'kernel') return `${role === 'user' ? 'process' : role} ${entry.name}`
    }
    const used = contexts.filter((context) => context.isUsed()).flatMap((context) => context.kernel() ?? [])
    for (const kernel of used) {
      const obstacle = await kernelObstacle(kernel)
      if (obstacle !== null) return obstacle
    }
    return null
  }
  return async () => (await find())?.slice(0, maxRestObstacle) ?? null
}

/** Returns what a kernel does although no cell runs in it. */
async function kernelObstacle(kernel: Kernel): Promise<string | null> {
  if (hasOwnConnections(kernel)) return 'kernel: socket'
  try {
    const { threads, tasks } = atWorkSchema.parse(await kernel.ask({ operation: 'at-work', timeoutMs: kernelAnswerMs }))
    return threads > 0 ? 'kernel: thread' : tasks > 0 ? 'kernel: task' : null
  } catch {
    return 'kernel: no response'
  }
}

/** Tells whether the user’s code has a network socket open in the kernel. */
function hasOwnConnections({ pid, ownSockets }: Kernel): boolean {
  const held = new Set((readDescriptors(pid) ?? []).flatMap((descriptor) => socketInode(descriptor) ?? []))
  const rows = [...readSocketTable('tcp'), ...readSocketTable('udp')]
  return rows.some(({ inode }) => held.has(inode) && !ownSockets.has(inode))
}
