import { isThreadboxError } from '@threadbox/errors'
import type { RescueReport, RescueRequest } from '@threadbox/protocol/guest'
import type { CleanedSandbox, ForkedSandbox } from '@threadbox/protocol/host'
import type { HostClient } from '../sandboxes/host-client.ts'
import { hostnameOf, limitsOf } from '../sandboxes/sandbox-rows.ts'
import type { SandboxRow } from '../sandboxes/sandboxes.table.ts'

export type CaptureDependencies = {
  host: Pick<HostClient, 'fork' | 'pause' | 'demote' | 'stop' | 'clean' | 'get'>
  hashKeyOf: (sandboxId: string) => string
  budgets: () => Promise<RescueRequest>
  /** Texts that this installation keeps secret. */
  storedSecrets: () => Promise<string[]>
}

/** A copy of a sandbox at rest. `rescue`: what was written down of its memory, null when there was none to be. */
export type CapturedSandbox = {
  rescue: RescueReport | null
  memoryProblem: string
  cleaned: CleanedSandbox
  diskBytes: number
}

type Copy = { sandboxId: string; bootId: string; hashKey: string; made: ForkedSandbox }

/**
 * Makes a copy of a sandbox that is of no thread: as a fork, so that the source goes on unharmed, and without a network.
 * Whoever calls removes what is left when this, or `layCopyToRest`, throws.
 */
export async function copySandbox(
  { host, hashKeyOf }: CaptureDependencies,
  order: { source: SandboxRow; sandboxId: string; bootId: string },
): Promise<Copy> {
  const { source, sandboxId, bootId } = order
  const hashKey = hashKeyOf(sandboxId)
  const made = await host.fork(sandboxId, {
    source: { sandboxId: source.id, snapshotId: null },
    ...{ bootId, hostname: hostnameOf(sandboxId), limits: limitsOf(source), egress: { kind: 'none' }, hashKey },
  })
  return { sandboxId, bootId, hashKey, made }
}

/** Ends the copy once its guest has written down what is in its memory, and takes the secrets off. */
export async function layCopyToRest(dependencies: CaptureDependencies, copy: Copy): Promise<CapturedSandbox> {
  const { host } = dependencies
  const { sandboxId, made } = copy
  const kept =
    made.from === 'memory' ? await layToRest(dependencies, copy) : { rescue: null, memoryProblem: made.problem }
  const cleaned = await host.clean(sandboxId, { secrets: await dependencies.storedSecrets() })
  const { diskUsedBytes } = (await host.get(sandboxId, { withUsage: true })) ?? {}
  return { ...kept, cleaned, diskBytes: diskUsedBytes ?? 0 }
}

/** What cannot be rescued of the memory is missed in the copy; its files are whole either way. */
async function layToRest(
  { host, budgets }: CaptureDependencies,
  boot: Omit<Copy, 'made'>,
): Promise<Pick<CapturedSandbox, 'rescue' | 'memoryProblem'>> {
  const { sandboxId, bootId, hashKey } = boot
  try {
    await host.pause(sandboxId, { bootId, hashKey })
    const demoted = await host.demote(sandboxId, { bootId, budgets: await budgets() })
    return { rescue: demoted.rescue, memoryProblem: demoted.problem }
  } catch (error) {
    if (!isThreadboxError(error)) throw error
    const now = await host.get(sandboxId)
    if (now?.bootId === bootId) await host.stop(sandboxId, bootId)
    return { rescue: null, memoryProblem: error.message }
  }
}
