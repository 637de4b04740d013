import { mkdir } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { RescueReport } from '@threadbox/protocol/guest'
import type { CleanedSandbox, HostApi, HostSandbox, PreservedMemory } from '@threadbox/protocol/host'
import { openText } from '@threadbox/protocol/sealing'
import { errorOf, nothingCleaned, stopped } from './answers.ts'
import { known, type SandboxesStandIn } from './sandbox-calls.ts'
import { standInKey } from './sealing.ts'

type CleanOrder = { secrets: string[]; redact?: { path: string; rule: string }[] | undefined }

/** Copies of sandboxes as on a host, without disks. */
export type CopiesStandIn = {
  /** Received cleaning orders, with what was sealed in them, and the result of each. */
  cleans: CleanOrder[]
  cleaned: CleanedSandbox
  /** The content of sent disks; received content, by sandbox. */
  disk: string
  received: Map<string, string>
  /** Received orders to keep memory, and the result of each. */
  preserves: (CleanOrder & { bootId: string })[]
  preserved: PreservedMemory
}

export function noCopiesYet(): CopiesStandIn {
  return {
    cleans: [],
    cleaned: nothingCleaned(),
    disk: 'the disk',
    received: new Map(),
    preserves: [],
    preserved: { kept: true, bytes: 4096 },
  }
}

type CopyCalls = Pick<HostApi, 'fork' | 'sendDisk' | 'sendSnapshot' | 'receiveDisk' | 'clean' | 'preserve'>

export function copyCalls(host: CopiesStandIn & SandboxesStandIn & { rescue: RescueReport }): CopyCalls {
  const keep = (sandbox: HostSandbox) => {
    host.sandboxes.set(sandbox.sandboxId, sandbox)
    return sandbox
  }
  return {
    // A copy of a running sandbox is running; a copy of a stopped one is not.
    fork: async (sandboxId, { source, bootId, limits, egress }) => {
      const made = host.sandboxes.get(sandboxId)
      const figures = { problem: '', stallMs: 1, durationMs: 2 }
      if (made !== undefined) return { sandbox: made, from: made.bootId === null ? 'disk' : 'memory', ...figures }
      const isRunning = known(host, source.sandboxId).bootId !== null
      await mkdir(host.pathOf(sandboxId, '/home/user'), { recursive: true })
      const running = { actual: 'ready' as const, bootId, bootStartedAt: Date.now() }
      const sandbox = keep({ ...stopped(sandboxId), limits, egress, ...(isRunning ? running : {}) })
      return { sandbox, from: isRunning ? 'memory' : 'disk', ...figures }
    },
    sendDisk: async (sandboxId) => {
      const { actual, isArchived } = known(host, sandboxId)
      if (actual === 'ready') throw inUse()
      if (isArchived === true) throw errorOf({ code: 'disk.not-found', kind: 'not-found' })
      return new Blob([host.disk]).stream()
    },
    sendSnapshot: async (sandboxId) => {
      known(host, sandboxId)
      return new Blob([host.disk]).stream()
    },
    receiveDisk: async (sandboxId, { limits }, stream) => {
      const bytes = await text(stream as NodeReadableStream<Uint8Array>)
      if (host.sandboxes.has(sandboxId)) throw errorOf({ code: 'environment.id-taken', kind: 'conflict' })
      host.received.set(sandboxId, bytes)
      return keep({ ...stopped(sandboxId), limits })
    },
    clean: async (sandboxId, order) => {
      host.cleans.push(await opened(order))
      if (known(host, sandboxId).bootId !== null) throw inUse()
      return host.cleaned
    },
    // Kept memory belongs to a paused sandbox; otherwise nothing of it is left.
    preserve: async (sandboxId, order) => {
      host.preserves.push(await opened(order))
      const { bootId } = order
      const sandbox = known(host, sandboxId)
      if (sandbox.bootId === null) throw errorOf({ code: 'sandbox.not-running', kind: 'conflict' })
      if (sandbox.bootId !== bootId) throw errorOf({ code: 'sandbox.other-boot', kind: 'conflict' })
      const { preserved: memory, cleaned, rescue } = host
      const asleep = { ...sandbox, actual: 'paused' as const, paused: { at: 1, imageBytes: 4096, isFrozen: false } }
      if (memory.kept) keep(asleep)
      else host.endBoot(sandboxId, 'stopped')
      return { cleaned, rescue: sandbox.actual === 'paused' ? null : rescue, memory }
    },
  }
}

function inUse() {
  return errorOf({ code: 'environment.in-use', kind: 'conflict' })
}

async function opened<Order extends { sealedSecrets: string }>({ sealedSecrets, ...order }: Order) {
  return { ...order, secrets: JSON.parse(await openText(sealedSecrets, standInKey.privateKey)) as string[] }
}
