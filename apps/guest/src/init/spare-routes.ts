import { setTimeout as delay } from 'node:timers/promises'
import { defineError } from '@threadbox/errors'
import { guestPaths } from '@threadbox/protocol/guest'
import type { FileServers } from '../files/file-servers.ts'
import type { GuestState } from '../ground/guest-state.ts'
import { releaseHeap } from '../ground/heap.ts'
import { sendJson } from '../ground/http.ts'
import type { Route } from '../ground/server.ts'
import type { Contexts } from '../kernels/contexts.ts'
import type { ReadManifest } from '../manifest/manifest.ts'
import { userProcesses } from '../manifest/processes.ts'
import type { ExecutionRegistry } from '../runs/run-registry.ts'

export const templateRefused = defineError<{ problem: string }>({
  code: 'guest.template-refused',
  kind: 'conflict',
  message: ({ problem }) => `This sandbox can’t be used as a template: ${problem}`,
  remedy: () => 'Create the template from an unused sandbox.',
})

/** Waiting shells are gone some milliseconds after they were killed. */
const pollEveryMs = 10
const longestWaitMs = 5_000

/** What the host requests of a sandbox that no thread owns yet. */
export function spareRoutes(dependencies: {
  state: GuestState
  registry: ExecutionRegistry
  fileServers: FileServers
  contexts: Contexts
  readManifest: Pick<ReadManifest, 'warm'>
  ownsMachine: boolean
}): Route[] {
  const { state, contexts } = dependencies
  return [
    {
      method: 'POST',
      path: guestPaths.prewarm,
      access: 'token',
      handle: async (_request, response) => {
        await contexts.get('').prewarm()
        sendJson(response, { body: {} })
      },
    },
    {
      method: 'POST',
      path: guestPaths.template,
      access: 'token',
      handle: async (_request, response) => {
        await endEverything(dependencies)
        // Every boot from this template would read them again, and most disks have those of the image.
        dependencies.readManifest.warm()
        state.forget()
        releaseHeap()
        sendJson(response, { body: {} })
      },
    },
  ]
}

/** Ends every process except the guest's own: what continues over another disk must hold nothing of this one. */
async function endEverything(dependencies: Parameters<typeof spareRoutes>[0]): Promise<void> {
  const { registry, fileServers, contexts } = dependencies
  if (registry.list().length > 0) throw templateRefused({ problem: 'a command was run in it.' })
  registry.close()
  await Promise.all([fileServers.stopIdle(), contexts.close()])
  if (!dependencies.ownsMachine) return
  for (let waitedMs = 0; ; waitedMs += pollEveryMs) {
    const left = userProcesses().users.map(({ name }) => name)
    if (left.length === 0) return
    if (waitedMs >= longestWaitMs) throw templateRefused({ problem: `these are still running: ${left.join(', ')}.` })
    await delay(pollEveryMs)
  }
}
