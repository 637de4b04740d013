import { mkdir, readFile, rmdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { heldBytes } from '../../performance/cost/held-memory.ts'
import type { Program } from '../driver.ts'

/** A group of the kernel that counts the memory of a bare sandbox and lists its processes. It sets no limit. */
export type MemoryGroup = {
  /** From the root of the kernel’s groups. */
  path: string
  /** Put before a program, it starts in the group; what it starts is in it, too. */
  enter: Program
  processIds(): Promise<number[]>
  /** What the kernel can’t reclaim, each page once. */
  memoryBytes(): Promise<number>
  remove(): Promise<void>
}

const mount = '/sys/fs/cgroup'

/** On cgroup v1 and v2; on v2 the root’s groups must have the memory controller, which systemd turns on. */
export async function makeMemoryGroup(name: string): Promise<MemoryGroup> {
  const isSplit = await stat(`${mount}/memory/memory.stat`).then(
    () => true,
    () => false,
  )
  const group = `/threadbox-benchmark-${name}`
  const folder = path.join(mount, isSplit ? 'memory' : '', group)
  await mkdir(folder)
  return {
    path: group,
    enter: ['/bin/sh', '-c', `echo $$ > ${folder}/cgroup.procs && exec "$@"`, 'sh'],
    processIds: async () => {
      const text = await readFile(`${folder}/cgroup.procs`, 'utf8').catch(() => '')
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map(Number)
    },
    memoryBytes: async () => heldBytes(await readFile(`${folder}/memory.stat`, 'utf8').catch(() => '')),
    remove: async () => {
      // The kernel removes an ended process from its group a moment later.
      for (let attempt = 0; ; attempt++) {
        const error = await rmdir(folder).then(
          () => undefined,
          (reason: NodeJS.ErrnoException) => reason,
        )
        // runc removes the group itself.
        if (error === undefined || error.code === 'ENOENT') return
        if (attempt === 100) throw error
        await delay(20)
      }
    },
  }
}
