import { mkdir, rm } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { HostApi } from '@threadbox/protocol/host'
import { errorOf, stopped } from './answers.ts'
import type { CopiesStandIn } from './copy-calls.ts'
import { known, type SandboxesStandIn } from './sandbox-calls.ts'

/** Archived disks as on a host: their files are gone, and what comes back is what was sent. */
export function archiveCalls(
  host: SandboxesStandIn & CopiesStandIn,
): Pick<HostApi, 'diskContent' | 'archive' | 'restore'> {
  const atRest = (sandboxId: string) => {
    const sandbox = known(host, sandboxId)
    if (sandbox.bootId !== null) throw errorOf({ code: 'environment.in-use', kind: 'conflict' })
    return sandbox
  }
  const set = (sandboxId: string, isArchived: boolean) => {
    const sandbox = { ...known(host, sandboxId), isArchived }
    host.sandboxes.set(sandboxId, sandbox)
    return sandbox
  }
  // Each boot may have written something.
  const generationOf = (sandboxId: string) => `after ${known(host, sandboxId).lastBootEnd?.bootId}`
  return {
    diskContent: async (sandboxId) => {
      atRest(sandboxId)
      return { generation: generationOf(sandboxId), usedBytes: 1000 }
    },
    archive: async (sandboxId, { generation }) => {
      const sandbox = atRest(sandboxId)
      if (sandbox.isArchived === true) return sandbox
      if (generation !== generationOf(sandboxId)) throw errorOf({ code: 'archive.disk-changed', kind: 'conflict' })
      await rm(host.pathOf(sandboxId, '/'), { recursive: true, force: true })
      return set(sandboxId, true)
    },
    restore: async (sandboxId, { limits }, stream) => {
      const isKnown = host.sandboxes.has(sandboxId)
      if (!isKnown) host.sandboxes.set(sandboxId, { ...stopped(sandboxId), limits, isArchived: true })
      const bytes = await text(stream as NodeReadableStream<Uint8Array>)
      if (known(host, sandboxId).isArchived !== true) return known(host, sandboxId)
      await mkdir(host.pathOf(sandboxId, '/home/user'), { recursive: true })
      host.received.set(sandboxId, bytes)
      return set(sandboxId, false)
    },
  }
}
